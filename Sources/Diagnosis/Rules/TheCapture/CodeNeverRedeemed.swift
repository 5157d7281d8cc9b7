import Captures
import Flows
import OAuth

/// An app or a page got a code, the recording went on, and nobody ever used it.
///
/// Passing the code on to a back end counts as using it. A recorder inside the browser sees nothing of an app beside it, so that
/// there the rule speaks of pages only.
struct CodeNeverRedeemed: Rule {
    static let info = RuleInfo(
        id: "code-never-redeemed",
        title: "A code was issued but nobody exchanged it",
        severity: .warning,
        explanation: """
            The provider sent the user back with a code, and no later request carries it. The app did not get the redirect, or did not know \
            what to do with it.
            """,
        fix: """
            App: declare the scheme or the claimed address, keep the pending authorization session until it is answered, and hand the URL to \
            it (AppAuth: resumeExternalUserAgentFlow). Page: see that the state stored before the login is still there in this tab and \
            origin, and that the router does not drop the query.
            """,
        badExample: """
            302 Location: com.example.shop:/callback?code=…&state=…        and then nothing but other requests
            """,
        goodExample: """
            302 Location: com.example.shop:/callback?code=…&state=…
            POST /token  grant_type=authorization_code&code=…
            """,
        specifications: [.rfc(8252, "7")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let misread = flow.authorizationResponses.lazy.compactMap({
            MisreadScheme.violation(of: $0, in: flow)
        })
        .first {
            return .violated(misread)
        }
        switch UnredeemedCode.Reading(of: flow) {
        case .holds: return .holds
        case .unknown(let reason): return .abstains(reason)
        case .found(let code): return .violated(violation(code, flow))
        }
    }

    private func violation(_ code: UnredeemedCode, _ flow: Flow) -> Violation {
        let delivery = code.delivery
        let told = told(of: delivery, in: flow)
        return Violation(
            [
                Evidence(delivery.code),
                .computed(
                    "recorded after it",
                    "\(code.seconds) s",
                    in: .timing,
                    note: code.isFollowed ? "with other requests in it" : nil
                ),
            ] + told.evidence,
            variant: delivery.receiver == .page ? "page" : "app",
            explanation: told.words?.explanation,
            fix: told.words?.fix,
            title: told.words?.title,
            exchange: delivery.exchange
        )
    }

    /// What the capture shows of why.
    private func told(of delivery: CodeDelivery, in flow: Flow) -> (
        evidence: [Evidence], words: Violation.Words?
    ) {
        guard delivery.receiver == .app else {
            let page = LeftCode(by: delivery, in: flow)
            return (page.evidence, Violation.Words(explanation: page.explanation, fix: page.fix))
        }
        if let overtaken = OvertakenLogin(by: delivery, in: flow) {
            return (
                [overtaken.evidence],
                Violation.Words(explanation: OvertakenLogin.explanation, fix: OvertakenLogin.fix)
            )
        }
        if let relayed = RelayedCode(of: delivery, in: flow) { return (relayed.evidence, relayed.words) }
        if let stop = PolicyStop.violation(of: delivery.response, in: flow) {
            let words = Violation.Words(title: stop.title, explanation: stop.explanation, fix: stop.fix)
            return (stop.evidence, words)
        }
        if let scheme = UncaughtScheme(of: delivery, in: flow) { return ([scheme.evidence], scheme.words) }
        if let unknown = AnswerOnDevice.unknownScheme(of: delivery, in: flow) {
            return ([unknown], AnswerOnDevice.unknown)
        }
        return ([], AnswerOnDevice.fix(for: delivery, in: flow).map { Violation.Words(fix: $0) })
    }
}
