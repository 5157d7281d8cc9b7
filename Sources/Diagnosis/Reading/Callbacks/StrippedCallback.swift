import Captures
import Flows
import OAuth

/// A code that the provider's redirect had, and that the request to the redirect URI had not any more.
///
/// Told where the app refused the request, and nothing in the capture shows that the code came to somebody after all.
struct StrippedCallback {
    /// The exchange whose redirect has the code.
    private let redirect: Int
    /// The request that came without it.
    private let exchange: Int
    private let refusal: (place: Place, note: String)

    /// Nil where the code was not lost, or where the app went on all the same.
    init?(_ attempt: LoginAttempt, in flow: Flow) {
        guard let response = attempt.response, response.callback == nil, response.mode == .query,
            !(response.code ?? "").isEmpty, response.parameters["response"] == nil, response.target.isWeb,
            let redirect = response.deliveredBy,
            flow.capture[redirect].response?.location != nil,
            let exchange = Self.callback(behind: redirect, of: response, flow),
            let refusal = Self.refusal(of: exchange, attempt, flow),
            HandedOnCode.isCarried(response, in: flow.surroundings) != true
        else { return nil }
        self.redirect = redirect
        self.exchange = exchange
        self.refusal = refusal
    }

    /// The request that follows the redirect, to the very address, with nothing in it that an app could go on with.
    private static func callback(behind redirect: Int, of response: AuthorizationResponse, _ flow: Flow)
        -> Int?
    {
        let target = response.target
        let given = flow.capture[redirect]
        // A browser follows a redirect at once. What it asks of the app behind another page of the app's, or later, its user wants.
        let next = flow.surroundings.withoutAssets(after: redirect).prefix(mostBetween).first {
            flow.capture[$0].request.urlOfBrowser.origin == target.origin
        }
        guard let next, !flow.capture[next].client.isOther(than: given.client),
            flow.capture[next].request.headers.first("user-agent")
                == given.request.headers.first("user-agent"),
            flow.capture[next].request.urlOfBrowser.normalizedWithoutQuery == target.normalizedWithoutQuery,
            flow.capture[next].startedAt - given.endedAt <= longestWay
        else { return nil }
        let request = flow.capture[next].request
        let items = request.url.queryItems
        let state = items.first("state")
        guard request.method == "GET", state == nil || state == response.state,
            !["code", "error", "response", "id_token"].contains(where: { items.first($0) != nil })
        else { return nil }
        return next
    }

    /// What the app's server asks of others before its answer was written down.
    private static let mostBetween = 8
    private static let longestWay = Duration.seconds(5)

    /// How the app refused it: an error, by whatever redirects, its page to sign in at, a new login, or a redirect that takes all
    /// its cookies back; nil where it did not.
    private static func refusal(of exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> (place: Place, note: String)?
    {
        guard let answer = flow.capture[exchange].response else { return nil }
        if answer.status >= 400 {
            return (Place(exchange: exchange, part: .responseStatus, name: ""), "refused")
        }
        guard (300..<400).contains(answer.status), let location = answer.location else { return nil }
        let url = flow.capture[exchange].request.url.resolving(location)
        let isNewLogin =
            attempt.request.map {
                $0.endpoint.normalizedWithoutQuery == url.normalizedWithoutQuery
            } ?? false
        let place = Place(exchange: exchange, part: .responseLocation, name: "")
        if isNewLogin || ErrorRedirect.isSignInPage(url) { return (place, "sent to sign in again") }
        if ErrorRedirect.parameter(of: url) != nil { return (place, "sent to an error") }
        if TurnedAway.isForgotten(exchange, in: flow.surroundings) {
            return (place, "sent away, not signed in")
        }
        let end = FailedLoginNotice.landing(of: exchange, in: flow.surroundings)
        guard let status = flow.capture[end].response?.status, status >= 400 else { return nil }
        return (Place(exchange: end, part: .responseStatus, name: ""), "refused")
    }

    func violation(in flow: Flow) -> Violation {
        let names = flow.capture[exchange].request.url.queryItems.items.map(\.name)
        let sent = flow.urlEvidence(
            of: exchange,
            note: names.isEmpty
                ? "came without a query" : "came with \(names.prefix(12).joined(separator: ", ")) alone"
        )
        let answer =
            refusal.place.part == .responseStatus
            ? flow.statusEvidence(of: refusal.place.exchange ?? exchange, note: refusal.note)
            : flow.locationEvidence(of: exchange, note: refusal.note)
        let given = flow.locationEvidence(of: redirect, note: "with a code")
        return Violation(
            [given, sent, answer].compactMap(\.self),
            saying: Self.words,
            exchange: exchange
        )
    }

    private static let words = Violation.Words(
        title: "The code was lost on the way to the redirect URI",
        explanation: """
            The provider's redirect has a code. The request that came to the redirect URI after it has none, so the app had nothing that it could \
            exchange, and did not let the user in.
            """,
        fix: """
            Look for what stands before the app and changes addresses: a proxy, a gateway, a rewrite rule, a filter that takes parameters out. Have it pass \
            the query on as it came (nginx: a rewrite or return with $is_args$args; Apache: the flag QSA), with all that the provider put into it.
            """
    )
}
