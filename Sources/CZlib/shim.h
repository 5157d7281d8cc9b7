#ifndef AUTHREEL_CZLIB_SHIM_H
#define AUTHREEL_CZLIB_SHIM_H

#include <zlib.h>

#endif
