import Captures
import Flows
import JSON
import OAuth

/// Compares what two flows say at the same place.
///
/// Remembers what it has told: a host that is another one everywhere is told once.
struct FactComparison {
    private let expected: LearnedValues
    private let seen: LearnedValues
    private let options: ComparisonOptions
    private var mapping: URLMapping
    /// Of those captures whose secrets are stand-ins.
    private let redactions: [Redaction]

    init(
        _ expected: LearnedValues,
        _ seen: LearnedValues,
        redactions: [Redaction] = [],
        options: ComparisonOptions
    ) {
        self.redactions = redactions
        self.expected = expected
        self.seen = seen
        self.options = options
        mapping = URLMapping(options.mapped)
    }

    /// What came out of one comparison; nothing where the two are the same.
    struct Result {
        var note: String
        var weight: DifferenceWeight
        /// As the second flow ought to have it, where that is not what stands in the first.
        var expected: String?
    }

    /// A path or URL of the first flow as the second ought to have it.
    func mapped(_ text: String) -> String { mapping.mapped(text) }

    // MARK: - One fact

    mutating func result(_ fact: Fact, _ other: Fact, in kind: StepKind) -> Result? {
        if matches(options.ignoring, fact, kind) { return nil }
        if let type = fact.type, let otherType = other.type, type != otherType {
            if let result = audience(fact, other) { return result }
            return Result(
                note: "\(Self.article(otherType)) instead of \(Self.article(type))",
                weight: fact.weight
            )
        }
        let isCompared = matches(options.comparing, fact, kind)
        if !isCompared, let result = relation(fact, other) { return result.result }
        if isCompared { return isEqual(fact, other) ? nil : plain(fact, mapped(fact.value), other) }
        switch fact.treatment {
        case .value, .url:
            let result = value(fact, other)
            if result?.weight == .difference { learnOrigin(fact, other) }
            return result
        case .volatile: return value(fact, other)
        case .set: return set(fact, other)
        case .time: return time(fact, other)
        case .span: return span(fact, other)
        case .clock: return clock(fact, other)
        case .verdict:
            guard !isEqual(fact, other) else { return nil }
            let isFit = fact.key.aspect.hasPrefix("against ")
            return Result(
                note: isFit
                    ? "\(other.value); in the first flow it \(fact.value)"
                    : "\(other.value) instead of \(fact.value)",
                weight: fact.weight
            )
        case .presence: return nil
        case .remark:
            return isEqual(fact, other)
                || seen.skeleton(of: other.value).equalsBytes(of: expected.skeleton(of: fact.value))
                ? nil : Result(note: "other words", weight: .note)
        }
    }

    /// Whether a name is not to be compared at all.
    func isIgnored(_ fact: Fact, in kind: StepKind) -> Bool { matches(options.ignoring, fact, kind) }

    private func matches(_ names: [String], _ fact: Fact, _ kind: StepKind) -> Bool {
        guard !names.isEmpty else { return false }
        let name = fact.key.name
        let leaf = fact.key.leaf
        return names.contains { $0 == name || $0 == leaf || $0 == "\(kind.rawValue).\(name)" }
    }

    // MARK: - Relations

    private struct Related { var result: Result? }

    /// Whether the value is to its flow what the other one is to its own; nil where that says nothing.
    private func relation(_ fact: Fact, _ other: Fact) -> Related? {
        switch (fact.relation, other.relation) {
        case (.repeats(_, let sources), .repeats(_, let otherSources)):
            guard Set(sources).isDisjoint(with: otherSources), Self.issued.contains(fact.key.name) else {
                return Related()
            }
            return Related(
                result: Result(
                    note: "that of \(otherSources.first ?? "") instead of that of \(sources.first ?? "")",
                    weight: fact.weight
                )
            )
        case (.echoes(let source), .echoes(let otherSource)): return source == otherSource ? Related() : nil
        case (.repeats, .differs(let wanted, let source)):
            let words = Difference.note(
                expected: wanted,
                seen: other.value,
                isSecret: isSecret(fact) || isSecret(other)
            )
            return Related(
                result: Result(
                    note: "not that of \(source): \(words)",
                    weight: Self.weight(ofRepeated: fact),
                    expected: wanted
                )
            )
        case (.differs(_, let source), .repeats):
            return Related(
                result: Result(
                    note: "that of \(source), which it is not in the first flow",
                    weight: Self.weight(ofRepeated: fact)
                )
            )
        default: return nil
        }
    }

    /// Signed twice within one second, a token of the same claims is the same: whether it is says nothing of the provider.
    private static func weight(ofRepeated fact: Fact) -> DifferenceWeight {
        fact.key.name == "id_token" ? .note : fact.weight
    }

    /// Of these it matters which answer they came in.
    private static let issued: Set<String> = ["access_token", "refresh_token", "id_token", "id_token_hint"]

    // MARK: - Values

    private func isEqual(_ fact: Fact, _ other: Fact) -> Bool { fact.value.equalsBytes(of: other.value) }

    private func value(_ fact: Fact, _ other: Fact) -> Result? {
        let wanted = mapped(fact.value)
        guard !wanted.equalsBytes(of: other.value) else { return nil }
        if other.value.isEmpty || wanted.isEmpty { return plain(fact, wanted, other) }
        if isLoopbackPort(wanted, other.value) {
            return Result(
                note: "another port of this machine, which providers have to allow (RFC 8252, section 7.3)",
                weight: .note
            )
        }
        let leaf = fact.key.leaf
        let shape = ValueShape(fact.value)
        let otherShape = ValueShape(other.value)
        if fact.treatment == .volatile || redactions.contains(where: { $0.concerns(leaf) }) {
            return shape.isLike(otherShape) ? nil : Result(note: Self.words(otherShape, shape), weight: .note)
        }
        if VolatileNames.isConfiguration(leaf), !isIssued(fact) {
            return plain(fact, wanted, other)
        }
        if expected.isNearby(fact.value), seen.isNearby(other.value) { return nil }
        let isLearned = expected.contains(fact.value) || seen.contains(other.value)
        let isRandom = ValueShape.looksRandom(fact.value) && ValueShape.looksRandom(other.value)
        if isLearned && shape.isLike(otherShape) || isLearned && isRandom { return nil }
        if isRandom {
            return shape.isLike(otherShape)
                ? Result(note: "another value of the same shape", weight: .note)
                : Result(note: Self.words(otherShape, shape), weight: fact.weight)
        }
        if expected.skeleton(of: wanted).equalsBytes(of: seen.skeleton(of: other.value)) { return nil }
        return plain(fact, wanted, other)
    }

    /// The client's id and secret, where a registration of the first flow gave them out.
    private func isIssued(_ fact: Fact) -> Bool {
        fact.key.name.hasPrefix("client_") && expected.contains(fact.value)
    }

    private func plain(_ fact: Fact, _ wanted: String, _ other: Fact) -> Result {
        Result(
            note: Difference.note(
                expected: wanted,
                seen: other.value,
                isSecret: isSecret(fact) || isSecret(other)
            ),
            weight: fact.weight,
            expected: wanted
        )
    }

    private func isSecret(_ fact: Fact) -> Bool {
        Masking.hides(fact.value, named: fact.key.name, isSecret: fact.isSecret)
    }

    private static func words(_ seen: ValueShape, _ expected: ValueShape) -> String {
        "made in another way: \(seen.words) instead of \(expected.words)"
    }

    // MARK: - Other treatments

    /// Whom a token is for, whether one is a string or an array of it (RFC 7519, section 4.1.3); nil where it is the same.
    private func audience(_ fact: Fact, _ other: Fact) -> Result? {
        guard fact.key.leaf == "aud", !fact.elements.isEmpty, !other.elements.isEmpty else { return nil }
        guard fact.elements.count == 1, other.elements.count == 1 else { return set(fact, other) }
        if let related = relation(fact, other) { return related.result }
        return value(fact, other)
    }

    /// Where nothing but the host of a URL is another one, the rest of the URLs of this host need no word of their own.
    private mutating func learnOrigin(_ fact: Fact, _ other: Fact) {
        let wanted = RecordedURL(mapped(fact.value))
        let found = RecordedURL(other.value)
        guard wanted.origin != nil, found.origin != nil, wanted.origin != found.origin,
            wanted.path == found.path,
            wanted.query == found.query
        else { return }
        mapping.add(Self.base(RecordedURL(fact.value)), Self.base(found))
        if wanted.text != fact.value { mapping.add(Self.base(wanted), Self.base(found)) }
    }

    private static func base(_ url: RecordedURL) -> String { "\(url.scheme ?? "")://\(url.authority ?? "")" }

    private func isLoopbackPort(_ wanted: String, _ found: String) -> Bool {
        let (left, right) = (RecordedURL(wanted), RecordedURL(found))
        guard let host = left.host, host == right.host, LoopbackHost.isLoopback(host), left.scheme == "http",
            right.scheme == "http", left.explicitPort != right.explicitPort
        else { return false }
        return left.path == right.path && left.query == right.query && left.fragment == right.fragment
            // Registered ports are low or fixed; those that a system hands out are high.
            && [left, right].allSatisfy { ($0.explicitPort ?? 0) >= 32768 }
    }

    private func set(_ fact: Fact, _ other: Fact) -> Result? {
        // Words are no addresses, though some look like one: scopes of Google's.
        let wanted = VolatileNames.isSet(fact.key.leaf) ? fact.elements : fact.elements.map(mapped)
        let (wantedBytes, seenBytes) = (wanted.map(ByteText.init), other.elements.map(ByteText.init))
        guard wantedBytes != seenBytes else { return nil }
        let (left, right) = (Set(wantedBytes), Set(seenBytes))
        let missing = wanted.filter { !right.contains(ByteText($0)) }
        let added = other.elements.filter { !left.contains(ByteText($0)) }
        if missing.isEmpty && added.isEmpty {
            let isOrder = wanted.count == other.elements.count
            return Result(
                note: isOrder ? "the same in another order" : "one of them more than once",
                weight: .note,
                expected: wanted.joined(separator: " ")
            )
        }
        let parts = [
            missing.isEmpty
                ? nil : Self.listed(missing) + (missing.count == 1 ? " is missing" : " are missing"),
            added.isEmpty ? nil : Self.listed(added) + (added.count == 1 ? " is new" : " are new"),
        ]
        return Result(
            note: parts.compactMap { $0 }.joined(separator: "; "),
            weight: fact.weight,
            expected: wanted.joined(separator: " ")
        )
    }

    private static func listed(_ words: [String]) -> String {
        let shown = words.prefix(6).map { $0.isEmpty ? "(empty)" : $0 }.joined(separator: ", ")
        return words.count > 6 ? "\(shown) and \(words.count - 6) more" : shown
    }

    private func time(_ fact: Fact, _ other: Fact) -> Result? {
        // `client_secret_expires_at` of 0: never.
        guard (fact.value == "0") == (other.value == "0") else { return plain(fact, fact.value, other) }
        if Double(fact.value) != nil, Double(other.value) != nil { return nil }
        if ValueShape.time(fact.value) != nil, ValueShape.time(other.value) != nil { return nil }
        return fact.value == other.value ? nil : plain(fact, fact.value, other)
    }

    private func span(_ fact: Fact, _ other: Fact) -> Result? {
        guard let left = Double(fact.value), let right = Double(other.value) else {
            return fact.value == other.value ? nil : plain(fact, fact.value, other)
        }
        // Servers count down from when they made it, and some hand out what they had.
        guard abs(left - right) > max(5, 0.02 * max(abs(left), abs(right))) else { return nil }
        return Result(note: "\(other.value) s instead of \(fact.value) s", weight: fact.weight)
    }

    private func clock(_ fact: Fact, _ other: Fact) -> Result? {
        guard let left = Int64(fact.value), let right = Int64(other.value), abs(left - right) > 60 else {
            return nil
        }
        return Result(
            note: "\(Self.clockWords(right)); in the first flow \(Self.clockWords(left))",
            weight: fact.weight
        )
    }

    private static func clockWords(_ seconds: Int64) -> String {
        abs(seconds) <= 60 ? "it is right" : "\(seconds.magnitude) s \(seconds > 0 ? "ahead" : "behind")"
    }

    private static func article(_ type: String) -> String {
        switch type {
        case "array", "object": "an \(type)"
        case "null": "null"
        default: "a \(type)"
        }
    }
}
