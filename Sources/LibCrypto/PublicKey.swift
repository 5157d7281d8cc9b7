internal import COpenSSL

/// Curves of RFC 7518, section 6.2.1.1, and RFC 8812, section 3.1, by their JOSE names.
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case secp256k1

    /// Bytes of a coordinate.
    var coordinateSize: Int {
        switch self {
        case .p256, .secp256k1: 32
        case .p384: 48
        case .p521: 66
        }
    }
}

/// Curves of EdDSA (RFC 8037, section 3.1), by their JOSE names.
package enum EdwardsCurve: String, Sendable, Hashable, CaseIterable {
    case ed25519 = "Ed25519"
    case ed448 = "Ed448"

    /// Bytes of a key.
    var keySize: Int {
        switch self {
        case .ed25519: 32
        case .ed448: 57
        }
    }

    var identifier: Int32 {
        switch self {
        case .ed25519: EVP_PKEY_ED25519
        case .ed448: EVP_PKEY_ED448
        }
    }
}

/// A public key.
///
/// `@unchecked Sendable`: never changed after `init`, and libcrypto counts references atomically.
package final class PublicKey: @unchecked Sendable {
    /// What kind of key it is.
    package enum Kind: Sendable, Hashable {
        case rsa(bits: Int)
        case elliptic(EllipticCurve)
        case edwards(EdwardsCurve)
    }

    let pointer: OpaquePointer
    /// Its kind, with its size or its curve.
    package let kind: Kind

    init(owning pointer: OpaquePointer, kind: Kind) {
        self.pointer = pointer
        self.kind = kind
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The key with its kind, in DER (`SubjectPublicKeyInfo`, RFC 5280, section 4.1.2.7).
    package var subjectPublicKeyInfo: [UInt8] {
        var buffer: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(pointer, &buffer)
        guard length > 0, let buffer else { return [] }
        defer { ar_openssl_free(buffer) }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
    }

    /// A key of modulus and exponent, big endian.
    ///
    /// - Throws: what libcrypto says of numbers that are no key.
    package convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(OpenSSLError) {
        guard modulus.count <= 2048, exponent.count <= 512,
            let key = ar_rsa_public(modulus, Int32(modulus.count), exponent, Int32(exponent.count))
        else { throw .draining("not an RSA key") }
        self.init(owning: key, kind: .rsa(bits: Int(ar_key_bits(key))))
    }

    /// A key of a point's coordinates, big endian.
    ///
    /// - Throws: when the point is not on the curve.
    package convenience init(curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(OpenSSLError) {
        let point = try Self.point(on: curve, x, y)
        guard let key = ar_ec_public(curve.rawValue, point, Int32(point.count)) else {
            throw .draining("not a point of \(curve.rawValue)")
        }
        self.init(owning: key, kind: .elliptic(curve))
    }

    /// A point in uncompressed form.
    static func point(on curve: EllipticCurve, _ x: [UInt8], _ y: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let size = curve.coordinateSize
        guard x.count <= size, y.count <= size else {
            throw OpenSSLError(what: "a coordinate is too long", reason: "")
        }
        return [4] + KeyNumber.padded(x, to: size) + KeyNumber.padded(y, to: size)
    }

    /// A key on an Edwards curve, of its bytes (RFC 8032, sections 5.1.5 and 5.2.5).
    ///
    /// - Throws: when they are not as many as the curve's keys have.
    package convenience init(curve: EdwardsCurve, bytes: [UInt8]) throws(OpenSSLError) {
        guard let key = EVP_PKEY_new_raw_public_key(curve.identifier, nil, bytes, bytes.count) else {
            throw .draining("not an \(curve.rawValue) key")
        }
        self.init(owning: key, kind: .edwards(curve))
    }

    // MARK: - Its parts, as a JWK carries them

    /// Modulus and exponent of an RSA key, without leading zeros.
    package var rsaParts: (modulus: [UInt8], exponent: [UInt8])? {
        guard case .rsa = kind else { return nil }
        return (KeyNumber.bytes(of: pointer, ar_rsa_modulus), KeyNumber.bytes(of: pointer, ar_rsa_exponent))
    }

    /// Coordinates of a point, padded to the curve's size.
    package var ellipticParts: (x: [UInt8], y: [UInt8])? {
        guard case .elliptic(let curve) = kind else { return nil }
        return (
            KeyNumber.padded(KeyNumber.bytes(of: pointer, ar_ec_x), to: curve.coordinateSize),
            KeyNumber.padded(KeyNumber.bytes(of: pointer, ar_ec_y), to: curve.coordinateSize)
        )
    }

    /// The bytes of a key on an Edwards curve.
    package var edwardsBytes: [UInt8]? {
        guard case .edwards(let curve) = kind else { return nil }
        var count = curve.keySize
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if EVP_PKEY_get_raw_public_key(pointer, buffer.baseAddress, &count) == 1 { filled = count }
        }
    }

    // MARK: - Encrypting

    /// Encrypts for the holder of the private key: OAEP with a digest, PKCS #1 version 1.5 without one.
    ///
    /// Nil for other keys than RSA, and for what is too long.
    package func encrypt(_ plain: [UInt8], oaep digest: DigestAlgorithm?) -> [UInt8]? {
        guard case .rsa = kind, plain.count <= 1024 else { return nil }
        defer { ERR_clear_error() }
        let sealed = [UInt8](unsafeUninitializedCapacity: 2048) { buffer, count in
            count = ar_rsa_encrypt(
                pointer,
                digest?.pointer,
                plain,
                plain.count,
                buffer.baseAddress,
                buffer.count
            )
        }
        return sealed.isEmpty ? nil : sealed
    }

    // MARK: - Verifying

    /// Whether this is the message's signature under this key.
    ///
    /// ECDSA signatures are r and s side by side (RFC 7518, section 3.4), both as long as the curve's
    /// coordinates.
    package func verifies(_ signature: [UInt8], of message: [UInt8], _ scheme: SignatureScheme) -> Bool {
        var signature = signature
        if case .ecdsa = scheme {
            guard case .elliptic(let curve) = kind, signature.count == 2 * curve.coordinateSize else {
                return false
            }
            signature = [UInt8](unsafeUninitializedCapacity: 160) { buffer, count in
                count = Int(ar_ecdsa_to_der(signature, Int32(curve.coordinateSize), buffer.baseAddress, 160))
            }
        }
        return verifiesAsIs(signature, of: message, scheme)
    }

    /// Like ``verifies(_:of:_:)``, with an ECDSA signature in DER, as libraries wrongly put it into tokens.
    package func verifiesAsIs(_ signature: [UInt8], of message: [UInt8], _ scheme: SignatureScheme) -> Bool {
        guard scheme.fits(kind) else { return false }
        defer { ERR_clear_error() }
        return ar_verify(
            pointer,
            scheme.digest?.pointer,
            scheme.isPSS ? 1 : 0,
            signature,
            signature.count,
            message,
            message.count
        ) == 1
    }
}

/// How a signature is made.
package enum SignatureScheme: Sendable, Hashable {
    case rsaPKCS1(DigestAlgorithm)
    case rsaPSS(DigestAlgorithm)
    case ecdsa(DigestAlgorithm)
    case edDSA

    var digest: DigestAlgorithm? {
        switch self {
        case .rsaPKCS1(let digest), .rsaPSS(let digest), .ecdsa(let digest): digest
        case .edDSA: nil
        }
    }

    var isPSS: Bool { if case .rsaPSS = self { true } else { false } }

    func fits(_ kind: PublicKey.Kind) -> Bool {
        switch (self, kind) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ecdsa, .elliptic), (.edDSA, .edwards): true
        default: false
        }
    }
}
