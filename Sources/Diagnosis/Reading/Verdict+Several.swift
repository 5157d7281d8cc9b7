import Flows

extension Verdict {
    /// The first violation among several things of a flow, its token requests say, judged in order; what further ones of its kind rest
    /// on stands in its evidence.
    ///
    /// One that is softened gives way to a graver one behind it. Without one it abstains, with the reason of the last thing that could
    /// not be judged; where each of them could, with what the flow itself lacks (`lacking`); and holds where nothing is lacking.
    /// `telling`: of how many violations the evidence is told; 1 where what follows the first is but its effect.
    static func firstViolation<Items: Sequence>(
        among items: Items,
        lacking: String? = nil,
        telling most: Int = Occurrences.most,
        _ judge: (Items.Element) -> Verdict
    ) -> Verdict {
        var reason = lacking
        var occurrences = Occurrences(telling: most)
        for item in items {
            switch judge(item) {
            case .violated(let violation): occurrences.add(violation)
            case .abstains(let missing): reason = missing
            case .holds: break
            }
            if occurrences.isWhole { break }
        }
        return occurrences.told.map { .violated($0) } ?? reason.map { .abstains($0) } ?? .holds
    }

    /// The first violation among the verdicts on the attempts of a flow, as ``firstViolation(among:lacking:telling:_:)`` has it; else the
    /// first reason to abstain.
    static func first(of attempts: [LoginAttempt], _ judge: (LoginAttempt) -> Verdict) -> Verdict {
        var reason: String?
        let verdict = firstViolation(among: attempts) { attempt in
            let verdict = judge(attempt)
            if case .abstains(let missing) = verdict { reason = reason ?? missing }
            return verdict
        }
        if case .violated = verdict { return verdict }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// This verdict where it is a violation; else that one, where there is one.
    func or(_ violation: @autoclosure () -> Violation?) -> Verdict {
        if case .violated = self { return self }
        return violation().map { .violated($0) } ?? self
    }
}

/// The violations that one rule found in a flow, in order, and the one of them that is told.
struct Occurrences {
    /// Of how many the evidence is told, where nothing else is said.
    static let most = 3
    /// How many softened ones are looked at in search of a graver one: a session of days has them by the thousand.
    private static let mostSoftened = 500

    private(set) var told: Violation?
    private let most: Int
    /// How many were added that are not softened.
    private var grave = 0
    private var softened = 0
    /// Of how many `told` has the evidence.
    private var tellings = 0

    init(telling most: Int) { self.most = most }

    /// Whether nothing that follows would change what is told.
    var isWhole: Bool { grave >= most || softened >= Self.mostSoftened }

    mutating func add(_ violation: Violation) {
        if violation.isSoftened { softened += 1 } else { grave += 1 }
        guard let first = told, Self.rank(of: violation) >= Self.rank(of: first) else {
            told = violation
            tellings = 1
            return
        }
        guard tellings < most, Self.isAlike(violation, first) else { return }
        tellings += 1
        told?.evidence += violation.evidence.filter { !first.evidence.contains($0) }
    }

    /// Whether two are told in the same words.
    private static func isAlike(_ one: Violation, _ other: Violation) -> Bool {
        one.severity == other.severity && one.variant == other.variant && one.title == other.title
            && one.explanation == other.explanation && one.fix == other.fix
    }

    /// The graver, the smaller; without a severity of its own it is as the rule says, which is graver than what is softened.
    private static func rank(of violation: Violation) -> Int {
        switch violation.severity {
        case .error: 0
        case nil: 1
        case .warning: 2
        case .note: 3
        }
    }
}
