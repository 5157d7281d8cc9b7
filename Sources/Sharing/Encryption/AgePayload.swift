import LibCrypto

/// The payload of an age file: a nonce, then pieces of 64 KiB that are sealed one by one (STREAM).
///
/// The nonce of a piece is its number, and whether it is the last: pieces that are left out, swapped or cut off do not open.
enum AgePayload {
    /// Bytes of the nonce at the beginning, from which the payload's key is made.
    static let nonceSize = 16
    /// Bytes of text in each piece but the last.
    static let pieceSize = 64 << 10
    static let sealedSize = pieceSize + AuthenticatedCipher.tagSize

    /// Eleven bytes, big endian, and one that is 1 for the last piece.
    static func nonce(ofPiece number: UInt64, isLast: Bool) -> [UInt8] {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        return [0, 0, 0] + digits + [isLast ? 1 : 0]
    }
}
