internal import COpenSSL

/// The hash functions that JOSE and OAuth name.
package enum DigestAlgorithm: Sendable, Hashable, CaseIterable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// `EVP_MD *`; libcrypto's own, never freed.
    var pointer: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    }

    /// The same, looked up among the providers once: libcrypto does it for every hash otherwise, which costs more than to
    /// hash a short text.
    fileprivate var fetched: OpaquePointer? {
        switch self {
        case .sha1: Fetched.sha1.pointer
        case .sha256: Fetched.sha256.pointer
        case .sha384: Fetched.sha384.pointer
        case .sha512: Fetched.sha512.pointer
        }
    }

    /// An `EVP_MD *` that is kept to the end; immutable.
    private struct Fetched: @unchecked Sendable {
        let pointer: OpaquePointer?

        static let sha1 = Fetched(.sha1)
        static let sha256 = Fetched(.sha256)
        static let sha384 = Fetched(.sha384)
        static let sha512 = Fetched(.sha512)

        private init(_ algorithm: DigestAlgorithm) {
            pointer = EVP_MD_fetch(nil, EVP_MD_get0_name(algorithm.pointer), nil) ?? algorithm.pointer
        }
    }
}

/// Hashes of byte strings.
package enum Digest {
    /// The hash of all bytes.
    package static func of(_ bytes: some Sequence<UInt8>, _ algorithm: DigestAlgorithm = .sha256) -> [UInt8] {
        let input = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            // Fails only without memory; the answer is then empty and equal to nothing.
            if EVP_Digest(input, input.count, buffer.baseAddress, &length, algorithm.fetched, nil) == 1 {
                count = Int(length)
            }
        }
    }
}
