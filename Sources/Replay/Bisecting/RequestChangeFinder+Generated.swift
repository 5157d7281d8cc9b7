import Captures
import OAuth

/// Values that a client makes for each login: not what they are counts, but how they are made and what they fit.
extension RequestChangeFinder {
    /// What two values were made up as; nil where they were not, or where tokens are made of them.
    ///
    /// One of them may look like a word by chance, or be one: a word is no relation to anything either.
    static func made(_ mine: ValueSource?, _ theirs: ValueSource?, named name: String)
        -> GeneratedValue?
    {
        let isPassed = [mine, theirs].contains { source in
            switch source {
            case .issued, .secret, .form: true
            case .literal, .generated, nil: false
            }
        }
        guard !isPassed else { return nil }
        for source in [mine, theirs] {
            guard case .generated(let kind)? = source else { continue }
            return kind.isSignedClaims ? nil : kind
        }
        return name == "state" ? .state : name == "nonce" ? .nonce : nil
    }

    /// How a client's challenges are made, by the challenge.
    func making(of challenge: String, in plan: ReplayPlan) -> PlannedChallenge? {
        plan.challenges.first { $0.challenge == challenge }
    }

    /// Verifiers that belong to their challenges are the same one.
    mutating func bindVerifiers() {
        for (mine, theirs) in zip(good.challenges, bad.challenges) {
            guard let own = mine.verifier, let other = theirs.verifier,
                ValueShape(own).isLike(ValueShape(other))
            else { continue }
            translator.bind(other, to: own)
        }
    }

    /// What becomes of two values that were made up.
    private enum Comparison {
        /// Made in the same way: the one stands for the other.
        case alike
        /// Made otherwise; `edits`: what else makes the one the other.
        case otherwise(note: String, edits: [PlanEdit] = [])
        case nothing
    }

    /// Notes how a value was made otherwise than the one in its place, or that it stands for that.
    mutating func compareMade(
        _ kind: GeneratedValue,
        _ key: Key,
        _ mineValue: String,
        _ theirValue: String,
        _ both: Counterparts,
        _ place: Place,
        _ isInBody: Bool
    ) {
        let comparison: Comparison =
            switch kind {
            case .codeVerifier: verifiers(mineValue, theirValue)
            case .codeChallenge: challenges(mineValue, theirValue)
            default: Self.areAlike(mineValue, theirValue) ? .alike : Self.reshaped(mineValue, theirValue)
            }
        switch comparison {
        case .nothing: break
        case .alike: translator.bind(theirValue, to: mineValue)
        case .otherwise(let note, let edits):
            add(
                both,
                .of(key.name, expected: mineValue, seen: theirValue, at: place, note: note),
                [set(both.mine, key, theirValue, isInBody: isInBody)] + edits
            )
        }
    }

    /// A verifier that belongs to no challenge of its login does not fit; the others fit whatever they are.
    private func verifiers(_ mine: String, _ theirs: String) -> Comparison {
        guard good.challenges.contains(where: { $0.verifier == mine }) else { return .nothing }
        guard bad.challenges.contains(where: { $0.verifier == theirs }) else {
            return bad.challenges.isEmpty
                ? .nothing : .otherwise(note: "is not the one that the code_challenge was made of")
        }
        return Self.areAlike(mine, theirs)
            ? .nothing : Self.reshaped(mine, theirs, [.verifier(theirs, insteadOf: mine)])
    }

    /// Challenges are told apart by how they are made of their verifiers, and by their shape where that does not show.
    private func challenges(_ mine: String, _ theirs: String) -> Comparison {
        let (own, other) = (making(of: mine, in: good), making(of: theirs, in: bad))
        guard other?.verifier != nil else {
            return Self.areAlike(mine, theirs) ? .alike : Self.reshaped(mine, theirs)
        }
        guard let usual = own?.making.relation, let relation = other?.making.relation,
            usual.kind != relation.kind
        else { return .alike }
        let names = (Self.name(of: relation), Self.name(of: usual))
        return .otherwise(note: "made of its verifier as \(names.0) instead of \(names.1)")
    }

    private static func areAlike(_ mine: String, _ theirs: String) -> Bool {
        ValueShape(mine).isLike(ValueShape(theirs))
    }

    private static func reshaped(_ mine: String, _ theirs: String, _ edits: [PlanEdit] = []) -> Comparison {
        .otherwise(note: shapes(mine, theirs), edits: edits)
    }

    static func name(of relation: ChallengeRelation) -> String {
        relation == .s256 ? "S256" : relation.rawValue
    }

    static func shapes(_ mine: String, _ theirs: String) -> String {
        "made in another way: \(ValueShape(theirs).words) instead of \(ValueShape(mine).words)"
    }
}
