import OAuth

/// What becomes of two values that were made up, one in each of two flows.
enum GeneratedComparison {
    /// Made in the same way: the one stands for the other.
    case alike
    /// Made otherwise; `edits`: what else makes the one the other.
    case otherwise(note: String, edits: [PlanEdit] = [])
    case nothing

    /// How the clients of both flows make their challenges.
    typealias Challenges = (good: [PlannedChallenge], bad: [PlannedChallenge])

    /// `mine`: of the flow that works; `theirs`: of the one that fails.
    init(of kind: GeneratedValue, _ mine: String, _ theirs: String, made: Challenges) {
        self =
            switch kind {
            case .codeVerifier: Self.verifiers(mine, theirs, made)
            case .codeChallenge: Self.challenges(mine, theirs, made)
            default: Self.areAlike(mine, theirs) ? .alike : Self.reshaped(mine, theirs)
            }
    }

    /// A verifier that belongs to no challenge of its login does not fit; the others fit whatever they are.
    private static func verifiers(_ mine: String, _ theirs: String, _ made: Challenges) -> Self {
        guard made.good.contains(where: { $0.verifier == mine }) else { return .nothing }
        guard made.bad.contains(where: { $0.verifier == theirs }) else {
            return made.bad.isEmpty
                ? .nothing : .otherwise(note: "is not the one that the code_challenge was made of")
        }
        return areAlike(mine, theirs)
            ? .nothing : reshaped(mine, theirs, [.verifier(theirs, insteadOf: mine)])
    }

    /// Challenges are told apart by how they are made of their verifiers, and by their shape where that does not show.
    private static func challenges(_ mine: String, _ theirs: String, _ made: Challenges) -> Self {
        let (own, other) = (
            made.good.first { $0.challenge == mine }, made.bad.first { $0.challenge == theirs }
        )
        guard other?.verifier != nil else {
            return areAlike(mine, theirs) ? .alike : reshaped(mine, theirs)
        }
        guard let usual = own?.making.relation, let relation = other?.making.relation,
            usual.kind != relation.kind
        else { return .alike }
        let names = (name(of: relation), name(of: usual))
        return .otherwise(note: "made of its verifier as \(names.0) instead of \(names.1)")
    }

    private static func areAlike(_ mine: String, _ theirs: String) -> Bool {
        ValueShape(mine).isLike(ValueShape(theirs))
    }

    private static func reshaped(_ mine: String, _ theirs: String, _ edits: [PlanEdit] = []) -> Self {
        .otherwise(note: shapes(mine, theirs), edits: edits)
    }

    private static func name(of relation: ChallengeRelation) -> String {
        relation == .s256 ? "S256" : relation.rawValue
    }

    private static func shapes(_ mine: String, _ theirs: String) -> String {
        "made in another way: \(ValueShape(theirs).words) instead of \(ValueShape(mine).words)"
    }
}
