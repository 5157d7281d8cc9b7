import Captures
import Flows
import OAuth

/// Compares two flows step by step.
struct FlowComparison {
    /// A pair with what tells when its differences came about.
    struct Compared {
        var pair: StepPair
        /// How many of its differences are of the request.
        var requestCount: Int
        /// Place of the last step that began before the answer was there.
        var answeredAt: Int
    }

    private struct ToldPresence: Hashable {
        var kind: StepKind
        var key: Fact.Key
        var isExpected: Bool
    }

    let expected: FlowReading
    let seen: FlowReading
    let options: ComparisonOptions
    private var facts: FactComparison
    private var toldPresences: Set<ToldPresence> = []
    private(set) var pairs: [Compared] = []
    private(set) var overall: [ValueDifference] = []

    init(
        _ expected: FlowReading,
        _ seen: FlowReading,
        redactions: [Redaction] = [],
        options: ComparisonOptions
    ) {
        self.expected = expected
        self.seen = seen
        self.options = options
        facts = FactComparison(expected.learned, seen.learned, redactions: redactions, options: options)
    }

    mutating func run() {
        let mapping = facts
        let aligned = StepAlignment.pairs(
            expected.addressedSteps(mapped: mapping.mapped),
            seen.addressedSteps()
        )
        let last = aligned.lastIndex { $0.expected != nil && $0.seen != nil } ?? -1
        for (place, pair) in aligned.enumerated() {
            pairs.append(compare(pair, isBehind: place > last))
        }
        for place in pairs.indices { pairs[place].answeredAt = answerPlace(of: place, aligned) }
        overall = flowDifferences()
    }

    /// The first difference in the course of the login.
    ///
    /// What was asked counts where the request began; what was answered where the answer came, which is after all that
    /// the app's server asked meanwhile.
    var first: (step: StepPair?, difference: ValueDifference)? {
        var best: (rank: (Int, Int, Int), step: StepPair, difference: ValueDifference)?
        for (place, compared) in pairs.enumerated() {
            for (index, difference) in compared.pair.differences.enumerated()
            where difference.weight == .difference {
                let isRequest = index < compared.requestCount
                let rank = isRequest ? (place, 0, 0) : (compared.answeredAt, 1, -place)
                if best.map({ rank < $0.rank }) ?? true { best = (rank, compared.pair, difference) }
            }
        }
        if let best { return (best.step, best.difference) }
        return overall.first { $0.weight == .difference }.map { (nil, $0) }
    }

    // MARK: - A pair

    private mutating func compare(_ pair: (expected: Int?, seen: Int?), isBehind: Bool) -> Compared {
        let left = pair.expected.map { expected.steps[$0] }
        let right = pair.seen.map { seen.steps[$0] }
        var differences: [ValueDifference] = []
        var requestCount = 0
        if let i = pair.expected, let j = pair.seen {
            let kind = seen.steps[j].kind
            let sides = comparable(i, j)
            differences = merged(sides.left, sides.right, kind)
            differences += repetitions(expected.steps[i], seen.steps[j])
            requestCount = differences.count
            differences += merged(expected.facts[i].answer, seen.facts[j].answer, kind, isAnswer: true)
            explainAnswer(&differences, from: requestCount, expected.steps[i], seen.steps[j])
        } else if let step = left ?? right {
            differences = [
                MissingStep(
                    step: step,
                    isExpected: left != nil,
                    isBehind: isBehind,
                    isRepeated: left.map { options.repeated.contains($0.index) } ?? false,
                    seen: seen
                )
                .difference(isOtherProvider: options.isOtherProvider)
            ]
            requestCount = 1
        }
        let shown = right ?? left
        return Compared(
            pair: StepPair(
                kind: shown?.kind ?? .userInteraction,
                expected: left?.index,
                seen: right?.index,
                summary: shown?.summary ?? "",
                expectedStatus: left?.exchange.response?.status,
                seenStatus: right?.exchange.response?.status,
                differences: differences
            ),
            requestCount: requestCount,
            answeredAt: 0
        )
    }

    /// The requests of two steps, as far as both were recorded.
    private func comparable(_ i: Int, _ j: Int) -> (left: [Fact], right: [Fact]) {
        var (left, right) = (expected.facts[i].request, seen.facts[j].request)
        if Self.hasLostBody(expected.steps[i]) != Self.hasLostBody(seen.steps[j]) {
            let isOfBody = { (fact: Fact) in
                fact.key.part == .requestBody
                    || fact.place.part == .requestHeader && fact.key.name == "Content-Type"
            }
            left.removeAll(where: isOfBody)
            right.removeAll(where: isOfBody)
        }
        guard expected.steps[i].isSeenInRedirect != seen.steps[j].isSeenInRedirect else {
            return (left, right)
        }
        // One of the two was not seen to arrive at the app.
        let isOfMessage = { (fact: Fact) in [.requestURL, .requestQuery].contains(fact.key.part) }
        return (left.filter(isOfMessage), right.filter(isOfMessage))
    }

    /// Whether the capture lacks what the step sent; a sign-in sent something.
    private static func hasLostBody(_ step: ComparedStep) -> Bool {
        step.exchange.request.hasLostBody ?? (step.kind == .userInteraction)
    }

    /// What differs in two lists of facts, in one order.
    private mutating func merged(
        _ left: [Fact],
        _ right: [Fact],
        _ kind: StepKind,
        isAnswer: Bool = false
    ) -> [ValueDifference] {
        // An authorization response is the answer to the request before it.
        let isOtherAnswer =
            (isAnswer || kind == .authorizationResponse) && Self.outcome(left) != Self.outcome(right)
        let tokens = Set(left.map(\.key.token)).symmetricDifference(right.map(\.key.token))
        // What is in a token goes with it, and what an answer brings with the kind that it is of.
        func isTold(_ fact: Fact) -> Bool {
            !tokens.contains(fact.key.token) && (!isOtherAnswer || Self.isOfRefusal(fact))
        }
        var differences: [ValueDifference?] = []
        for pair in Self.paired(left, right) {
            switch pair {
            case (let fact?, let other?):
                let result = facts.result(fact, other, in: kind)
                differences.append(result.map { told(fact, other, $0, kind) })
            case (let fact?, nil) where isTold(fact):
                differences.append(presence(fact, isExpected: true, kind))
            case (nil, let fact?) where isTold(fact):
                differences.append(presence(fact, isExpected: false, kind))
            default: break
            }
        }
        return differences.compactMap(\.self)
    }

    /// The facts of both lists in one order: one that only the second flow has stands behind the one that it follows there.
    private static func paired(_ left: [Fact], _ right: [Fact]) -> [(expected: Fact?, seen: Fact?)] {
        var position: [Fact.Key: Int] = [:]
        for (index, fact) in left.enumerated() { position[fact.key] = index }
        var counterpart: [Int: Fact] = [:]
        var added: [(after: Int, fact: Fact)] = []
        var after = -1
        for fact in right {
            if let index = position[fact.key] {
                counterpart[index] = fact
                after = max(after, index)
            } else {
                added.append((after, fact))
            }
        }
        var pairs: [(expected: Fact?, seen: Fact?)] = []
        var rest = added[...]
        for (index, fact) in left.enumerated() {
            while let next = rest.first, next.after < index {
                pairs.append((nil, next.fact))
                rest.removeFirst()
            }
            pairs.append((fact, counterpart[index]))
        }
        return pairs + rest.map { (nil, $0.fact) }
    }

    /// What an answer came to: what it is, and whether it is a refusal.
    private static func outcome(_ facts: [Fact]) -> [String] {
        let status = facts.first { $0.place.part == .responseStatus && $0.key.aspect.isEmpty }?.value
        let isRefused =
            status.map { (Int($0) ?? 0) >= 400 } ?? false || facts.contains { $0.key.name == "error" }
        return [isRefused ? "refused" : "", facts.first { $0.key.aspect == "kind of answer" }?.value ?? ""]
    }

    private static func isOfRefusal(_ fact: Fact) -> Bool {
        fact.place.part == .responseStatus || fact.key.name == "error" || fact.key.name == "WWW-Authenticate"
    }

    private func told(_ fact: Fact, _ other: Fact, _ result: FactComparison.Result, _ kind: StepKind)
        -> ValueDifference
    {
        let isGiven =
            options.given.holds(other.value, of: other, in: kind) || isOfGivenClient(fact, other)
        return ValueDifference(
            place: other.place,
            name: Self.name(of: other),
            token: other.key.token.isEmpty ? nil : other.key.token,
            aspect: other.key.aspect.isEmpty ? nil : other.key.aspect,
            expected: Self.shown(result.expected ?? fact.value, of: fact),
            seen: Self.shown(other.value, of: other),
            weight: isGiven ? .note : weight(result.weight, of: fact, other, kind),
            note: isGiven ? "as given: \(result.note)" : result.note
        )
    }

    private mutating func presence(_ fact: Fact, isExpected: Bool, _ kind: StepKind) -> ValueDifference? {
        guard let presence = fact.presence else { return nil }
        // A request that is sent twice lacks the same twice.
        let isAgain = !toldPresences.insert(ToldPresence(kind: kind, key: fact.key, isExpected: isExpected))
            .inserted
        let isEcho = isAgain && kind == .authorizationRequest
        // Whoever is played by another gets a cookie more, by which the other knows its browsers.
        let isMore =
            !isExpected && (!options.mapped.isEmpty || MockCookies.all.contains(fact.place.name))
            && (fact.place.part == .requestCookie || fact.key.name.hasPrefix("Set-Cookie "))
        let isGiven = options.given.holds(isExpected ? nil : fact.value, of: fact, in: kind)
        let isLight = isEcho || isMore || isGiven || facts.isIgnored(fact, in: kind)
        let value = Self.shown(fact.value, of: fact)
        return ValueDifference(
            place: fact.place,
            name: Self.name(of: fact),
            token: fact.key.token.isEmpty ? nil : fact.key.token,
            aspect: fact.key.aspect.isEmpty ? nil : fact.key.aspect,
            expected: isExpected ? value : nil,
            seen: isExpected ? nil : value,
            weight: isLight
                ? .note : weight(presence, of: isExpected ? fact : nil, isExpected ? nil : fact, kind),
            note: (isGiven ? "as given: " : "") + (isExpected ? "is missing" : "is new")
                + (isEcho ? ", as before" : "")
        )
    }

    private static func name(of fact: Fact) -> String {
        // Names of cookies are compared without what is made anew, and shown as they were sent.
        fact.place.part == .requestCookie || fact.key.name.hasPrefix("Set-Cookie ")
            ? fact.place.name : fact.key.name
    }

    private static func shown(_ value: String, of fact: Fact) -> String {
        guard fact.treatment != .verdict, fact.treatment != .presence else { return value }
        return Masking.compared(value, named: fact.key.name, isSecret: fact.isSecret)
    }

    // MARK: - Explanations

    private func repetitions(_ left: ComparedStep, _ right: ComparedStep) -> [ValueDifference] {
        let words = { (step: ComparedStep) in Set(step.remarks).sorted().joined(separator: ", ") }
        guard words(left) != words(right) else { return [] }
        let told = { (step: ComparedStep) in step.remarks.isEmpty ? nil : Optional(words(step)) }
        return [
            ValueDifference(
                place: Place(exchange: right.index, part: .responseBody, name: "error"),
                name: "error",
                aspect: "of earlier tries",
                expected: told(left),
                seen: told(right),
                weight: .note,
                note: right.remarks.isEmpty
                    ? "answered at once" : "answered \(words(right)) first, then asked again"
            )
        ]
    }

    /// Adds to a status that differs what the server said, and how old what it was asked with had become.
    private func explainAnswer(
        _ differences: inout [ValueDifference],
        from start: Int,
        _ left: ComparedStep,
        _ right: ComparedStep
    ) {
        let place = differences.indices.dropFirst(start).first { index in
            differences[index].weight == .difference && differences[index].place.part == .responseStatus
        }
        guard let place else { return explainError(&differences, right) }
        if let error = right.answer?.error {
            differences[place].note += ": " + Masking.shown(error.text, of: "error")
        } else if let words = RefusingPage.words(answering: right, insteadOf: left) {
            differences[place].note += ": \(words)"
        } else if differences[place].seen == "a redirect", let location = right.exchange.response?.location {
            let target = right.exchange.request.url.resolving(location).withoutQuery
            differences[place].note += ": to \(Masking.shown(target, of: "url"))"
        }
        if let words = Ageing.note(left, expected.flow, right, seen.flow) {
            differences[place].note += "; " + words
        }
    }

    /// Adds to an error where there was none which it is, and the server's words for it: its status is none of an error.
    private func explainError(_ differences: inout [ValueDifference], _ right: ComparedStep) {
        var error = right.answer?.error
        if case .authorizationResponse(let response) = right.message { error = response.error }
        let place = differences.indices.first { index in
            let difference = differences[index]
            return difference.weight == .difference && difference.name == "error"
                && difference.aspect == nil && difference.expected == nil
        }
        guard let place, let error else { return }
        differences[place].note += ": " + Masking.shown(error.text, of: "error")
    }

    // MARK: - Order

    /// Where in the list of pairs an answer came: behind what the app's server asked before it answered the browser.
    private func answerPlace(of place: Int, _ aligned: [(expected: Int?, seen: Int?)]) -> Int {
        let isSeen = aligned[place].seen != nil
        let step = { (pair: (expected: Int?, seen: Int?)) in
            isSeen ? pair.seen.map { seen.steps[$0] } : pair.expected.map { expected.steps[$0] }
        }
        guard let own = step(aligned[place]) else { return place }
        var last = place
        for other in aligned.indices.dropFirst(place + 1) {
            guard let following = step(aligned[other]) else { continue }
            let isMeanwhile =
                following.exchange.startedAt < own.exchange.endedAt
                || own.kind == .authorizationResponse && !own.isSeenInRedirect
                    && following.step.from.role == .backend
            guard isMeanwhile else { break }
            last = other
        }
        return last
    }

    // MARK: - The flows as a whole

    private func flowDifferences() -> [ValueDifference] {
        let (left, right) = (expected.flow, seen.flow)
        let names = Set(pairs.flatMap { $0.pair.differences }.map(\.name))
        var list: [ValueDifference] = []
        func add(_ name: String, _ value: String?, _ other: String?, _ weight: DifferenceWeight) {
            guard value != other else { return }
            list.append(.ofFlows(name, value, other, weight))
        }
        let limit = StepAlignment.limit
        if max(expected.stepCount, seen.stepCount) > limit {
            list.append(
                ValueDifference(
                    place: Place(exchange: nil, part: .requestURL, name: "steps"),
                    name: "steps",
                    aspect: ValueDifference.ofTheFlow,
                    expected: "\(expected.stepCount)",
                    seen: "\(seen.stepCount)",
                    weight: .note,
                    note: "only the first \(limit) are compared"
                )
            )
        }
        add("grant", left.grant, right.grant, .difference)
        let isIssued = left.clientID.map(expected.learned.contains) ?? false
        if !names.contains("client_id"), !isIssued || right.clientID == nil {
            add("client_id", left.clientID, right.clientID, .difference)
        }
        if names.isDisjoint(with: ["iss", "issuer"]), left.issuer != nil, right.issuer != nil,
            !options.isOtherProvider
        {
            add("issuer", left.issuer.map(facts.mapped), right.issuer, .difference)
        }
        add("provider", left.provider.rawValue, right.provider.rawValue, .note)
        // Where every step is the same, it is what only one of the two can have that makes another outcome.
        let isOfOthers = !options.leavingOut.isEmpty && pairs.allSatisfy(\.pair.isSame)
        add("outcome", left.ending.rawValue, right.ending.rawValue, isOfOthers ? .note : .difference)
        return list
    }
}
