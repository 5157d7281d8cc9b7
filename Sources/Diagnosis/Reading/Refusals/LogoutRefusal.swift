import Captures
import Flows
import OAuth

/// A refusal of the logout that ended a flow which went well until then.
enum LogoutRefusal {
    /// `isExplained`: whether a rule of the logout's stage has something to say of the exchange.
    static func violation(in flow: Flow, unless isExplained: (Int) -> Bool) -> Violation? {
        guard flow.ending == .failure, !flow.tokenRequests.contains(where: \.answer.isRefusal),
            RejectedCallback.all(in: flow).isEmpty, let logout = LogoutCall.all(in: flow).last,
            case .refused(let place) = logout.course.end, let exchange = place.exchange,
            let status = flow.capture[exchange].response?.status, status < 500, status != 429
        else { return nil }
        guard !isExplained(logout.call.exchange) else { return nil }
        let body = flow.capture[exchange].response?.body
        let said = body?.isPage ?? false ? PageText.told(by: body) : logout.course.words
        // A hint that the provider repeats is a token.
        let words = Masking.hiding(logout.call.parameters["id_token_hint"] ?? "", in: said)
        return Violation(
            [
                words.isEmpty
                    ? logout.answer(in: flow)
                    : Evidence(
                        place: Place(exchange: exchange, part: .responseBody, name: ""),
                        value: Masking.shown(Excerpt.start(of: words, 120), of: "body"),
                        note: "refused with status \(status)"
                    ),
                Evidence(
                    place: Place(exchange: logout.call.exchange, part: .requestQuery, name: ""),
                    value: Masking.shown(
                        logout.call.parameters.items.map(\.name).joined(separator: ", "),
                        of: "parameters"
                    ),
                    note: "what was sent"
                ),
            ],
            explanation:
                "The provider answered the logout request with an error. What it says is all that the capture knows of the reason.",
            fix: """
                Go by the provider's words and its log; it names what it misses or does not accept of id_token_hint, client_id and \
                post_logout_redirect_uri.
                """,
            title: "The provider refused the logout request",
            exchange: logout.call.exchange
        )
    }
}
