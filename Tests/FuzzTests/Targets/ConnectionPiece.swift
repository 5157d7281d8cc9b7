import Wire

/// A part of one connection as packets give it, and how a file of an input spells such parts.
///
/// The input is a key log up to the first byte 0, then pieces: a byte that says whose it is (bit 0: the server's; bit 1: as many
/// bytes are missing; bit 2: that side ends), two bytes of length, the bytes. A last piece may be short.
enum ConnectionPiece {
    case bytes(Side, ArraySlice<UInt8>)
    case lost(Side, Int)
    case ended(Side)

    static func parse(_ input: [UInt8]) -> (keyLog: [UInt8], pieces: [ConnectionPiece]) {
        let end = input.firstIndex(of: 0) ?? input.count
        var rest = input[min(end + 1, input.count)...]
        var pieces: [ConnectionPiece] = []
        while rest.count > 3, pieces.count < 500 {
            let start = rest.startIndex
            let side = rest[start] & 1 == 0 ? Side.client : .server
            let length = Int(rest[start + 1]) << 8 | Int(rest[start + 2])
            if rest[start] & 4 != 0 {
                pieces.append(.ended(side))
                rest = rest.dropFirst(3)
            } else if rest[start] & 2 != 0 {
                pieces.append(.lost(side, length))
                rest = rest.dropFirst(3)
            } else {
                pieces.append(.bytes(side, rest.dropFirst(3).prefix(length)))
                rest = rest.dropFirst(3 + length)
            }
        }
        return (Array(input[..<end]), pieces)
    }

    /// Its bytes in pieces of so many, or in one where that is 0.
    static func cut(_ bytes: ArraySlice<UInt8>, every count: Int) -> [ArraySlice<UInt8>] {
        let size = count == 0 ? max(1, bytes.count) : count
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map {
            bytes[$0..<min(bytes.endIndex, $0 + size)]
        }
    }
}
