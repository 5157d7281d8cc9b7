import Captures
import Flows
import OAuth

/// The `state` of the answer is not the one that was sent.
///
/// It ties the answer to the browser that asked. Another value means a forged or stale answer, or something
/// on the way that re-codes it; a client has to refuse it either way. A value that another login of the
/// capture sent belongs to that one.
struct StateMismatch: Rule {
    static let info = RuleInfo(
        id: "state-mismatch",
        title: "The `state` that came back is not the one that was sent",
        severity: .error,
        explanation: """
            The answer carries another state than the request it answers, and no other login in the capture sent that value. The app cannot \
            tell that the answer is its own and has to refuse it: it may be forged, stale, or re-coded on the way.
            """,
        fix: """
            Do not accept it. If the two values are related, find what re-codes or cuts the value between the app, the provider and back, and \
            use a state of letters and digits only; if they are not, the answer belongs to another browser or to an older login.
            """,
        badExample: """
            GET /authorize?…&state=Zk3xQ2hQ1m
            302 Location: https://app.example/callback?code=…&state=Zk3xQ2
            """,
        goodExample: """
            GET /authorize?…&state=Zk3xQ2hQ1m
            302 Location: https://app.example/callback?code=…&state=Zk3xQ2hQ1m
            """,
        specifications: [.rfc(6749, "4.1.2"), .rfc(6749, "10.12")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard !flow.authorizationRequests.isEmpty else {
            return flow.authorizationResponses.isEmpty ? .holds : .abstains(Gap.beginning)
        }
        let states = ForeignState.of(flow)
        let first = states.ofResponses.first.map { [Evidence($0.sent)] } ?? []
        let evidence =
            first + states.ofResponses.map(came)
            + states.ofCodelessAnswers.flatMap { [Evidence($0.sent), came($0)] }
        guard !evidence.isEmpty else {
            return states.isOrphan
                ? .abstains("the request that a response answers is not in the capture") : .holds
        }
        return .violated(Violation(evidence, exchange: evidence.dropFirst().first?.place.exchange))
    }

    private func came(_ state: ForeignState) -> Evidence {
        Evidence(
            state.came,
            note: Difference.note(expected: state.sent.value, seen: state.came.value)
        )
    }
}
