import LibCrypto

/// Seals a payload as its text comes, in pieces of any size; holds 64 KiB of it at most, beside what is pushed.
struct AgePayloadEncryptor {
    private let key: [UInt8]
    private var held: [UInt8] = []
    private var number: UInt64 = 0

    init(key: [UInt8]) { self.key = key }

    /// Appends what can be sealed.
    mutating func push(_ text: ArraySlice<UInt8>, into sealed: inout [UInt8]) throws(AgeError) {
        held += text
        // A full piece waits until something follows: only then it is not the last.
        var start = 0
        while held.count - start > AgePayload.pieceSize {
            try seal(held[start..<(start + AgePayload.pieceSize)], isLast: false, into: &sealed)
            start += AgePayload.pieceSize
        }
        held.removeSubrange(..<start)
    }

    /// Appends the last piece, which is empty for an empty text alone.
    mutating func finish(into sealed: inout [UInt8]) throws(AgeError) {
        try seal(held[...], isLast: true, into: &sealed)
    }

    private mutating func seal(_ text: ArraySlice<UInt8>, isLast: Bool, into sealed: inout [UInt8])
        throws(AgeError)
    {
        let nonce = AgePayload.nonce(ofPiece: number, isLast: isLast)
        guard let piece = AuthenticatedCipher.seal(text, key: key, nonce: nonce) else {
            throw .cryptography("a piece could not be sealed")
        }
        sealed += piece
        number += 1
    }
}
