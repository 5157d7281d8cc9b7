import Captures
import Flows
import OAuth

/// A login in a circle that the browser put an end to.
///
/// That a provider says so alone is no circle that was seen: its refusal tells it.
enum StoppedLoop {
    /// The recording may have begun too late for the rounds.
    static func violation(in flow: Flow) -> Violation? {
        let isLate = flow.surroundings.authorizationRequests.count < 3
        let browser = flow.exchanges.first { exchange in
            isLate && isOnTheWay(exchange, flow)
                && flow.capture[exchange].failure.map { failure in
                    gaveUp.contains(where: failure.asciiLowercased().containsBytes)
                } ?? false
        }
        guard let browser, let failure = flow.capture[browser].failure else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: browser, part: .responseStatus, name: ""),
                    value: Masking.shown(Excerpt.start(of: failure), of: "failure"),
                    note: "the browser gave up"
                ),
                flow.urlEvidence(of: browser, note: "where"),
            ],
            explanation: stopped,
            exchange: browser
        )
    }

    /// What is said of rounds that were seen, with the provider's word where it had enough of them: its refusal is covered by that.
    static func following(_ violation: Violation, in flow: Flow) -> Violation {
        var told = violation
        if let refusal = flow.loginAttempts.compactMap(\.refusal).first(where: { $0.says([enough]) }) {
            told.evidence.append(refusal.evidence(around: [enough]))
        }
        if let answer = flow.tokenRequests.map(\.answer).first(where: { $0.errorText.containsBytes(enough) })
        {
            told.evidence.append(answer.evidence())
            told.explains.formUnion(["token-invalid-grant", "token-endpoint-error"])
            // An API's 401 explains a circle.
            told.isCause = told.isCause || !BearerCall.all(in: flow).contains { $0.call.answer.status == 401 }
        }
        return told
    }

    /// Whether an exchange is the login's own, or one that a redirect led to.
    private static func isOnTheWay(_ exchange: Int, _ flow: Flow) -> Bool {
        if case .authorizationRequest = flow.surroundings.messages[exchange] { return true }
        return flow.surroundings.redirectedFrom[exchange] != nil
    }

    /// How browsers say it, in lower case: Chrome, Firefox, Safari.
    static let gaveUp = [
        "too_many_redirects", "redirect_loop", "too many redirects", "too many http redirects",
    ]
    /// Entra's word for it.
    private static let enough = "aadsts50196"
    private static let stopped = """
        The same request was made again and again within a short time, until it was stopped. The app does not know the session or the tokens that it \
        has just got, and asks anew each time.
        """
}
