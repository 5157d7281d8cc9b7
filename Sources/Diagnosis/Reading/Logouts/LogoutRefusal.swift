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
        var sent = logout.names
        sent.note = "what was sent"
        let hint = logout.isHintNamed ? logout.hint : nil
        // Keycloak's second way, for apps that end a session without a browser.
        let isByRefreshToken =
            logout.call.parameters.contains("refresh_token")
            && !logout.call.parameters.contains("id_token_hint")
        return Violation(
            [
                words.isEmpty
                    ? logout.answer(in: flow)
                    : Evidence(
                        place: Place(exchange: exchange, part: .responseBody, name: ""),
                        value: Masking.shown(Excerpt.start(of: words, 120), of: "body"),
                        note: "refused with status \(status)"
                    ),
                sent,
            ] + (hint.map { [Evidence($0, note: "nothing that can be seen in it is wrong")] } ?? []),
            saying: hint != nil ? ofHint : isByRefreshToken ? ofRefreshToken : plain,
            exchange: logout.call.exchange
        )
    }

    // MARK: - Words

    private static let title = "The provider refused the logout request"
    private static let explanation =
        "The provider answered the logout request with an error. What it says is all that the capture knows of the reason."

    private static let plain = Violation.Words(
        title: title,
        explanation: explanation,
        fix: """
            Go by the provider's words and its log; it names what it misses or does not accept of id_token_hint, client_id and \
            post_logout_redirect_uri.
            """
    )

    private static let ofHint = Violation.Words(
        title: title,
        explanation:
            "The provider answered the logout request with an error and blames its id_token_hint, in which nothing that can be seen is wrong.",
        fix: """
            Send the ID token of the very login that is to end, unchanged, to the realm and environment that issued it. A provider that \
            has new keys since, or was set up anew, cannot verify what it signed before: its log says so.
            """
    )

    private static let ofRefreshToken = Violation.Words(
        title: title,
        explanation: explanation,
        fix: """
            Go by the provider's words and its log; a client that ends a session by its refresh token authenticates as it does at the token endpoint, \
            and the token has to be the last that it got.
            """
    )
}
