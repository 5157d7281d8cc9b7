/// The named values of texts that were read before: a capture is gone through to find what is secret, and again to write it, and
/// the same documents and values stand in it many times.
///
/// No more is kept than there is room for.
final class SlotMemory {
    private var known: [Key: [Slot]] = [:]
    /// In bytes, about.
    private var room: Int
    private let read: (ArraySlice<UInt8>, TextKind) -> [Slot]

    private struct Key: Hashable {
        var kind: TextKind
        var digest: TextDigest
    }

    /// Of an entry, its slots aside.
    private static let overhead = 128

    init(
        room: Int = 1 << 26,
        read: @escaping (ArraySlice<UInt8>, TextKind) -> [Slot] = { SlotReader.slots(in: $0, as: $1) }
    ) {
        self.room = room
        self.read = read
    }

    /// What the reader finds in a text.
    func slots(in text: [UInt8], as kind: TextKind) -> [Slot] {
        let key = Key(kind: kind, digest: TextDigest(text))
        if let known = known[key] { return known }
        let slots = read(text[...], kind)
        let size = Self.overhead + slots.count * MemoryLayout<Slot>.stride
        if size <= room {
            room -= size
            known[key] = slots
        }
        return slots
    }
}
