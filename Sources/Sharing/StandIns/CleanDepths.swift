/// Texts of which it is known that they hold nothing that is to be replaced, each with how many encodings around it were undone.
///
/// What is encoded in several ways comes to the same text in each order in which they are undone. With fewer encodings left to
/// undo there is no more to be found. Texts are known by hashes of this process only.
struct CleanDepths {
    private var known: [Int: Int] = [:]

    /// In bytes; shorter texts are as soon looked through.
    private static let shortest = 64

    /// The name of a text; nil for one that is not kept.
    func key(of text: [UInt8]) -> Int? {
        guard text.count >= Self.shortest else { return nil }
        var hasher = Hasher()
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    func isClean(_ key: Int, at depth: Int) -> Bool { known[key].map { $0 <= depth } ?? false }

    mutating func insert(_ key: Int, at depth: Int) { known[key] = min(depth, known[key] ?? depth) }
}
