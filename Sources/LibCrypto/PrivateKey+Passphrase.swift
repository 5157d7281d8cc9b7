internal import COpenSSL

extension PrivateKey {
    /// What OpenSSL is given when it asks for a passphrase.
    private struct Asked {
        let passphrase: [UInt8]?
        var hasAsked = false
    }

    /// Reads PEM whose key may be encrypted.
    ///
    /// - Parameters:
    ///   - text: begins with the key's block.
    ///   - passphrase: nil where there is none; one that is not needed is not looked at.
    /// - Returns: the key.
    /// - Throws: ``CertifiedKeyError``.
    static func decrypting(pem text: String, passphrase: String?) throws(CertifiedKeyError) -> PrivateKey {
        guard let memory = BIO_new(BIO_s_mem()) else { throw .unreadable(reason: "out of memory") }
        defer {
            BIO_free(memory)
            ERR_clear_error()
        }
        _ = Array(text.utf8).withUnsafeBytes {
            BIO_write(memory, $0.baseAddress, Int32(clamping: $0.count))
        }
        var asked = Asked(passphrase: passphrase.map { Array($0.utf8) })
        let key = withUnsafeMutablePointer(to: &asked) { asked in
            PEM_read_bio_PrivateKey(
                memory,
                nil,
                { buffer, size, _, context in
                    guard let buffer, let asked = context?.assumingMemoryBound(to: Asked.self) else {
                        return -1
                    }
                    asked.pointee.hasAsked = true
                    // None: without an answer OpenSSL would ask at the terminal.
                    guard let bytes = asked.pointee.passphrase, bytes.count <= Int(size) else { return -1 }
                    for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
                    return Int32(bytes.count)
                },
                asked
            )
        }
        if let key { return try taking(key) }
        if asked.hasAsked {
            guard passphrase != nil else { throw .passphraseNeeded }
            throw .wrongPassphrase
        }
        throw .unreadable(reason: OpenSSLError.draining("the private key cannot be read").description)
    }

    /// Takes over a key of libcrypto's.
    static func taking(_ pointer: OpaquePointer) throws(CertifiedKeyError) -> PrivateKey {
        do throws(OpenSSLError) {
            return try PrivateKey(owning: pointer)
        } catch {
            throw .unreadable(reason: error.description)
        }
    }
}
