import Captures
import Flows

/// What a recorded answer issues and a later request needs, by the place at which it stands.
struct IssuedValues: Sendable {
    private struct Key: Hashable, Sendable {
        var part: Place.Part
        var name: String
        /// Among those of the same name.
        var number: Int
    }

    private struct Value: Sendable {
        var key: Key
        var text: String
        /// Those in which it is needed besides.
        var spellings: [(spelling: Spelling, text: String)]
    }

    private let values: [Value]

    /// Reads a recorded answer.
    ///
    /// `counts`: whether a value is taken for issued; `sent`: the requests it may be needed in, nil for any.
    init(of recorded: Exchange, at index: Int, for sent: SentTexts? = nil, where counts: (String) -> Bool) {
        values = Self.table(recorded, index).compactMap { key, text in
            guard !text.isEmpty, !Self.words.contains(key.name),
                key.part != .jwtClaims || !Self.parties.contains(key.name), counts(text)
            else { return nil }
            var spellings = Spelling.all(of: text)
            if let sent {
                spellings.removeAll { !sent.mayHold($0.text) }
                guard !spellings.isEmpty || sent.mayHold(text) else { return nil }
            }
            return Value(key: key, text: text, spellings: spellings)
        }
    }

    /// Reads the recorded answer of a step, for the requests that come with it.
    ///
    /// Of a provider's metadata only the addresses count: what it supports are words of the protocol, and a client that
    /// says one of them means that one.
    init(of step: PlannedStep, in plan: ReplayPlan) {
        let isMetadata = step.kind == .discovery || step.kind == .resourceMetadata
        self.init(of: plan.flow.capture[step.exchange], at: step.exchange, for: plan.sent) { value in
            !isMetadata || RecordedURL(value).isWeb
        }
    }

    /// Binds each value to the one at the same place of the new answer.
    func bind(to live: Exchange, in bound: inout RunValues) {
        guard !values.isEmpty else { return }
        let new = Dictionary(Self.table(live, 0), uniquingKeysWith: { first, _ in first })
        for value in values {
            if let other = new[value.key] { bound.bind(value.text, to: other, spelled: value.spellings) }
        }
    }

    /// Members that say something about what is issued, in words that clients use of their own accord.
    private static let words: Set<String> = [
        "scope", "token_type", "issued_token_type", "error", "error_description",
    ]

    /// Claims that say for whom a token is, by names that both sides knew before.
    private static let parties: Set<String> = ["iss", "aud", "azp", "client_id", "cid", "scp"]

    private static func table(_ exchange: Exchange, _ index: Int) -> [(key: Key, value: String)] {
        var collector = OccurrenceCollector()
        var counts: [Key: Int] = [:]
        return collector.occurrences(in: exchange, at: index).compactMap { occurrence in
            switch occurrence.place.part {
            case .responseBody, .responseLocation, .responseHeader, .jwtClaims: break
            default: return nil
            }
            var key = Key(part: occurrence.place.part, name: occurrence.place.name, number: 0)
            let number = counts[key, default: 0]
            counts[key] = number + 1
            key.number = number
            return (key, occurrence.value)
        }
    }
}
