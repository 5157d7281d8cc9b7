// What Swift cannot import of OpenSSL, as static inline functions: macros, variadic functions, and
// everything that takes OSSL_PARAM (it keeps the pointers of its keys, which Swift strings do not outlive).
#ifndef AUTHREEL_COPENSSL_SHIM_H
#define AUTHREEL_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// MARK: TLS and certificates

#include <string.h>
#include <time.h>

static inline int ar_tls_ctx_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest) == 1 && SSL_CTX_set_max_proto_version(context, highest) == 1;
}
// What every context gets: a missing close_notify is everyday (curl, Node).
static inline void ar_tls_ctx_set_defaults(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}
// Servers have it to ask for a certificate once they have seen the path; of a client it is nobody's need.
static inline void ar_tls_ctx_refuse_renegotiation(SSL_CTX *context) { SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION); }
static inline void ar_tls_ctx_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline int ar_tls_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline void ar_tls_ctx_set_partial_chain(SSL_CTX *context) {
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}
static inline int ar_tls_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
// Index 0 is the one OpenSSL keeps for the application (SSL_set_app_data).
static inline int ar_tls_set_owner(SSL *ssl, void *owner) { return SSL_set_ex_data(ssl, 0, owner); }
static inline void *ar_tls_owner(const SSL *ssl) { return SSL_get_ex_data(ssl, 0); }
static inline void *ar_tls_owner_of_verification(X509_STORE_CTX *store) {
    SSL *ssl = (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    return ssl ? SSL_get_ex_data(ssl, 0) : NULL;
}
static inline X509 *ar_tls_peer_certificate(const SSL *ssl) { return SSL_get1_peer_certificate(ssl); }
static inline void ar_tls_bio_retry_read(BIO *bio) {
    BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
}
static inline void ar_tls_bio_no_retry(BIO *bio) {
    BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
}
static inline int ar_x509_stack_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *ar_x509_stack_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void ar_openssl_free(void *pointer) { OPENSSL_free(pointer); }
static inline long ar_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

// MARK: the client's end: security, certificates of ours, sessions

#include <openssl/pkcs12.h>

// OpenSSL's rules for its level, which stay as they are for ciphers, key exchanges and the server's certificates, but for
// the versions and the signatures of the handshake: TLS 1.0 and 1.1 sign with SHA-1. A certificate of ours is its
// server's business.
static inline int ar_tls_security(const SSL *ssl, const SSL_CTX *context, int operation, int bits, int nid, void *other, void *standard) {
    switch (operation) {
    case SSL_SECOP_VERSION:
    case SSL_SECOP_SIGALG_SUPPORTED:
    case SSL_SECOP_SIGALG_SHARED:
    case SSL_SECOP_SIGALG_CHECK:
    case SSL_SECOP_SIGALG_MASK:
    case SSL_SECOP_EE_KEY:
    case SSL_SECOP_CA_KEY:
    case SSL_SECOP_CA_MD: return 1;
    default:
        return ((int (*)(const SSL *, const SSL_CTX *, int, int, int, void *, void *))standard)(ssl, context, operation, bits, nid,
                                                                                                other, NULL);
    }
}
// Servers before RFC 5746 as well: with renegotiation off there is nothing on our side that it would protect.
static inline void ar_tls_ctx_allow_old_servers(SSL_CTX *context) {
    SSL_CTX_set0_security_ex_data(context, (void *)SSL_CTX_get_security_callback(context));
    SSL_CTX_set_security_callback(context, ar_tls_security);
    SSL_CTX_set_options(context, SSL_OP_LEGACY_SERVER_CONNECT);
}
// Sessions go to the callback and nowhere else.
static inline void ar_tls_ctx_hand_out_sessions(SSL_CTX *context, int (*take)(SSL *, SSL_SESSION *)) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, take);
}
static inline size_t ar_tls_session_ticket_length(const SSL_SESSION *session) {
    const unsigned char *ticket = NULL;
    size_t length = 0;
    SSL_SESSION_get0_ticket(session, &ticket, &length);
    return length;
}
// Only what was given is sent: OpenSSL would add what it finds among the trusted roots.
static inline int ar_tls_use_certificate(SSL *ssl, X509 *certificate, EVP_PKEY *key) {
    SSL_set_mode(ssl, SSL_MODE_NO_AUTO_CHAIN);
    // In the place of the context's own; one after the other they would be compared with what they replace.
    return SSL_use_cert_and_key(ssl, certificate, key, NULL, 1) == 1;
}
static inline int ar_tls_add_chain_certificate(SSL *ssl, X509 *certificate) { return (int)SSL_add1_chain_cert(ssl, certificate); }

// Opens PKCS #12. Returns 0 where that was possible, 1 for other bytes, 2 for another passphrase (NULL stands for none), 3
// for what cannot be decrypted or read; the error queue tells why.
static inline int ar_pkcs12_open(const unsigned char *bytes, long length, const char *passphrase, X509 **certificate, EVP_PKEY **key,
                                 STACK_OF(X509) **others) {
    PKCS12 *file = d2i_PKCS12(NULL, &bytes, length);
    if (!file) return 1;
    int result = 3;
    if (PKCS12_mac_present(file)) {
        if (passphrase) {
            if (PKCS12_verify_mac(file, passphrase, -1) != 1) result = 2;
        } else if (PKCS12_verify_mac(file, "", 0) == 1) {
            passphrase = "";
        } else if (PKCS12_verify_mac(file, NULL, 0) != 1) {
            result = 2;
        }
    }
    if (result == 3) {
        ERR_clear_error();
        if (PKCS12_parse(file, passphrase, key, certificate, others) == 1) result = 0;
    }
    PKCS12_free(file);
    return result;
}
static inline void ar_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline int ar_mbstring_utf8(void) { return MBSTRING_UTF8; }
static inline int ar_err_reason(unsigned long code) { return ERR_GET_REASON(code); }
// Subject and issuer in one line, RFC 2253, as UTF-8 text.
static inline int ar_x509_name_line(const X509_NAME *name, BIO *out) {
    return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline int ar_x509_add_key_usage(X509 *certificate, const int *bits, int count) {
    ASN1_BIT_STRING *usage = ASN1_BIT_STRING_new();
    int ok = usage != NULL;
    for (int i = 0; ok && i < count; i++) ok = ASN1_BIT_STRING_set_bit(usage, bits[i], 1);
    ok = ok && X509_add1_ext_i2d(certificate, NID_key_usage, usage, 1, 0) == 1;
    ASN1_BIT_STRING_free(usage);
    return ok;
}
// path_length: how many authorities may follow below an authority (RFC 5280, section 4.2.1.9); negative for a leaf.
static inline int ar_x509_add_basic_constraints(X509 *certificate, int path_length) {
    BASIC_CONSTRAINTS *constraints = BASIC_CONSTRAINTS_new();
    if (!constraints) return 0;
    constraints->ca = path_length >= 0 ? 0xff : 0;
    if (path_length >= 0) {
        constraints->pathlen = ASN1_INTEGER_new();
        if (constraints->pathlen) ASN1_INTEGER_set(constraints->pathlen, path_length);
    }
    int ok = X509_add1_ext_i2d(certificate, NID_basic_constraints, constraints, 1, 0) == 1;
    BASIC_CONSTRAINTS_free(constraints);
    return ok;
}
static inline int ar_x509_add_server_auth(X509 *certificate) {
    EXTENDED_KEY_USAGE *usages = sk_ASN1_OBJECT_new_null();
    if (!usages) return 0;
    sk_ASN1_OBJECT_push(usages, OBJ_nid2obj(NID_server_auth));
    int ok = X509_add1_ext_i2d(certificate, NID_ext_key_usage, usages, 0, 0) == 1;
    sk_ASN1_OBJECT_pop_free(usages, ASN1_OBJECT_free);
    return ok;
}
static inline int ar_x509_add_key_identifiers(X509 *certificate, const X509 *issuer) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    ASN1_OCTET_STRING *own = ASN1_OCTET_STRING_new();
    AUTHORITY_KEYID *authority = AUTHORITY_KEYID_new();
    int ok = own && authority && X509_pubkey_digest(certificate, EVP_sha1(), digest, &length) == 1
        && ASN1_OCTET_STRING_set(own, digest, (int)length) == 1
        && X509_add1_ext_i2d(certificate, NID_subject_key_identifier, own, 0, 0) == 1
        && X509_pubkey_digest(issuer, EVP_sha1(), digest, &length) == 1
        && (authority->keyid = ASN1_OCTET_STRING_new()) != NULL
        && ASN1_OCTET_STRING_set(authority->keyid, digest, (int)length) == 1
        && X509_add1_ext_i2d(certificate, NID_authority_key_identifier, authority, 0, 0) == 1;
    ASN1_OCTET_STRING_free(own);
    AUTHORITY_KEYID_free(authority);
    return ok;
}
// One subjectAltName: an address of 4 or 16 bytes, else a DNS name.
static inline int ar_x509_add_alternative_name(X509 *certificate, const unsigned char *name, int length, int is_address) {
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    GENERAL_NAME *entry = GENERAL_NAME_new();
    ASN1_STRING *value = ASN1_STRING_type_new(is_address ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    int ok = names && entry && value && ASN1_STRING_set(value, name, length) == 1;
    if (ok) { GENERAL_NAME_set0_value(entry, is_address ? GEN_IPADD : GEN_DNS, value); value = NULL; }
    ok = ok && sk_GENERAL_NAME_push(names, entry) > 0;
    if (ok) entry = NULL;
    ok = ok && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
    ASN1_STRING_free(value);
    GENERAL_NAME_free(entry);
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
    return ok;
}
// One subtree of names that an authority may or may not sign for; kind: GEN_DNS, GEN_IPADD, GEN_EMAIL or GEN_URI.
static inline int ar_name_constraints_add(NAME_CONSTRAINTS *constraints, int excludes, int kind, const unsigned char *base, int length) {
    STACK_OF(GENERAL_SUBTREE) **list = excludes ? &constraints->excludedSubtrees : &constraints->permittedSubtrees;
    if (!*list) *list = sk_GENERAL_SUBTREE_new_null();
    GENERAL_SUBTREE *subtree = GENERAL_SUBTREE_new();
    ASN1_STRING *value = ASN1_STRING_type_new(kind == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
    int ok = *list && subtree && value && ASN1_STRING_set(value, base, length) == 1;
    if (ok) { GENERAL_NAME_set0_value(subtree->base, kind, value); value = NULL; }
    ok = ok && sk_GENERAL_SUBTREE_push(*list, subtree) > 0;
    if (ok) subtree = NULL;
    ASN1_STRING_free(value);
    GENERAL_SUBTREE_free(subtree);
    return ok;
}
static inline int ar_x509_add_name_constraints(X509 *certificate, NAME_CONSTRAINTS *constraints) {
    return X509_add1_ext_i2d(certificate, NID_name_constraints, constraints, 1, 0) == 1;
}
// The public half of a key as it goes into certificates, a reference of the caller's; NULL on failure.
//
// An elliptic key as an EC_KEY, though that is deprecated: of a key as providers hold it X509_set_pubkey of libcrypto 3
// first makes DER and then reads that again with all decoders there are, which takes six times as long as all the rest
// of a certificate, the signature included.
static inline EVP_PKEY *ar_key_for_certificates(EVP_PKEY *key) {
#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC) {
        EC_KEY *own = EVP_PKEY_get1_EC_KEY(key);
        EC_KEY *half = own ? EC_KEY_new() : NULL;
        EVP_PKEY *held = half ? EVP_PKEY_new() : NULL;
        int ok = held && EC_KEY_set_group(half, EC_KEY_get0_group(own)) == 1
            && EC_KEY_set_public_key(half, EC_KEY_get0_public_key(own)) == 1 && EVP_PKEY_set1_EC_KEY(held, half) == 1;
        EC_KEY_free(half);
        EC_KEY_free(own);
        if (ok) return held;
        EVP_PKEY_free(held);
        ERR_clear_error();
    }
#pragma clang diagnostic pop
#endif
    return EVP_PKEY_up_ref(key) == 1 ? key : NULL;
}
// A certificate without its extensions and signature; key: see ar_key_for_certificates; serial: positive, at most 20
// bytes (RFC 5280, section 4.1.2.2).
static inline X509 *ar_x509_begin(EVP_PKEY *key, const unsigned char *serial, int serial_length,
                                  int64_t not_before, int64_t not_after) {
    X509 *certificate = X509_new();
    BIGNUM *number = BN_bin2bn(serial, serial_length, NULL);
    int ok = certificate && number && X509_set_version(certificate, 2) == 1
        && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL
        && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)not_before) != NULL
        && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)not_after) != NULL
        && X509_set_pubkey(certificate, key) == 1;
    BN_free(number);
    if (!ok) { X509_free(certificate); return NULL; }
    return certificate;
}
// A copy with another key, signed by that key itself; NULL on failure.
static inline X509 *ar_x509_rekeyed(const X509 *certificate, EVP_PKEY *key) {
    X509 *copy = X509_dup((X509 *)certificate);
    const EVP_MD *digest = EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
    int ok = copy && X509_set_pubkey(copy, key) == 1 && X509_sign(copy, key, digest) > 0;
    if (!ok) { X509_free(copy); return NULL; }
    return copy;
}
// Seconds since the epoch of the end of validity; 0 where it cannot be told.
static inline int64_t ar_x509_not_after(const X509 *certificate) {
    struct tm parts;
    memset(&parts, 0, sizeof parts);
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return 0;
    return (int64_t)timegm(&parts);
}

// MARK: keys and signatures

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>

static inline EVP_PKEY *ar_key_from_parameters(const char *type, int selection, OSSL_PARAM_BLD *builder) {
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, selection, parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}
static inline EVP_PKEY *ar_rsa_public(const unsigned char *n, int nl, const unsigned char *e, int el) {
    BIGNUM *modulus = BN_bin2bn(n, nl, NULL), *exponent = BN_bin2bn(e, el, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (modulus && exponent && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
        key = ar_key_from_parameters("RSA", EVP_PKEY_PUBLIC_KEY, builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(modulus);
    BN_free(exponent);
    return key;
}
// The point in uncompressed form: 4, x, y. A point that is not on the curve gives no key.
static inline EVP_PKEY *ar_ec_public(const char *curve, const unsigned char *point, int length) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, (size_t)length) == 1)
        key = ar_key_from_parameters("EC", EVP_PKEY_PUBLIC_KEY, builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}
/* `exponent`: the public one, odd and at least 3. */
static inline EVP_PKEY *ar_rsa_generate(int bits, unsigned long long exponent) {
    EVP_PKEY *key = NULL;
    unsigned char number[8];
    for (int i = 0; i < 8; i++) number[i] = (unsigned char)(exponent >> (56 - 8 * i));
    BIGNUM *e = BN_bin2bn(number, sizeof number, NULL);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (e && context && EVP_PKEY_keygen_init(context) > 0 && EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) > 0 &&
        EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, e) > 0 && EVP_PKEY_generate(context, &key) <= 0) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    BN_free(e);
    return key;
}
static inline EVP_PKEY *ar_ec_generate(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *ar_edwards_generate(const char *curve) { return EVP_PKEY_Q_keygen(NULL, NULL, curve); }

// One big number of a key, big endian; returns its length, 0 when the key has none of this name or the buffer is too small.
static inline int ar_key_number(const EVP_PKEY *key, const char *name, unsigned char *out, int capacity) {
    BIGNUM *number = NULL;
    int length = 0;
    if (EVP_PKEY_get_bn_param(key, name, &number) == 1 && BN_num_bytes(number) <= capacity) length = BN_bn2bin(number, out);
    BN_clear_free(number);
    return length;
}
static inline int ar_rsa_modulus(const EVP_PKEY *key, unsigned char *out, int capacity) {
    return ar_key_number(key, OSSL_PKEY_PARAM_RSA_N, out, capacity);
}
static inline int ar_rsa_exponent(const EVP_PKEY *key, unsigned char *out, int capacity) {
    return ar_key_number(key, OSSL_PKEY_PARAM_RSA_E, out, capacity);
}
// The numbers of a private RSA key, in the order of `ar_rsa_private`: 0 is the modulus, 7 the coefficient.
static inline int ar_rsa_number(const EVP_PKEY *key, int index, unsigned char *out, int capacity) {
    static const char *names[8] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
                                   OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                   OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    return index < 0 || index > 7 ? 0 : ar_key_number(key, names[index], out, capacity);
}
static inline int ar_ec_d(const EVP_PKEY *key, unsigned char *out, int capacity) {
    return ar_key_number(key, OSSL_PKEY_PARAM_PRIV_KEY, out, capacity);
}
static inline int ar_ec_x(const EVP_PKEY *key, unsigned char *out, int capacity) {
    return ar_key_number(key, OSSL_PKEY_PARAM_EC_PUB_X, out, capacity);
}
static inline int ar_ec_y(const EVP_PKEY *key, unsigned char *out, int capacity) {
    return ar_key_number(key, OSSL_PKEY_PARAM_EC_PUB_Y, out, capacity);
}
static inline int ar_key_bits(const EVP_PKEY *key) { return EVP_PKEY_get_bits(key); }
static inline int ar_key_id(const EVP_PKEY *key) { return EVP_PKEY_get_base_id(key); }
static inline int ar_is_of_group(const EVP_PKEY *key, const char *group) {
    char name[64];
    size_t length = 0;
    return EVP_PKEY_get_group_name(key, name, sizeof name, &length) == 1 && strcmp(name, group) == 0;
}

static inline int ar_set_pss(EVP_PKEY_CTX *context) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}
// digest is NULL for Ed25519. Returns 1 when the signature is the message's.
static inline int ar_verify(EVP_PKEY *key, const EVP_MD *digest, int is_pss, const unsigned char *signature, size_t signature_length,
                            const unsigned char *message, size_t message_length) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    int ok = context && EVP_DigestVerifyInit(context, &key_context, digest, NULL, key) == 1
        && (!is_pss || ar_set_pss(key_context))
        && EVP_DigestVerify(context, signature, signature_length, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}
// Returns the length of the signature, 0 on failure. `out` holds EVP_PKEY_get_size bytes at least.
static inline size_t ar_sign(EVP_PKEY *key, const EVP_MD *digest, int is_pss, const unsigned char *message, size_t message_length,
                             unsigned char *out, size_t capacity) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *key_context = NULL;
    size_t length = capacity;
    int ok = context && EVP_DigestSignInit(context, &key_context, digest, NULL, key) == 1
        && (!is_pss || ar_set_pss(key_context))
        && EVP_DigestSign(context, out, &length, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    return ok ? length : 0;
}
// ECDSA: r and s side by side (RFC 7518, section 3.4) into the SEQUENCE that libcrypto reads; returns its length.
static inline int ar_ecdsa_to_der(const unsigned char *raw, int half, unsigned char *out, int capacity) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(raw, half, NULL), *s = BN_bin2bn(raw + half, half, NULL);
    int length = 0;
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1) {
        r = NULL;
        s = NULL;
        length = i2d_ECDSA_SIG(signature, NULL);
        if (length > 0 && length <= capacity) i2d_ECDSA_SIG(signature, &out);
        else length = 0;
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    return length;
}
static inline int ar_ecdsa_from_der(const unsigned char *der, long length, unsigned char *raw, int half) {
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, length);
    int ok = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, half) == half
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + half, half) == half;
    ECDSA_SIG_free(signature);
    return ok;
}

// For many signatures of one key: set up once, used for each (EVP_PKEY_verify may be called again on the same context).
static inline EVP_PKEY_CTX *ar_verify_context(EVP_PKEY *key, const EVP_MD *digest, int is_pss) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (context && EVP_PKEY_verify_init(context) == 1 && EVP_PKEY_CTX_set_signature_md(context, digest) == 1
        && (!is_pss || ar_set_pss(context)))
        return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}
// The digest of a message on a context that is kept; `out` holds EVP_MAX_MD_SIZE bytes. Returns its length, 0 on failure.
static inline unsigned int ar_digest_with(EVP_MD_CTX *context, const EVP_MD *digest, const unsigned char *message, size_t length,
                                          unsigned char *out) {
    unsigned int size = 0;
    return EVP_DigestInit_ex2(context, digest, NULL) == 1 && EVP_DigestUpdate(context, message, length) == 1
        && EVP_DigestFinal_ex(context, out, &size) == 1 ? size : 0;
}

// MARK: private keys from their numbers, and decryption

static inline int ar_push_number(OSSL_PARAM_BLD *builder, const char *name, BIGNUM *number) {
    return number != NULL && OSSL_PARAM_BLD_push_BN(builder, name, number) == 1;
}
// n, e, d and, where `count` is 8, p, q, dp, dq, qi, one after the other with their lengths.
static inline EVP_PKEY *ar_rsa_private(const unsigned char *bytes, const int *lengths, int count) {
    static const char *names[8] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
                                   OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                   OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    BIGNUM *numbers[8] = {NULL};
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    int ok = builder != NULL && (count == 3 || count == 8);
    for (int i = 0; ok && i < count; bytes += lengths[i], i++) {
        numbers[i] = BN_bin2bn(bytes, lengths[i], NULL);
        ok = ar_push_number(builder, names[i], numbers[i]);
    }
    EVP_PKEY *key = ok ? ar_key_from_parameters("RSA", EVP_PKEY_KEYPAIR, builder) : NULL;
    OSSL_PARAM_BLD_free(builder);
    for (int i = 0; i < 8; i++) BN_clear_free(numbers[i]);
    return key;
}
// The point in uncompressed form, and the private number.
static inline EVP_PKEY *ar_ec_private(const char *curve, const unsigned char *point, int length, const unsigned char *d, int dl) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *number = BN_bin2bn(d, dl, NULL);
    EVP_PKEY *key = NULL;
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, (size_t)length) == 1
        && ar_push_number(builder, OSSL_PKEY_PARAM_PRIV_KEY, number))
        key = ar_key_from_parameters("EC", EVP_PKEY_KEYPAIR, builder);
    OSSL_PARAM_BLD_free(builder);
    BN_clear_free(number);
    return key;
}
// OAEP with this digest, PKCS #1 version 1.5 where it is NULL. Returns the length, 0 on failure.
static inline size_t ar_rsa_decrypt(EVP_PKEY *key, const EVP_MD *oaep, const unsigned char *in, size_t length, unsigned char *out,
                                    size_t capacity) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int ok = context && EVP_PKEY_decrypt_init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, oaep ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING) == 1
        && (!oaep || (EVP_PKEY_CTX_set_rsa_oaep_md(context, oaep) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(context, oaep) == 1))
        && EVP_PKEY_decrypt(context, out, &capacity, in, length) == 1;
    EVP_PKEY_CTX_free(context);
    return ok ? capacity : 0;
}
// OAEP with this digest, PKCS #1 version 1.5 where it is NULL. Returns the length, 0 on failure.
static inline size_t ar_rsa_encrypt(EVP_PKEY *key, const EVP_MD *oaep, const unsigned char *in, size_t length, unsigned char *out,
                                    size_t capacity) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int ok = context && EVP_PKEY_encrypt_init(context) == 1
        && EVP_PKEY_CTX_set_rsa_padding(context, oaep ? RSA_PKCS1_OAEP_PADDING : RSA_PKCS1_PADDING) == 1
        && (!oaep || (EVP_PKEY_CTX_set_rsa_oaep_md(context, oaep) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(context, oaep) == 1))
        && EVP_PKEY_encrypt(context, out, &capacity, in, length) == 1;
    EVP_PKEY_CTX_free(context);
    return ok ? capacity : 0;
}

static inline size_t ar_ecdh(EVP_PKEY *key, EVP_PKEY *peer, unsigned char *out, size_t capacity) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int ok = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, peer) == 1
        && EVP_PKEY_derive(context, out, &capacity) == 1;
    EVP_PKEY_CTX_free(context);
    return ok ? capacity : 0;
}
// AES-GCM or ChaCha20-Poly1305 with a tag of 16 bytes, either way; returns 1 where all went well, the tag included.
static inline int ar_aead(int seals, const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *iv, int iv_length,
                          const unsigned char *aad, int aad_length, const unsigned char *in, int length, unsigned char *tag,
                          unsigned char *out) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char rest[16];
    int count = 0, last = 0;
    int ok = context && EVP_CipherInit_ex(context, cipher, NULL, NULL, NULL, seals) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_length, NULL) == 1
        && EVP_CipherInit_ex(context, NULL, NULL, key, iv, seals) == 1
        && (seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1)
        && EVP_CipherUpdate(context, NULL, &count, aad, aad_length) == 1
        && EVP_CipherUpdate(context, out, &count, in, length) == 1
        && EVP_CipherFinal_ex(context, rest, &last) == 1
        && (!seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1);
    EVP_CIPHER_CTX_free(context);
    return ok;
}
// AES-CBC with PKCS #7 padding, either way. Returns the length, -1 on failure. `out` holds `length` + 16 bytes.
static inline int ar_cbc(int seals, const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *iv, const unsigned char *in,
                         int length, unsigned char *out) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0, last = 0;
    int ok = context && EVP_CipherInit_ex(context, cipher, NULL, key, iv, seals) == 1
        && EVP_CipherUpdate(context, out, &count, in, length) == 1
        && EVP_CipherFinal_ex(context, out + count, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok ? count + last : -1;
}
// AES key wrap (RFC 3394). Returns the length of the key, 0 where it was wrapped with another one.
static inline int ar_key_unwrap(const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *in, int length,
                                unsigned char *out) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0, last = 0;
    if (context) EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    int ok = context && EVP_DecryptInit_ex(context, cipher, NULL, key, NULL) == 1
        && EVP_DecryptUpdate(context, out, &count, in, length) == 1
        && EVP_DecryptFinal_ex(context, out + count, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok ? count + last : 0;
}

// `out` has room for eight bytes more than `in`. Returns the length, 0 on failure.
static inline int ar_key_wrap(const EVP_CIPHER *cipher, const unsigned char *key, const unsigned char *in, int length,
                              unsigned char *out) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int count = 0, last = 0;
    if (context) EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    int ok = context && EVP_EncryptInit_ex(context, cipher, NULL, key, NULL) == 1
        && EVP_EncryptUpdate(context, out, &count, in, length) == 1
        && EVP_EncryptFinal_ex(context, out + count, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    return ok ? count + last : 0;
}

// MARK: key derivation

#include <openssl/kdf.h>

// HKDF (RFC 5869), extract and expand; returns 1 where `out` is filled.
static inline int ar_hkdf(const EVP_MD *digest, const unsigned char *key, size_t key_length, const unsigned char *salt,
                          size_t salt_length, const unsigned char *info, size_t info_length, unsigned char *out, size_t length) {
    EVP_KDF *function = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = function ? EVP_KDF_CTX_new(function) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)EVP_MD_get0_name(digest), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length),
        OSSL_PARAM_construct_end(),
    };
    int ok = context && EVP_KDF_derive(context, out, length, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(function);
    return ok;
}

// MARK: many messages under one key: TLS records

// A context that decrypts with this key; the algorithm is named as libcrypto names it. `iv_length` 0: the cipher's own; `tag_length` 0: no
// AEAD. NULL where libcrypto has no such cipher.
static inline EVP_CIPHER_CTX *ar_decryptor(const char *name, const unsigned char *key, int key_length, int iv_length, int tag_length,
                                           int is_ccm) {
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *context = cipher ? EVP_CIPHER_CTX_new() : NULL;
    int ok = context && EVP_CIPHER_get_key_length(cipher) == key_length
        && EVP_DecryptInit_ex2(context, cipher, NULL, NULL, NULL) == 1
        && (iv_length == 0 || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_length, NULL) == 1)
        && (!is_ccm || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_length, NULL) == 1)
        && EVP_DecryptInit_ex2(context, NULL, key, NULL, NULL) == 1 && (tag_length || EVP_CIPHER_CTX_set_padding(context, 0) == 1);
    EVP_CIPHER_free(cipher);
    if (!ok) {
        EVP_CIPHER_CTX_free(context);
        context = NULL;
    }
    return context;
}
// The next message of an AEAD: only the nonce is set, the key schedule stays. Returns 1 where the tag fits.
static inline int ar_decryptor_open(EVP_CIPHER_CTX *context, int is_ccm, const unsigned char *iv, const unsigned char *aad, int aad_length,
                                    const unsigned char *in, int length, const unsigned char *tag, int tag_length, unsigned char *out) {
    int count = 0;
    // CCM knows only with the tag and the nonce what it decrypts, and verifies while it does.
    return EVP_DecryptInit_ex2(context, NULL, NULL, iv, NULL) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_length, (void *)tag) == 1
        && (!is_ccm || EVP_DecryptUpdate(context, NULL, &count, NULL, length) == 1)
        && EVP_DecryptUpdate(context, NULL, &count, aad, aad_length) == 1 && EVP_DecryptUpdate(context, out, &count, in, length) == 1
        && (is_ccm || EVP_DecryptFinal_ex(context, out + count, &count) == 1);
}
// The next message of CBC, padding left as it is. Returns 1 where it is whole blocks.
static inline int ar_decryptor_blocks(EVP_CIPHER_CTX *context, const unsigned char *iv, const unsigned char *in, int length,
                                      unsigned char *out) {
    int count = 0;
    return EVP_DecryptInit_ex2(context, NULL, NULL, iv, NULL) == 1 && EVP_DecryptUpdate(context, out, &count, in, length) == 1
        && count == length;
}

static inline EVP_MAC_CTX *ar_hmac_context(const EVP_MD *digest, const unsigned char *key, size_t length) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)EVP_MD_get0_name(digest), 0),
        OSSL_PARAM_construct_end(),
    };
    if (context && EVP_MAC_init(context, key, length, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    return context;
}
// The code of two parts, the key's state kept; `out` holds EVP_MAX_MD_SIZE bytes. Returns the length, 0 on failure.
static inline size_t ar_hmac_of(EVP_MAC_CTX *context, const unsigned char *head, size_t head_length, const unsigned char *body,
                                size_t body_length, unsigned char *out) {
    size_t length = 0;
    return EVP_MAC_init(context, NULL, 0, NULL) == 1 && EVP_MAC_update(context, head, head_length) == 1
        && EVP_MAC_update(context, body, body_length) == 1 && EVP_MAC_final(context, out, &length, EVP_MAX_MD_SIZE) == 1 ? length : 0;
}

// The PRF of TLS 1.2 (RFC 5246, section 5) with a digest, of TLS 1.0 and 1.1 without one; `seed` is label and seed in one piece.
static inline int ar_tls_prf(const EVP_MD *digest, const unsigned char *secret, size_t secret_length, const unsigned char *seed,
                             size_t seed_length, unsigned char *out, size_t length) {
    EVP_KDF *function = EVP_KDF_fetch(NULL, "TLS1-PRF", NULL);
    EVP_KDF_CTX *context = function ? EVP_KDF_CTX_new(function) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest ? (char *)EVP_MD_get0_name(digest) : (char *)"MD5-SHA1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, (void *)secret, secret_length),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, (void *)seed, seed_length),
        OSSL_PARAM_construct_end(),
    };
    int ok = context && EVP_KDF_derive(context, out, length, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(function);
    return ok;
}

#endif
