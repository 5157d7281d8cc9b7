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
        telling most: Int = RepeatedViolation.most,
        _ judge: (Items.Element) -> Verdict
    ) -> Verdict {
        var reason = lacking
        var found = RepeatedViolation(telling: most)
        for item in items {
            switch judge(item) {
            case .violated(let violation): found.add(violation)
            case .abstains(let missing): reason = missing
            case .holds: break
            }
            if found.isWhole { break }
        }
        return found.told.map { .violated($0) } ?? reason.map { .abstains($0) } ?? .holds
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
    ///
    /// One that is softened gives way to one that is not.
    func or(_ violation: @autoclosure () -> Violation?) -> Verdict {
        guard case .violated(let own) = self else { return violation().map { .violated($0) } ?? self }
        guard own.isSoftened, let other = violation(), !other.isSoftened else { return self }
        return .violated(other)
    }
}
