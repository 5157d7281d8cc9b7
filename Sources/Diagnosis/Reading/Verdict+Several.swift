import Flows

extension Verdict {
    /// The first violation among several things of a flow, its token requests say, judged in order; what follows it is not judged.
    ///
    /// Without one it abstains, with the reason of the last thing that could not be judged; where each of them could, with what the
    /// flow itself lacks (`lacking`); and holds where nothing is lacking.
    static func firstViolation<Items: Sequence>(
        among items: Items,
        lacking: String? = nil,
        _ judge: (Items.Element) -> Verdict
    ) -> Verdict {
        var reason = lacking
        for item in items {
            let verdict = judge(item)
            switch verdict {
            case .violated: return verdict
            case .abstains(let missing): reason = missing
            case .holds: break
            }
        }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// The first violation among the verdicts on the attempts of a flow; else the first reason to abstain.
    static func first(of attempts: [LoginAttempt], _ judge: (LoginAttempt) -> Verdict) -> Verdict {
        var result = Verdict.holds
        for attempt in attempts {
            let verdict = judge(attempt)
            if case .violated = verdict { return verdict }
            if case .holds = result { result = verdict }
        }
        return result
    }

    /// This verdict where it is a violation; else that one, where there is one.
    func or(_ violation: @autoclosure () -> Violation?) -> Verdict {
        if case .violated = self { return self }
        return violation().map { .violated($0) } ?? self
    }
}
