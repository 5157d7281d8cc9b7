import Captures
import Flows
import OAuth

/// A login in a circle that somebody put an end to: the browser, which gave up, or the provider, which had enough.
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
        if let browser, let failure = flow.capture[browser].failure {
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
        let refusal = flow.loginAttempts.compactMap(\.refusal).first { $0.says([enough]) }
        if let refusal {
            return Violation(
                [refusal.evidence(around: [enough])],
                explanation: stopped,
                exchange: refusal.exchange
            )
        }
        let answer = flow.tokenRequests.map(\.answer).first { $0.errorText.containsBytes(enough) }
        return answer.map { answer in
            Violation(
                [answer.evidence()],
                explanation: stopped,
                exchange: answer.exchange,
                explains: ["token-invalid-grant", "token-endpoint-error"],
                isCause: true
            )
        }
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
