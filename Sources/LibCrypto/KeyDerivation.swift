internal import COpenSSL

/// Keys made of other secrets.
package enum KeyDerivation {
    /// HKDF (RFC 5869), extract and expand.
    ///
    /// - Parameters:
    ///   - secret: the input keying material; not empty.
    ///   - salt: may be empty, which stands for as many zeros as the digest is long.
    ///   - info: what the key is for.
    ///   - length: of the key in bytes, at most 255 times that of the digest.
    ///   - algorithm: the digest.
    /// - Returns: the key.
    /// - Throws: ``OpenSSLError`` when a length is not allowed.
    package static func hkdf(
        _ secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        length: Int,
        _ algorithm: DigestAlgorithm = .sha256
    ) throws(OpenSSLError) -> [UInt8] {
        guard length > 0 else { throw OpenSSLError(what: "a key of no length cannot be derived", reason: "") }
        let key = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let isDone = ar_hkdf(
                algorithm.pointer,
                secret,
                secret.count,
                salt,
                salt.count,
                info,
                info.count,
                buffer.baseAddress,
                length
            )
            count = isDone == 1 ? length : 0
        }
        guard !key.isEmpty else { throw .draining("no key could be derived") }
        return key
    }

    /// How much work and memory scrypt takes (RFC 7914, section 2).
    package struct ScryptCost: Sendable, Hashable {
        /// The binary logarithm of N, from 1 on.
        var logN: Int
        /// r.
        var blockSize: Int
        /// p.
        var parallelization: Int

        package init(logN: Int, blockSize: Int, parallelization: Int) {
            self.logN = logN
            self.blockSize = blockSize
            self.parallelization = parallelization
        }

        /// Bytes that are held while it runs; nil where the numbers are beyond all use.
        ///
        /// `128 · r · (N + p + 2)`, most of it for the table of N blocks.
        package var memory: Int? {
            guard (1...40).contains(logN), (1...1024).contains(blockSize),
                (1...1024).contains(parallelization)
            else { return nil }
            return 128 * blockSize * ((1 << logN) + parallelization + 2)
        }
    }

    /// scrypt (RFC 7914): a key of a passphrase, made slow and large on purpose.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes, also none.
    ///   - salt: any bytes.
    ///   - cost: whoever takes it from a file bounds it first; ``ScryptCost/memory`` is really allocated.
    ///   - length: of the key in bytes.
    /// - Returns: the key.
    /// - Throws: ``OpenSSLError`` when there is not so much memory, or a number is not allowed.
    package static func scrypt(
        _ passphrase: [UInt8],
        salt: [UInt8],
        cost: ScryptCost,
        length: Int
    ) throws(OpenSSLError) -> [UInt8] {
        guard let memory = cost.memory, length > 0 else {
            throw OpenSSLError(what: "a cost that scrypt does not have", reason: "")
        }
        // Bytes are passed as characters: libcrypto's parameter is a text.
        let characters = passphrase.map { CChar(bitPattern: $0) }
        let key = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let isDone = EVP_PBE_scrypt(
                characters,
                characters.count,
                salt,
                salt.count,
                UInt64(1) << UInt64(cost.logN),
                UInt64(cost.blockSize),
                UInt64(cost.parallelization),
                UInt64(memory),
                buffer.baseAddress,
                length
            )
            count = isDone == 1 ? length : 0
        }
        guard !key.isEmpty else { throw .draining("scrypt failed") }
        return key
    }
}
