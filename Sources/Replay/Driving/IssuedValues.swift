import Captures
import Flows
import JSON

/// What a recorded answer issues and a later request needs, by the place at which it stands.
struct IssuedValues: Sendable {
    private struct Key: Hashable, Sendable {
        var part: Place.Part
        var name: String
        /// Handed to a script, or in an address of a page, beside what forms, cookies and JSON have.
        var isOfScript = false
        /// Among those of the same name; of what a script is handed, of those that look drawn at random.
        var number: Int
        /// How many of the same name there are, where ``number`` counts them all.
        var total: Int?

        var first: Key {
            var key = self
            key.number = 0
            return key
        }
    }

    private struct Value: Sendable {
        var key: Key
        /// How many of its name there are that look drawn as well.
        var count: Int
        /// Where it stands among all of its name: by chance one that is drawn does not look so.
        var place: Key?
        var text: String
        /// Those in which it is needed besides.
        var spellings: [(spelling: Spelling, text: String)]
    }

    private var values: [Value]

    /// Reads a recorded answer.
    ///
    /// `counts`: whether a value is taken for issued, which may be handed to a script alone; `sent`: the requests it may be
    /// needed in, nil for any.
    init(
        of recorded: Exchange,
        at index: Int,
        for sent: SentTexts? = nil,
        where counts: (String, _ isOfScript: Bool) -> Bool
    ) {
        let table = Self.table(recorded, index)
        let numbers = Self.numbers(in: table)
        values = table.compactMap { key, place, text in
            guard key.total == nil, !text.isEmpty, !Self.words.contains(key.name),
                key.part != .jwtClaims || !Self.parties.contains(key.name), counts(text, key.isOfScript)
            else { return nil }
            var spellings = Spelling.all(of: text)
            if let sent {
                spellings.removeAll { !sent.mayHold($0.text) }
                guard !spellings.isEmpty || sent.mayHold(text) else { return nil }
            }
            let count = numbers[key.first] ?? 0
            return Value(key: key, count: count, place: place, text: text, spellings: spellings)
        }
    }

    /// Reads the recorded answer of a step, for the requests that come with it.
    ///
    /// Of a provider's metadata only the addresses count: what it supports are words of the protocol, and a client that
    /// says one of them means that one.
    ///
    /// `taken`: what steps take from its body.
    init(of step: PlannedStep, in plan: ReplayPlan, taken: [PlannedParameter]) {
        let isMetadata = step.kind == .discovery || step.kind == .resourceMetadata
        let client = plan.flow.clientID
        let secret = client.flatMap { plan.flow.surroundings.knownSecrets[$0] }
        self.init(of: plan.flow.capture[step.exchange], at: step.exchange, for: plan.sent) {
            value,
            isOfScript in
            // The client's own, which nobody issues where it stands in a page.
            guard !isOfScript || value != client && value != secret else { return false }
            return !isMetadata || RecordedURL(value).isWeb
        }
        if plan.flow.capture[step.exchange].response?.body?.bytes?.isEmpty ?? true { add(lost: taken) }
    }

    /// What the steps of a plan take from the bodies of answers, by exchange.
    static func taken(by plan: ReplayPlan) -> [Int: [PlannedParameter]] {
        plan.steps.reduce(into: [:]) { taken, step in
            for parameter in step.parameters {
                guard case .issued(let place) = parameter.source, place.part == .responseBody,
                    let exchange = place.exchange
                else { continue }
                taken[exchange, default: []].append(parameter)
            }
        }
    }

    /// Adds what is taken from an answer whose body the capture lacks.
    private mutating func add(lost parameters: [PlannedParameter]) {
        var known = Set(values.map(\.text))
        for parameter in parameters {
            guard case .issued(let place) = parameter.source, known.insert(parameter.value).inserted else {
                continue
            }
            let key = Key(part: .responseBody, name: place.name, number: 0)
            values.append(Value(key: key, count: 1, text: parameter.value, spellings: []))
        }
    }

    /// Binds each value to the one at the same place of the new answer.
    func bind(to live: Exchange, in bound: inout RunValues) {
        guard !values.isEmpty else { return }
        let table = Self.table(live, 0)
        let new = Dictionary(
            table.flatMap { key, place, text in [key, place].compactMap(\.self).map { ($0, text) } },
            uniquingKeysWith: { first, _ in first }
        )
        let texts = Set(table.lazy.map { ByteText($0.value) })
        let numbers = Self.numbers(in: table)
        for value in values {
            let isCounted = numbers[value.key.first] == value.count
            guard let other = (isCounted ? nil : value.place).flatMap({ new[$0] }) ?? new[value.key] else {
                continue
            }
            // What a page says beside its forms is no better than what is known of a value, and another page says other things there;
            // what it has as well, wherever, is no token of one page.
            if value.key.isOfScript {
                guard bound[value.text] == nil, !texts.contains(ByteText(value.text)),
                    ValueShape(value.text).isLike(ValueShape(other))
                else { continue }
            }
            bound.bind(value.text, to: other, spelled: value.spellings)
        }
    }

    /// Members that say something about what is issued, in words that clients use of their own accord.
    private static let words: Set<String> = [
        "scope", "token_type", "issued_token_type", "error", "error_description",
    ]

    /// Claims that say for whom a token is, by names that both sides knew before.
    private static let parties: Set<String> = ["iss", "aud", "azp", "client_id", "cid", "scp"]

    /// What an answer has, each by its key; of what does not look drawn the key is its place.
    private static func table(_ exchange: Exchange, _ index: Int) -> [(key: Key, place: Key?, value: String)]
    {
        var collector = OccurrenceCollector()
        var list: [(key: Key, place: Key?, value: String)] = collector.occurrences(in: exchange, at: index)
            .compactMap {
                switch $0.place.part {
                case .responseBody, .responseLocation, .responseHeader, .jwtClaims: break
                default: return nil
                }
                return (Key(part: $0.place.part, name: $0.place.name, number: 0), nil, $0.value)
            }
        if let response = exchange.response {
            list += placed(ScriptTokens.ofAnswer(response.body), .responseBody)
            list += AddressValues.ofAnswer(response.body).map {
                (Key(part: .responseBody, name: $0.name, isOfScript: true, number: 0), nil, $0.value)
            }
            list += placed(ScriptTokens.ofHeaders(response.headers), .responseHeader)
        }
        var counts: [Key: Int] = [:]
        for place in list.indices where list[place].key.total == nil {
            let number = counts[list[place].key, default: 0]
            counts[list[place].key] = number + 1
            list[place].key.number = number
        }
        return list
    }

    /// How many values there are of each name, by the key of the first.
    private static func numbers(in table: [(key: Key, place: Key?, value: String)]) -> [Key: Int] {
        table.reduce(into: [:]) { $0[$1.key.first, default: 0] += 1 }
    }

    /// What a script is handed, by its place among all of its name.
    private static func placed(_ tokens: [(name: String, value: String)], _ part: Place.Part)
        -> [(key: Key, place: Key?, value: String)]
    {
        let totals = tokens.reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
        var counts: [String: Int] = [:]
        return tokens.map { name, value in
            let number = counts[name, default: 0]
            counts[name] = number + 1
            let place = Key(part: part, name: name, isOfScript: true, number: number, total: totals[name])
            guard ScriptTokens.looksDrawn(value) else { return (place, nil, value) }
            return (Key(part: part, name: name, isOfScript: true, number: 0), place, value)
        }
    }
}
