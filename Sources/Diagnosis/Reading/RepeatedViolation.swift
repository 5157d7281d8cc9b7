/// The violations that one rule found in a flow, in order, and the one of them that is told.
struct RepeatedViolation {
    /// Of how many the evidence is told, where nothing else is said.
    static let most = 3
    /// Of how many is known where they are: what is refused may be sent again and again.
    private static let mostFound = 50
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
    private var isTold: Bool { grave >= most || softened >= Self.mostSoftened }

    /// Whether nothing that follows would change what is told, or where it is found.
    var isWhole: Bool { isTold && (grave >= Self.mostFound || softened >= Self.mostSoftened) }

    mutating func add(_ violation: Violation) {
        let wasTold = isTold
        if violation.isSoftened { softened += 1 } else { grave += 1 }
        guard let first = told, wasTold || Self.rank(of: violation) >= Self.rank(of: first) else {
            told = violation
            tellings = 1
            return
        }
        guard Self.isAlike(violation, first) else { return }
        if let exchange = violation.faultyExchange, first.repetitions.count < Self.mostFound {
            told?.repetitions.append(exchange)
        }
        guard !wasTold, tellings < most else { return }
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
