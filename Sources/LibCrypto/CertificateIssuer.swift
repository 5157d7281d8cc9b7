internal import COpenSSL

/// Issues certificates: the authority itself and the leaves it signs (RFC 5280).
///
/// Reads no clock: validity is given in seconds since the epoch.
package struct CertificateIssuer: Sendable {
    /// Whom a leaf is for.
    package enum Name: Sendable, Hashable {
        /// A DNS name in ASCII.
        case host(String)
        /// An address: 4 bytes (IPv4) or 16 (IPv6), in network order.
        case address([UInt8])
    }

    /// From when to when a certificate counts, both included.
    package struct Validity: Sendable, Hashable {
        /// In seconds since the epoch, as the other.
        var notBefore: Int64
        var notAfter: Int64

        package init(notBefore: Int64, notAfter: Int64) {
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// The authority's own.
    package let certificate: Certificate
    private let key: PrivateKey

    /// - Throws: when the two do not belong together.
    package init(certificate: Certificate, key: PrivateKey) throws(OpenSSLError) {
        guard certificate.belongs(to: key) else {
            throw OpenSSLError(
                what: "the authority's certificate and its key do not belong together",
                reason: ""
            )
        }
        self.certificate = certificate
        self.key = key
    }

    /// Makes a certificate that signs itself and may sign leaves.
    ///
    /// - Parameters:
    ///   - commonName: what trust stores list it as; at most 64 characters (RFC 5280, appendix A.1).
    ///   - key: its key.
    ///   - validity: from when to when it counts.
    ///   - constraints: the servers that it may sign for; nil for all. With it, it may sign one further authority in
    ///     a chain, without it none.
    /// - Returns: its certificate.
    /// - Throws: ``OpenSSLError`` with libcrypto's words.
    package static func authority(
        commonName: String,
        key: PrivateKey,
        validity: Validity,
        constraints: NameConstraints? = nil
    ) throws(OpenSSLError) -> Certificate {
        let certificate = try begin(key: key, validity: validity)
        let pointer = certificate.pointer
        guard setCommonName(commonName, of: X509_get_subject_name(pointer)),
            X509_set_issuer_name(pointer, X509_get_subject_name(pointer)) == 1,
            addAuthorityUsage(pointer, pathLength: constraints == nil ? 0 : 1),
            constraints.map({ addConstraints($0, to: pointer) }) ?? true,
            ar_x509_add_key_identifiers(pointer, pointer) == 1,
            X509_sign(pointer, key.pointer, EVP_sha256()) > 0
        else { throw OpenSSLError.draining("cannot make the authority's certificate") }
        return certificate
    }

    /// Makes the certificate of an authority below this one, which may sign leaves, but no further authorities.
    ///
    /// - Parameters:
    ///   - commonName: its name, another than the issuer's.
    ///   - authorityKey: its key.
    ///   - validity: from when to when it counts.
    ///   - constraints: the servers that it may sign for.
    /// - Returns: its certificate.
    /// - Throws: ``OpenSSLError`` with libcrypto's words.
    package func subordinate(
        commonName: String,
        key authorityKey: PrivateKey,
        validity: Validity,
        constraints: NameConstraints
    ) throws(OpenSSLError) -> Certificate {
        let made = try Self.begin(key: authorityKey, validity: validity)
        let pointer = made.pointer
        guard Self.setCommonName(commonName, of: X509_get_subject_name(pointer)),
            X509_set_issuer_name(pointer, X509_get_subject_name(certificate.pointer)) == 1,
            Self.addAuthorityUsage(pointer, pathLength: 0), Self.addConstraints(constraints, to: pointer),
            ar_x509_add_key_identifiers(pointer, certificate.pointer) == 1,
            X509_sign(pointer, key.pointer, EVP_sha256()) > 0
        else { throw OpenSSLError.draining("cannot make the certificate of an authority below another") }
        return made
    }

    /// Makes the certificate of a server.
    ///
    /// - Parameters:
    ///   - name: what its `subjectAltName` holds; its common name too, where it fits.
    ///   - substituteName: the common name of others; a host that the authority may sign for.
    ///   - leafKey: the server's key.
    ///   - validity: the caller keeps to what clients accept (at most 398 days, RFC 9525 leaves it to them).
    /// - Returns: its certificate.
    /// - Throws: ``OpenSSLError`` with libcrypto's words.
    package func leaf(
        for name: Name,
        substituteName: String = "authreel",
        key leafKey: PrivateKey,
        validity: Validity
    ) throws(OpenSSLError) -> Certificate {
        let leaf = try Self.begin(key: leafKey, validity: validity)
        let pointer = leaf.pointer
        let bytes: [UInt8]
        let isAddress: Int32
        // GnuTLS holds it against constraints on names where there is no other name in the certificate.
        var commonName = substituteName
        switch name {
        case .host(let host):
            bytes = Array(host.utf8)
            isAddress = 0
            if bytes.count <= 64 { commonName = host }
        case .address(let address):
            bytes = address
            isAddress = 1
        }
        // digitalSignature is all that ECDHE needs; clients that have RSA only may have its key exchange only, keyEncipherment.
        var usage = [Int32(0)]
        if case .rsa = leafKey.publicKey.kind { usage.append(2) }
        guard Self.setCommonName(commonName, of: X509_get_subject_name(pointer)),
            X509_set_issuer_name(pointer, X509_get_subject_name(certificate.pointer)) == 1,
            ar_x509_add_basic_constraints(pointer, -1) == 1,
            ar_x509_add_key_usage(pointer, usage, Int32(usage.count)) == 1,
            ar_x509_add_server_auth(pointer) == 1,
            ar_x509_add_alternative_name(pointer, bytes, Int32(clamping: bytes.count), isAddress) == 1,
            ar_x509_add_key_identifiers(pointer, certificate.pointer) == 1,
            X509_sign(pointer, key.pointer, EVP_sha256()) > 0
        else { throw OpenSSLError.draining("cannot make a certificate for \(commonName)") }
        return leaf
    }

    private static func begin(key: PrivateKey, validity: Validity) throws(OpenSSLError) -> Certificate {
        var serial = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&serial, 16) == 1 else { throw OpenSSLError.draining("no random numbers") }
        // Positive and never shorter than its length says: the top bits are fixed.
        serial[0] = serial[0] & 0x3f | 0x40
        guard
            let pointer = ar_x509_begin(
                key.keyForCertificates,
                serial,
                16,
                validity.notBefore,
                validity.notAfter
            )
        else {
            throw OpenSSLError.draining("cannot begin a certificate")
        }
        return Certificate(owning: pointer)
    }

    private static func addAuthorityUsage(_ pointer: OpaquePointer, pathLength: Int32) -> Bool {
        let usage = [Int32(5), Int32(6)]  // keyCertSign, cRLSign
        return ar_x509_add_basic_constraints(pointer, pathLength) == 1
            && ar_x509_add_key_usage(pointer, usage, Int32(usage.count)) == 1
    }

    private static func addConstraints(_ constraints: NameConstraints, to pointer: OpaquePointer) -> Bool {
        guard let list = NAME_CONSTRAINTS_new() else { return false }
        defer { NAME_CONSTRAINTS_free(list) }
        for subtree in constraints.subtrees {
            let kind =
                switch subtree.kind {
                case .host: GEN_DNS
                case .network: GEN_IPADD
                case .mailbox: GEN_EMAIL
                case .uri: GEN_URI
                }
            let count = Int32(clamping: subtree.base.count)
            guard ar_name_constraints_add(list, subtree.isExcluded ? 1 : 0, kind, subtree.base, count) == 1
            else { return false }
        }
        // Servers are all that it may sign for: most verifiers pass an authority's purposes on to what it signs.
        return ar_x509_add_server_auth(pointer) == 1 && ar_x509_add_name_constraints(pointer, list) == 1
    }

    private static func setCommonName(_ text: String, of name: OpaquePointer?) -> Bool {
        let bytes = Array(text.utf8)
        return X509_NAME_add_entry_by_txt(name, "CN", ar_mbstring_utf8(), bytes, Int32(bytes.count), -1, 0)
            == 1
    }
}
