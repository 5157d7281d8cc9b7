internal import COpenSSL

/// A private key, for those who answer: the built-in provider, tests, and what rewrites tokens.
///
/// `@unchecked Sendable`: never changed after `init`, and libcrypto counts references atomically.
package final class PrivateKey: @unchecked Sendable {
    /// What to generate.
    package enum Kind: Sendable, Hashable {
        /// With the public exponent that nearly all keys have, or another one.
        case rsa(bits: Int, exponent: UInt64 = 65537)
        case elliptic(EllipticCurve)
        case edwards(EdwardsCurve)
    }

    /// The `EVP_PKEY *`, borrowed: valid as long as this object.
    package let pointer: OpaquePointer
    /// The half that may be given to anybody.
    package let publicKey: PublicKey
    /// The public half as certificates take it, `EVP_PKEY *`, borrowed; the same for all of them.
    let keyForCertificates: OpaquePointer

    /// Takes over one reference of `pointer`.
    init(owning pointer: OpaquePointer) throws(OpenSSLError) {
        guard let kind = Self.kind(of: pointer) else {
            EVP_PKEY_free(pointer)
            throw OpenSSLError(what: "a key of a kind that is not used here", reason: "")
        }
        guard let half = ar_key_for_certificates(pointer) else {
            EVP_PKEY_free(pointer)
            throw .draining("the public half of a key")
        }
        self.pointer = pointer
        keyForCertificates = half
        EVP_PKEY_up_ref(pointer)
        publicKey = PublicKey(owning: pointer, kind: kind)
    }

    deinit {
        EVP_PKEY_free(keyForCertificates)
        EVP_PKEY_free(pointer)
    }

    /// Makes a new key of a kind.
    ///
    /// - Throws: what libcrypto says where it makes none.
    package static func generate(_ kind: Kind) throws(OpenSSLError) -> PrivateKey {
        let key =
            switch kind {
            case .rsa(let bits, let exponent): ar_rsa_generate(Int32(clamping: bits), exponent)
            case .elliptic(let curve): ar_ec_generate(curve.rawValue)
            case .edwards(let curve): ar_edwards_generate(curve.rawValue)
            }
        guard let key else { throw .draining("no key could be generated") }
        return try PrivateKey(owning: key)
    }

    /// Reads PEM: PKCS #8, or the older forms of RSA and EC keys.
    ///
    /// - Throws: what libcrypto says of text that is no such key; encrypted keys are refused.
    package convenience init(pem: String) throws(OpenSSLError) {
        guard let memory = BIO_new(BIO_s_mem()) else { throw .draining("out of memory") }
        defer { BIO_free(memory) }
        _ = Array(pem.utf8).withUnsafeBytes { BIO_write(memory, $0.baseAddress, Int32(clamping: $0.count)) }
        // A callback that gives no passphrase: without one libcrypto would ask at the terminal.
        guard let key = PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil) else {
            throw .draining("not a private key in PEM")
        }
        try self.init(owning: key)
    }

    /// An RSA key of its numbers, big endian: modulus, public and private exponent, and the five of the Chinese
    /// remainder theorem (p, q, dp, dq, qi) where they are known.
    package convenience init(rsaNumbers numbers: [[UInt8]]) throws(OpenSSLError) {
        guard numbers.count == 3 || numbers.count == 8, numbers.allSatisfy({ $0.count <= 2048 }),
            let key = ar_rsa_private(
                numbers.flatMap { $0 },
                numbers.map { Int32($0.count) },
                Int32(numbers.count)
            )
        else { throw .draining("not a private RSA key") }
        try self.init(owning: key)
    }

    /// A key of a point's coordinates and its private number, big endian.
    package convenience init(curve: EllipticCurve, x: [UInt8], y: [UInt8], d: [UInt8]) throws(OpenSSLError) {
        let point = try PublicKey.point(on: curve, x, y)
        guard d.count <= curve.coordinateSize,
            let key = ar_ec_private(curve.rawValue, point, Int32(point.count), d, Int32(d.count))
        else { throw .draining("not a private key of \(curve.rawValue)") }
        try self.init(owning: key)
    }

    /// PKCS #8 in PEM, not encrypted.
    package var pem: String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PKCS8PrivateKey(memory, pointer, nil, nil, 0, nil, nil) == 1 else { return "" }
        var text: UnsafeMutablePointer<CChar>?
        let count = ar_bio_memory(memory, &text)
        guard let text else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    /// What only its owner knows, as a JWK has it (RFC 7518, sections 6.2.2 and 6.3.2; RFC 8037, section 2), big endian,
    /// by name.
    package var privateParts: [(name: String, bytes: [UInt8])] {
        switch publicKey.kind {
        case .rsa:
            return ["d", "p", "q", "dp", "dq", "qi"].enumerated().map { index, name in
                (name, KeyNumber.bytes(of: pointer) { ar_rsa_number($0, Int32(index + 2), $1, $2) })
            }
        case .elliptic(let curve):
            let d = KeyNumber.bytes(of: pointer, ar_ec_d)
            return [("d", KeyNumber.padded(d, to: curve.coordinateSize))]
        case .edwards(let curve):
            var count = curve.keySize
            let d = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                if EVP_PKEY_get_raw_private_key(pointer, buffer.baseAddress, &count) == 1 { filled = count }
            }
            return [("d", d)]
        }
    }

    /// Signs; ECDSA signatures come as r and s side by side (RFC 7518, section 3.4).
    ///
    /// - Throws: what libcrypto says where the key is of another kind than the scheme, or too short for it.
    package func sign(_ message: [UInt8], _ scheme: SignatureScheme) throws(OpenSSLError) -> [UInt8] {
        guard scheme.fits(publicKey.kind) else {
            throw OpenSSLError(what: "the key does not fit the algorithm", reason: "")
        }
        let capacity = 2048
        let signature = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = ar_sign(
                pointer,
                scheme.digest?.pointer,
                scheme.isPSS ? 1 : 0,
                message,
                message.count,
                buffer.baseAddress,
                capacity
            )
        }
        guard !signature.isEmpty else { throw .draining("signing failed") }
        guard case .elliptic(let curve) = publicKey.kind else { return signature }
        let size = curve.coordinateSize
        return [UInt8](unsafeUninitializedCapacity: 2 * size) { buffer, count in
            if ar_ecdsa_from_der(signature, signature.count, buffer.baseAddress, Int32(size)) == 1 {
                count = 2 * size
            }
        }
    }

    // MARK: - Decrypting

    /// What was encrypted with RSA for this key: OAEP with a digest, PKCS #1 version 1.5 without one.
    ///
    /// Nil where it was encrypted for another key. Not for answering whoever sent it: the time it takes tells about the
    /// padding.
    package func decrypt(_ ciphertext: [UInt8], oaep digest: DigestAlgorithm?) -> [UInt8]? {
        guard case .rsa = publicKey.kind, ciphertext.count <= 2048 else { return nil }
        defer { ERR_clear_error() }
        let plain = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
            count = ar_rsa_decrypt(
                pointer,
                digest?.pointer,
                ciphertext,
                ciphertext.count,
                buffer.baseAddress,
                buffer.count
            )
        }
        return plain.isEmpty ? nil : plain
    }

    /// The secret that this key shares with another one of its curve (ECDH); nil for others.
    package func sharedSecret(with peer: PublicKey) -> [UInt8]? {
        guard case .elliptic = publicKey.kind, publicKey.kind == peer.kind else { return nil }
        defer { ERR_clear_error() }
        let secret = [UInt8](unsafeUninitializedCapacity: 80) { buffer, count in
            count = ar_ecdh(pointer, peer.pointer, buffer.baseAddress, buffer.count)
        }
        return secret.isEmpty ? nil : secret
    }

    private static func kind(of key: OpaquePointer) -> PublicKey.Kind? {
        switch ar_key_id(key) {
        case EVP_PKEY_RSA: return .rsa(bits: Int(ar_key_bits(key)))
        case EVP_PKEY_ED25519: return .edwards(.ed25519)
        case EVP_PKEY_ED448: return .edwards(.ed448)
        case EVP_PKEY_EC:
            if ar_is_of_group(key, EllipticCurve.secp256k1.rawValue) == 1 { return .elliptic(.secp256k1) }
            let curves: [Int32: EllipticCurve] = [256: .p256, 384: .p384, 521: .p521]
            return curves[ar_key_bits(key)].map { .elliptic($0) }
        default: return nil
        }
    }
}
