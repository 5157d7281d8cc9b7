internal import COpenSSL

/// Verifies many signatures of one key: what libcrypto sets up per signature is set up once here.
///
/// Not for several threads: the contexts change with each call.
package final class SignatureVerifier {
    private let key: PublicKey
    private let scheme: SignatureScheme
    private let digest: OpaquePointer?
    private let digestContext: OpaquePointer?
    /// RSA and ECDSA, on digests.
    private let keyContext: OpaquePointer?
    private var digestBytes = [UInt8](repeating: 0, count: 64)

    /// Nil where the scheme does not fit the key.
    package init?(key: PublicKey, scheme: SignatureScheme) {
        guard scheme.fits(key.kind) else { return nil }
        self.key = key
        self.scheme = scheme
        digestContext = EVP_MD_CTX_new()
        // Fetched once: the named digests of libcrypto look themselves up at each use.
        digest = scheme.digest.flatMap { EVP_MD_fetch(nil, EVP_MD_get0_name($0.pointer), nil) }
        if let digest {
            keyContext = ar_verify_context(key.pointer, digest, scheme.isPSS ? 1 : 0)
        } else {
            // EdDSA hashes by itself; its context is good for any number of messages.
            keyContext = nil
            if EVP_DigestVerifyInit(digestContext, nil, nil, nil, key.pointer) != 1 { ERR_clear_error() }
        }
        if digest != nil, keyContext == nil {
            ERR_clear_error()
            return nil
        }
    }

    deinit {
        EVP_PKEY_CTX_free(keyContext)
        EVP_MD_CTX_free(digestContext)
        EVP_MD_free(digest)
    }

    /// Whether this is the message's signature; ECDSA's is r and s side by side (RFC 7518, section 3.4).
    package func verifies(_ signature: UnsafeBufferPointer<UInt8>, of message: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        defer { ERR_clear_error() }
        guard let digest, let keyContext else {
            return EVP_DigestVerify(
                digestContext,
                signature.baseAddress,
                signature.count,
                message.baseAddress,
                message.count
            ) == 1
        }
        let size = Int(
            digestBytes.withUnsafeMutableBufferPointer {
                ar_digest_with(digestContext, digest, message.baseAddress, message.count, $0.baseAddress)
            }
        )
        guard size > 0 else { return false }
        guard case .ecdsa = scheme else {
            return EVP_PKEY_verify(keyContext, signature.baseAddress, signature.count, digestBytes, size) == 1
        }
        guard case .elliptic(let curve) = key.kind, signature.count == 2 * curve.coordinateSize else {
            return false
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 160) { der in
            let length = ar_ecdsa_to_der(
                signature.baseAddress,
                Int32(curve.coordinateSize),
                der.baseAddress,
                160
            )
            return length > 0
                && EVP_PKEY_verify(keyContext, der.baseAddress, Int(length), digestBytes, size) == 1
        }
    }
}
