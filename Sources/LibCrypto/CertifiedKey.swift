internal import COpenSSL

/// A private key with its certificate, and what stands between that and the root: who one is in TLS.
package struct CertifiedKey: Sendable, Hashable {
    /// The certificate of the key first, then the others in the order of the file.
    package let chain: [Certificate]
    /// The key of the first certificate.
    package let key: PrivateKey
    /// The SHA-256 of the certificate, which access tokens are bound to (RFC 8705, section 3.1).
    package let thumbprint: [UInt8]

    /// Joins what belongs together.
    ///
    /// - Parameters:
    ///   - key: the private key.
    ///   - certificates: the key's own and others, in any order.
    /// - Throws: ``CertifiedKeyError`` when none of them is the key's.
    package init(key: PrivateKey, certificates: [Certificate]) throws(CertifiedKeyError) {
        guard let first = certificates.first else { throw .noCertificate }
        guard let own = certificates.firstIndex(where: { $0.belongs(to: key) }) else {
            throw .keyDoesNotFit(subject: first.subject)
        }
        var chain = certificates
        chain.swapAt(0, own)
        if own > 0 {
            // What stood first keeps its place before the others.
            let displaced = chain.remove(at: own)
            chain.insert(displaced, at: 1)
        }
        self.chain = chain
        self.key = key
        thumbprint = Digest.of(chain[0].der)
    }

    /// Reads a file that holds all of it.
    ///
    /// - Parameters:
    ///   - file: certificate, chain and private key in PEM, in any order, or PKCS #12.
    ///   - passphrase: nil where there is none.
    /// - Throws: ``CertifiedKeyError``.
    package init(file: [UInt8], passphrase: String?) throws(CertifiedKeyError) {
        let text = String(decoding: file, as: UTF8.self)
        if text.contains("-----BEGIN ") {
            try self.init(pem: text, passphrase: passphrase)
        } else {
            try self.init(pkcs12: file, passphrase: passphrase)
        }
    }

    /// The certificate of the key.
    package var certificate: Certificate { chain[0] }

    package static func == (one: CertifiedKey, other: CertifiedKey) -> Bool {
        one.thumbprint == other.thumbprint && one.chain.count == other.chain.count
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }

    private init(pem text: String, passphrase: String?) throws(CertifiedKeyError) {
        let certificates: [Certificate]
        do throws(OpenSSLError) {
            certificates = try Certificate.all(pem: Array(text.utf8))
        } catch {
            throw .unreadable(reason: error.description)
        }
        guard let label = text.range(of: "PRIVATE KEY-----", in: text.startIndex) else { throw .noPrivateKey }
        let start = text.lastRange(of: "-----BEGIN ", before: label) ?? text.startIndex
        let key = try PrivateKey.decrypting(pem: String(text[start...]), passphrase: passphrase)
        try self.init(key: key, certificates: certificates)
    }

    private init(pkcs12 file: [UInt8], passphrase: String?) throws(CertifiedKeyError) {
        var certificate: OpaquePointer?
        var key: OpaquePointer?
        var others: OpaquePointer?
        defer {
            ERR_clear_error()
            ar_x509_stack_free(others)
        }
        switch ar_pkcs12_open(file, file.count, passphrase, &certificate, &key, &others) {
        case 0: break
        case 1: throw .notACertificate
        case 2: throw passphrase == nil ? .passphraseNeeded : .wrongPassphrase
        default: throw .unreadable(reason: OpenSSLError.draining("PKCS #12").description)
        }
        var certificates = certificate.map { [Certificate(owning: $0)] } ?? []
        for index in 0..<ar_x509_stack_count(others) {
            guard let other = ar_x509_stack_at(others, index), X509_up_ref(other) == 1 else { continue }
            certificates.append(Certificate(owning: other))
        }
        guard let key else { throw .noPrivateKey }
        try self.init(key: try PrivateKey.taking(key), certificates: certificates)
    }
}

/// Why a file is no ``CertifiedKey``.
package enum CertifiedKeyError: Error, Equatable, CustomStringConvertible {
    /// Neither PEM nor PKCS #12.
    case notACertificate
    case noCertificate
    case noPrivateKey
    /// No certificate of the file is the key's; the subject of the first.
    case keyDoesNotFit(subject: String)
    /// The key is encrypted, and no passphrase was given.
    case passphraseNeeded
    case wrongPassphrase
    /// A kind of key, or of encryption, that is not known here, or a damaged file.
    case unreadable(reason: String)

    package var description: String {
        switch self {
        case .notACertificate: "neither PEM nor PKCS #12"
        case .noCertificate: "holds no certificate"
        case .noPrivateKey: "holds no private key"
        case .keyDoesNotFit(let subject): "the private key is not that of the certificate (\(subject))"
        case .passphraseNeeded: "the private key is encrypted"
        case .wrongPassphrase: "the passphrase is not the right one"
        case .unreadable(let reason): reason
        }
    }
}

extension String {
    fileprivate func range(of part: String, in start: Index) -> Index? {
        utf8[start...].firstRange(of: part.utf8)?.lowerBound
    }

    fileprivate func lastRange(of part: String, before end: Index) -> Index? {
        var found: Index?
        var start = startIndex
        while let next = utf8[start..<end].firstRange(of: part.utf8) {
            found = next.lowerBound
            start = next.upperBound
        }
        return found
    }
}
