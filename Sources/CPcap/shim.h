#ifndef AUTHREEL_CPCAP_SHIM_H
#define AUTHREEL_CPCAP_SHIM_H

#include <pcap/pcap.h>

#endif
