/// The named values of texts that were read before: a capture is gone through to find what is secret, and again to write it, and
/// the same documents and values stand in it many times.
///
/// Texts are known by hashes of this process only, so that no file can be made in which two are taken for one. No more is kept
/// than there is room for.
final class SlotMemory {
    private var known: [Key: [Slot]] = [:]
    /// In bytes, about.
    private var room: Int
    private let read: (ArraySlice<UInt8>, TextKind) -> [Slot]

    private struct Key: Hashable {
        var kind: TextKind
        var count: Int
        var hashes: SIMD2<Int>
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
        let key = Key(kind: kind, count: text.count, hashes: Self.hashes(of: text))
        if let known = known[key] { return known }
        let slots = read(text[...], kind)
        let size = Self.overhead + slots.count * MemoryLayout<Slot>.stride
        if size <= room {
            room -= size
            known[key] = slots
        }
        return slots
    }

    private static func hashes(of text: [UInt8]) -> SIMD2<Int> {
        var hashers = (Hasher(), Hasher())
        hashers.1.combine(0)
        text.withUnsafeBytes {
            hashers.0.combine(bytes: $0)
            hashers.1.combine(bytes: $0)
        }
        return SIMD2(hashers.0.finalize(), hashers.1.finalize())
    }
}
