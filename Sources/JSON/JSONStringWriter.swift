/// Fills the room of a string with UTF-8.
///
/// The room is as long as the text it is made from, in which everything takes at least as many bytes.
struct JSONStringWriter {
    private let room: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    mutating func append(_ byte: UInt8) {
        room.initializeElement(at: count, to: byte)
        count += 1
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
    }

    mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !bytes.isEmpty else { return }
        _ = room[count...].initialize(fromContentsOf: bytes)
        count += bytes.count
    }
}
