internal import COpenSSL

/// An X.509 certificate.
///
/// Immutable once it is made, so it may be used from any thread (libcrypto counts its references atomically);
/// what it caches on first use it caches under a lock of its own.
package final class Certificate: @unchecked Sendable {
    /// The `X509 *`, borrowed: valid as long as this object.
    package let pointer: OpaquePointer

    /// Takes over one reference of `pointer`.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Reads one certificate.
    ///
    /// - Parameter der: exactly one certificate; bytes behind it are refused.
    /// - Throws: ``OpenSSLError`` when it is not one.
    package convenience init(der: [UInt8]) throws(OpenSSLError) {
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            guard let base = bytes.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = base
            guard let certificate = d2i_X509(nil, &cursor, bytes.count) else { return nil }
            guard cursor == base + bytes.count else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        guard let parsed else { throw OpenSSLError.draining("not a certificate") }
        self.init(owning: parsed)
    }

    /// The certificates of a PEM file, in order; other blocks (keys) and text between them are skipped.
    ///
    /// - Throws: ``OpenSSLError`` when a block that says it is a certificate is not one. No block at all is no error.
    package static func all(pem: [UInt8]) throws(OpenSSLError) -> [Certificate] {
        guard let memory = BIO_new(BIO_s_mem()) else { throw OpenSSLError.draining("out of memory") }
        defer { BIO_free(memory) }
        _ = pem.withUnsafeBytes { BIO_write(memory, $0.baseAddress, Int32(clamping: $0.count)) }
        var found: [Certificate] = []
        while let next = PEM_read_bio_X509(memory, nil, nil, nil) { found.append(Certificate(owning: next)) }
        // The loop always ends with an error; only "no start line" means that the file is simply over.
        let last = ERR_peek_last_error()
        let reason = ar_err_reason(last)
        guard reason == 0 || reason == PEM_R_NO_START_LINE else {
            throw OpenSSLError.draining("certificate \(found.count + 1) of the file cannot be read")
        }
        ERR_clear_error()
        return found
    }

    /// The certificate in DER.
    package var der: [UInt8] {
        var buffer: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(pointer, &buffer)
        guard length > 0, let buffer else { return [] }
        defer { ar_openssl_free(buffer) }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
    }

    /// The certificate in PEM.
    package var pem: String { Self.text { PEM_write_bio_X509($0, pointer) } }

    /// The subject in one line (RFC 2253), like `CN=login.example`.
    package var subject: String { Self.text { ar_x509_name_line(X509_get_subject_name(pointer), $0) } }

    /// The issuer in one line (RFC 2253).
    package var issuer: String { Self.text { ar_x509_name_line(X509_get_issuer_name(pointer), $0) } }

    /// Seconds since the epoch after which the certificate is no longer valid.
    package var notAfter: Int64 { ar_x509_not_after(pointer) }

    /// Whether this is the certificate of `key`.
    package func belongs(to key: PrivateKey) -> Bool {
        let matches = X509_check_private_key(pointer, key.pointer) == 1
        ERR_clear_error()
        return matches
    }

    /// The same certificate with another key in it, which signs it.
    ///
    /// - Parameter key: the private half of it.
    /// - Returns: a certificate with the names, validity, number and extensions of this one.
    /// - Throws: ``OpenSSLError`` with libcrypto's words.
    package func rekeyed(_ key: PrivateKey) throws(OpenSSLError) -> Certificate {
        guard let copy = ar_x509_rekeyed(pointer, key.pointer) else {
            throw OpenSSLError.draining("cannot put another key into a certificate")
        }
        return Certificate(owning: copy)
    }

    /// Whether its key is this one.
    package func holds(_ key: PublicKey) -> Bool {
        defer { ERR_clear_error() }
        guard let own = X509_get0_pubkey(pointer) else { return false }
        return EVP_PKEY_eq(own, key.pointer) == 1
    }

    private static func text(_ write: (OpaquePointer) -> Int32) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        _ = write(memory)
        var bytes: UnsafeMutablePointer<CChar>?
        let length = ar_bio_memory(memory, &bytes)
        guard length > 0, let bytes else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}
