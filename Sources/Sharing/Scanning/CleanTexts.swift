/// Texts in which no secret was found, so that a capture's many equal ones are looked at once.
///
/// Short ones only, and no more than there is room for.
package struct CleanTexts {
    private struct Key: Hashable {
        var text: [UInt8]
        /// Names under which it stands.
        var context: [Int]
        var isBase64Body: Bool
    }

    private var known: Set<Key> = []
    /// In bytes.
    private var room = 1 << 24

    private static let longest = 1 << 12
    /// Of an entry without its text.
    private static let overhead = 96

    package init() {}

    func contains(_ text: UnsafeBufferPointer<UInt8>, _ context: [Int], isBase64Body: Bool) -> Bool {
        text.count <= Self.longest
            && known.contains(Key(text: Array(text), context: context, isBase64Body: isBase64Body))
    }

    mutating func insert(_ text: UnsafeBufferPointer<UInt8>, _ context: [Int], isBase64Body: Bool) {
        let size = text.count + Self.overhead
        guard text.count <= Self.longest, size <= room else { return }
        room -= size
        known.insert(Key(text: Array(text), context: context, isBase64Body: isBase64Body))
    }
}
