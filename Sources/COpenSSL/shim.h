// What Swift cannot import of OpenSSL, as static inline functions: macros, variadic functions, and
// everything that takes OSSL_PARAM (it keeps the pointers of its keys, which Swift strings do not outlive).
#ifndef AUTHREEL_COPENSSL_SHIM_H
#define AUTHREEL_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#endif
