/// A body that was met before, and as what it is read: an app's bundle stands in every login that a capture holds.
struct KnownBody: Hashable {
    private var kind: TextKind
    private var digest: TextDigest

    init(_ text: [UInt8], as kind: TextKind) {
        self.kind = kind
        digest = TextDigest(text)
    }
}
