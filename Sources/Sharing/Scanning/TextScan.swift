/// Looks for secrets in one text, as it is and in views of it through nested encodings.
///
/// The views form a tree: each is made of the one above by one ``ViewDecoding``, up to ``maximumDepth`` deep, and is
/// let go before its sibling is made. Where a text has escapes of several kinds, they are undone all at once and, up to
/// ``exactDepth`` and as long as that makes no more than ``exactBudget``, also each kind by itself: a secret may hold
/// what looks like an escape of another kind. No view is looked at twice.
struct TextScan {
    /// Encodings around one another at most, a body's base64 not counted.
    static let maximumDepth = 6
    /// How deep escapes of several kinds are also undone one kind at a time, and bytes are looked for that are listed.
    static let exactDepth = 3
    /// In bytes of views, for a text of so many bytes.
    static func exactBudget(_ count: Int) -> Int { 16 * count + 8192 }
    /// Leaks of one text at most; the rest would say nothing more.
    static let limit = 100

    /// Something found in a view or, in the end, in the text.
    struct Finding: Equatable {
        /// Of the secret, with what encodes it.
        var range: Range<Int>
        var kind: Secret.Kind
        /// From the outermost on.
        var encodings: [Leak.Encoding]
        /// Of the secret.
        var characters: Int
    }

    private let sought: SoughtSecrets
    /// Names under which the whole text stands.
    private let context: [Int]

    private(set) var findings: [Finding] = []
    /// The views above the one that is looked at, with what was done to each.
    private var above: [(text: UnsafeBufferPointer<UInt8>, decoding: ViewDecoding)] = []
    /// The views that were looked at, by hash, with the least depth at which they were.
    private var seen: [Int: Int] = [:]
    private var exactBytes = 0

    init(_ sought: SoughtSecrets, context: [Int]) {
        self.sought = sought
        self.context = context
    }

    /// `isBase64Body`: whether the text is declared to be base64.
    mutating func scan(_ text: UnsafeBufferPointer<UInt8>, isBase64Body: Bool) {
        exactBytes = Self.exactBudget(text.count)
        look(at: text, depth: 0)
        if isBase64Body { descend(.body, into: text, depth: 0) }
    }

    private mutating func look(at view: UnsafeBufferPointer<UInt8>, depth: Int) {
        guard findings.count < Self.limit else { return }
        var found = sought.windows.runs(in: view, limit: Self.limit)
            .filter { $0.characters >= WindowIndex.length }
            .map {
                Finding(
                    range: $0.range,
                    kind: sought.kinds[$0.text],
                    encodings: [],
                    characters: $0.characters
                )
            }
        if !sought.named.isEmpty, !isListed {
            var scan = NamedValueScan(sought.named, view, limit: Self.limit)
            found += scan.run(context: context)
        }
        for match in sought.words.matches(in: view, limit: Self.limit)
        where above.isEmpty || sought.words.boundary(of: match) != .name {
            let secret = sought.wordSecrets[match.word]
            found.append(
                Finding(
                    range: match.range,
                    kind: secret.kind,
                    encodings: [],
                    characters: secret.text.unicodeScalars.count
                )
            )
        }
        if !found.isEmpty { record(found) }
        guard depth < Self.maximumDepth else { return }
        unescape(view, depth: depth)
        for phase in 0..<AlphabetRuns.base64.phases {
            descend(.base64(phase: phase), into: view, depth: depth + 1)
        }
        for phase in 0..<AlphabetRuns.hexadecimal.phases {
            descend(.hexadecimal(phase: phase), into: view, depth: depth + 1)
        }
        guard depth < Self.exactDepth else { return }
        for form in ListedBytes.allCases { descend(.listed(form), into: view, depth: Self.maximumDepth) }
    }

    /// Whether what is looked at was written byte by byte.
    private var isListed: Bool {
        if case .listed = above.last?.decoding { true } else { false }
    }

    private mutating func unescape(_ view: UnsafeBufferPointer<UInt8>, depth: Int) {
        let present = EscapeReader(view, [.percent, .json, .html, .style]).presentKinds()
        guard !present.isEmpty else { return }
        descend(.escapes(present), into: view, depth: depth + 1)
        guard depth < Self.exactDepth else { return }
        for kind in EscapeReader.Kinds.all where present != kind && present.contains(kind) {
            guard exactBytes > 0 else { return }
            exactBytes -= descend(.escapes(kind), into: view, depth: depth + 1)
        }
    }

    /// Looks at a view of a view; returns how many bytes it has.
    @discardableResult
    private mutating func descend(_ decoding: ViewDecoding, into view: UnsafeBufferPointer<UInt8>, depth: Int)
        -> Int
    {
        guard let below = self.view(decoding, of: view) else { return 0 }
        var hasher = Hasher()
        below.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        let hash = hasher.finalize()
        if let known = seen[hash], known <= depth { return below.bytes.count }
        seen[hash] = depth
        above.append((view, decoding))
        below.bytes.withUnsafeBufferPointer { look(at: $0, depth: depth) }
        above.removeLast()
        return below.bytes.count
    }

    private func view(
        _ decoding: ViewDecoding,
        of text: UnsafeBufferPointer<UInt8>,
        tracksOrigins: Bool = false
    ) -> ScannedView? {
        decoding.view(
            of: text,
            textBytes: sought.textBytes,
            base85: sought.base85,
            tracksOrigins: tracksOrigins
        )
    }

    // MARK: - Where a finding stands in the text

    /// Follows what was found in the lowest view up to the text.
    private mutating func record(_ found: [Finding]) {
        var found = found
        for (text, decoding) in above.reversed() {
            guard let view = view(decoding, of: text, tracksOrigins: true) else { return }
            for index in found.indices {
                // The last byte may have been made of several: up to where the next one comes from.
                let next = found[index].range.upperBound
                let first = Int(view.origins[found[index].range.lowerBound])
                let last = Int(view.origins[next - 1])
                let end = next < view.origins.count ? max(last + 1, Int(view.origins[next])) : text.count
                let part = UnsafeBufferPointer(rebasing: text[first..<end])
                found[index].range = first..<end
                found[index].encodings.insert(contentsOf: decoding.encodings(in: part), at: 0)
            }
        }
        for finding in found {
            let known = findings.firstIndex {
                $0.kind == finding.kind && $0.range.overlaps(finding.range)
            }
            if let known {
                findings[known].characters = max(findings[known].characters, finding.characters)
            } else if findings.count < Self.limit {
                findings.append(finding)
            }
        }
    }
}
