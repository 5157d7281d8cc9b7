import Wire

/// A part of one QUIC connection, and how a file of an input spells such parts.
///
/// A byte that says whose it is (bit 0: the server's; bits 1 and 2: ``kind``), a number, two bytes of length, the bytes. A last
/// piece may be short.
struct StreamPiece {
    var side: Side
    /// 0 to 3, by the target.
    var kind: UInt8
    var number: Int
    var bytes: ArraySlice<UInt8>

    static func parse(_ input: [UInt8]) -> [StreamPiece] {
        var rest = input[...]
        var pieces: [StreamPiece] = []
        while rest.count > 4, pieces.count < 500 {
            let start = rest.startIndex
            let length = Int(rest[start + 2]) << 8 | Int(rest[start + 3])
            pieces.append(
                StreamPiece(
                    side: rest[start] & 1 == 0 ? .client : .server,
                    kind: rest[start] >> 1 & 3,
                    number: Int(rest[start + 1]),
                    bytes: rest.dropFirst(4).prefix(length)
                )
            )
            rest = rest.dropFirst(4 + length)
        }
        return pieces
    }
}
