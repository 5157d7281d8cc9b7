internal import COpenSSL

/// ChaCha20-Poly1305 (RFC 8439, section 2.8), the ciphertext and its tag in one piece.
package enum AuthenticatedCipher {
    /// In bytes.
    package static let keySize = 32
    /// In bytes.
    package static let nonceSize = 12
    /// How much longer a sealed text is than what is in it.
    package static let tagSize = 16

    /// The ciphertext, with its tag of 16 bytes behind it.
    ///
    /// Nil where key or nonce has another length than theirs, or the text is longer than 64 MiB: what is longer is
    /// sealed in pieces.
    package static func seal(
        _ plaintext: ArraySlice<UInt8>,
        key: [UInt8],
        nonce: [UInt8],
        authenticating data: [UInt8] = []
    ) -> [UInt8]? {
        run(seals: true, plaintext, key, nonce, data)
    }

    /// What was sealed.
    ///
    /// Nil where text, tag, key, nonce or `data` is not what it was sealed with; nothing of the text is given then.
    package static func open(
        _ sealed: ArraySlice<UInt8>,
        key: [UInt8],
        nonce: [UInt8],
        authenticating data: [UInt8] = []
    ) -> [UInt8]? {
        run(seals: false, sealed, key, nonce, data)
    }

    private static let longest = 64 << 20

    private static func run(
        seals: Bool,
        _ input: ArraySlice<UInt8>,
        _ key: [UInt8],
        _ nonce: [UInt8],
        _ data: [UInt8]
    ) -> [UInt8]? {
        let length = seals ? input.count : input.count - tagSize
        guard key.count == keySize, nonce.count == nonceSize, (0...longest).contains(length),
            data.count <= longest
        else { return nil }
        defer { ERR_clear_error() }
        var tag = seals ? [UInt8](repeating: 0, count: tagSize) : Array(input.suffix(tagSize))
        var isWhole = false
        // Room for the tag in any case: libcrypto wants an output that is there, also for an empty text.
        var output = [UInt8](unsafeUninitializedCapacity: length + tagSize) { buffer, count in
            isWhole = input.withUnsafeBufferPointer { text in
                ar_aead(
                    seals ? 1 : 0,
                    EVP_chacha20_poly1305(),
                    key,
                    nonce,
                    Int32(nonceSize),
                    data,
                    Int32(data.count),
                    text.baseAddress,
                    Int32(length),
                    &tag,
                    buffer.baseAddress
                ) == 1
            }
            count = isWhole ? length : 0
        }
        guard isWhole else { return nil }
        if seals { output += tag }
        return output
    }
}
