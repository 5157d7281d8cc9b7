internal import COpenSSL

/// An X.509 certificate.
///
/// Immutable once it is made, so it may be used from any thread (libcrypto counts its references atomically); what it
/// caches on first use it caches under a lock of its own.
package final class Certificate: @unchecked Sendable {
    /// The `X509 *`, borrowed: valid as long as this object.
    package let pointer: OpaquePointer

    /// Takes over one reference of `pointer`.
    package init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Reads one certificate.
    ///
    /// - Parameter der: exactly one certificate; bytes behind it are refused.
    /// - Throws: ``CertificateError`` when it is not one.
    package convenience init(der: [UInt8]) throws(CertificateError) {
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
        guard let parsed else { throw CertificateError.draining("not a certificate") }
        self.init(owning: parsed)
    }

    /// The certificates of a PEM file, in order; other blocks (keys) and text between them are skipped.
    ///
    /// - Throws: ``CertificateError`` when a block that says it is a certificate is not one. No block at all is no error.
    package static func all(pem: [UInt8]) throws(CertificateError) -> [Certificate] {
        guard let memory = BIO_new(BIO_s_mem()) else { throw CertificateError.draining("out of memory") }
        defer { BIO_free(memory) }
        _ = pem.withUnsafeBytes { BIO_write(memory, $0.baseAddress, Int32(clamping: $0.count)) }
        var found: [Certificate] = []
        while let next = PEM_read_bio_X509(memory, nil, nil, nil) { found.append(Certificate(owning: next)) }
        // The loop always ends with an error; only "no start line" means that the file is simply over.
        let last = ERR_peek_last_error()
        let reason = ar_err_reason(last)
        guard reason == 0 || reason == PEM_R_NO_START_LINE else {
            throw CertificateError.draining("certificate \(found.count + 1) of the file cannot be read")
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
    package func belongs(to key: CertificateKey) -> Bool {
        let matches = X509_check_private_key(pointer, key.pointer) == 1
        ERR_clear_error()
        return matches
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

/// The private key of a certificate.
///
/// Immutable; usable from any thread, as ``Certificate``.
package final class CertificateKey: @unchecked Sendable {
    /// The `EVP_PKEY *`, borrowed: valid as long as this object.
    package let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// A new key on P-256.
    package static func generate() throws(CertificateError) -> CertificateKey {
        guard let key = ar_p256_generate() else { throw CertificateError.draining("cannot make a P-256 key") }
        return CertificateKey(owning: key)
    }

    /// Reads the first private key of a PEM file, which must not ask for a pass phrase.
    package init(pem: [UInt8]) throws(CertificateError) {
        guard let memory = BIO_new(BIO_s_mem()) else { throw CertificateError.draining("out of memory") }
        defer { BIO_free(memory) }
        _ = pem.withUnsafeBytes { BIO_write(memory, $0.baseAddress, Int32(clamping: $0.count)) }
        // Without a callback libcrypto would ask on the terminal.
        let refuse:
            @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
                _,
                _,
                _,
                _ in -1
            }
        guard let key = PEM_read_bio_PrivateKey(memory, nil, refuse, nil) else {
            throw CertificateError.draining("not a private key in PEM")
        }
        pointer = key
    }

    /// The key in PEM (PKCS#8), unencrypted.
    package var pem: [UInt8] {
        guard let memory = BIO_new(BIO_s_secmem()) else { return [] }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PrivateKey(memory, pointer, nil, nil, 0, nil, nil) == 1 else { return [] }
        var bytes: UnsafeMutablePointer<CChar>?
        let length = ar_bio_memory(memory, &bytes)
        guard length > 0, let bytes else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}

/// Why a certificate or its key could not be made or read.
package struct CertificateError: Error, Equatable, CustomStringConvertible {
    /// What was tried, in a few words.
    package let what: String
    /// What libcrypto said; empty where it said nothing.
    package let reason: String

    package init(what: String, reason: String = "") {
        self.what = what
        self.reason = reason
    }

    package var description: String { reason.isEmpty ? what : "\(what): \(reason)" }

    /// Takes the oldest error of this thread's queue, which is the cause, and empties the queue.
    static func draining(_ what: String) -> CertificateError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let text = ERR_reason_error_string(code) else { return CertificateError(what: what) }
        return CertificateError(what: what, reason: String(cString: text))
    }
}
