import Captures
import Flows
import JOSE
import JSON
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

    mutating func compareMade(
        _ kind: GeneratedValue,
        _ key: Key,
        _ mineValue: String,
        _ theirValue: String,
        _ mine: ComparedStep,
        _ theirs: ComparedStep,
        _ place: Place,
        _ isInBody: Bool
    ) {
        let isAlike = ValueShape(mineValue).isLike(ValueShape(theirValue))
        func made(_ note: String, _ edits: [PlanEdit]) {
            add(
                mine,
                theirs,
                value(key.name, expected: mineValue, seen: theirValue, at: place, note: note),
                edits
            )
        }
        let sets = set(mine, key, theirValue, isInBody: isInBody)
        switch kind {
        case .codeVerifier:
            let own = good.challenges.first { $0.verifier == mineValue }
            let other = bad.challenges.first { $0.verifier == theirValue }
            if own != nil, other == nil, !bad.challenges.isEmpty {
                made("is not the one that the code_challenge was made of", [sets])
            } else if own != nil, other != nil, !isAlike {
                made(
                    Self.shapes(mineValue, theirValue),
                    [sets, .verifier(theirValue, insteadOf: mineValue)]
                )
            }
        case .codeChallenge:
            let (own, other) = (making(of: mineValue, in: good), making(of: theirValue, in: bad))
            if let own = own?.making.relation, other?.verifier != nil, let relation = other?.making.relation,
                own.kind != relation.kind
            {
                made(
                    "made of its verifier as \(Self.name(of: relation)) instead of \(Self.name(of: own))",
                    [sets]
                )
            } else if other?.verifier == nil, !isAlike {
                made(Self.shapes(mineValue, theirValue), [sets])
            } else {
                translator.bind(theirValue, to: mineValue)
            }
        default:
            guard !isAlike else { return translator.bind(theirValue, to: mineValue) }
            made(Self.shapes(mineValue, theirValue), [sets])
        }
    }

    static func name(of relation: ChallengeRelation) -> String {
        relation == .s256 ? "S256" : relation.rawValue
    }

    static func shapes(_ mine: String, _ theirs: String) -> String {
        "made in another way: \(ValueShape(theirs).words) instead of \(ValueShape(mine).words)"
    }
}
