internal import COpenSSL

/// Random bytes fit for keys, codes and verifiers.
package enum SecureRandom {
    /// So many bytes of libcrypto's generator; traps where the system has no entropy.
    package static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // libcrypto's generator reports failure only when the system has no entropy: nothing secret may
            // be made then.
            precondition(
                RAND_bytes(buffer.baseAddress, Int32(clamping: count)) == 1,
                "the system gives no random bytes"
            )
            filled = count
        }
    }
}
