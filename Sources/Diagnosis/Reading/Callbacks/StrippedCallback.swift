import Captures
import Flows
import OAuth

/// A code that the provider's redirect had, and that the request to the redirect URI had not any more.
///
/// Told where the app refused the request, or is a program that has no other way to its code, and nothing in the capture shows that
/// the code came to somebody after all.
struct StrippedCallback {
    /// The exchange whose redirect has the code.
    private let redirect: Int
    /// The request that came without it.
    let exchange: Int
    private let refusal: Evidence
    /// Whether it came to a program on this machine that had its browser opened.
    private let isOfProgram: Bool

    /// Nil where the code was not lost, or where the app went on all the same.
    init?(_ attempt: LoginAttempt, in flow: Flow) {
        guard let response = attempt.response, response.callback == nil, response.mode == .query,
            !(response.code ?? "").isEmpty, response.parameters["response"] == nil, response.target.isWeb,
            let redirect = response.deliveredBy,
            flow.capture[redirect].response?.location != nil,
            let exchange = Self.callback(behind: redirect, of: response, flow),
            let refusal = Self.refusal(of: exchange, attempt, flow)
                ?? Self.answer(ofProgramAt: exchange, attempt, flow),
            HandedOnCode.isCarried(response, in: flow.surroundings) != true
        else { return nil }
        self.redirect = redirect
        self.exchange = exchange
        self.refusal = refusal
        isOfProgram = Self.isListener(at: exchange, attempt, flow)
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
            flow.capture[next].request.userAgent
                == given.request.userAgent,
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

    /// How the app refused it: an error, by whatever redirects and on whatever page, its page to sign in at, a new login, or a
    /// redirect that takes all its cookies back; nil where it did not.
    private static func refusal(of exchange: Int, _ attempt: LoginAttempt, _ flow: Flow) -> Evidence? {
        guard let answer = flow.capture[exchange].response else { return nil }
        if answer.status >= 400 { return flow.statusEvidence(of: exchange, note: "refused") }
        if answer.isRedirection, let location = answer.location {
            let url = flow.capture[exchange].request.url.resolving(location)
            let isNewLogin =
                attempt.request.map {
                    $0.endpoint.normalizedWithoutQuery == url.normalizedWithoutQuery
                } ?? false
            let note: String? =
                if isNewLogin || ErrorRedirect.isSignInPage(url) {
                    "sent to sign in again"
                } else if ErrorRedirect.parameter(of: url) != nil {
                    "sent to an error"
                } else if TurnedAway.isForgotten(exchange, in: flow.surroundings) {
                    "sent away, not signed in"
                } else {
                    nil
                }
            if let note { return flow.locationEvidence(of: exchange, note: note) }
        }
        let end = FailedLoginNotice.landing(of: exchange, in: flow.surroundings)
        guard let status = flow.capture[end].response?.status else { return nil }
        if status >= 400 { return flow.statusEvidence(of: end, note: "refused") }
        // A broker has a page for errors, or tells its client.
        return flow.refusal(on: [end], redirectURI: nil)?.evidence(note: "refused")
    }

    /// How a program on this machine answered its browser: what it had to have from it did not come, whatever it says.
    private static func answer(ofProgramAt exchange: Int, _ attempt: LoginAttempt, _ flow: Flow) -> Evidence?
    {
        guard isListener(at: exchange, attempt, flow),
            let status = flow.capture[exchange].response?.status, (200..<300).contains(status)
        else { return nil }
        return flow.statusEvidence(
            of: exchange,
            note: "what the browser was told; the program had no code"
        )
    }

    /// Whether a program listens there for this one answer: the browser was not sent to the provider by a page of its, nor had it asked for
    /// anything there before.
    private static func isListener(at exchange: Int, _ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        let url = flow.capture[exchange].request.url
        guard url.isOnLoopback, let request = attempt.request,
            flow.surroundings.redirectedFrom[request.exchange] == nil
        else { return false }
        let before = flow.surroundings.order[..<flow.surroundings.position[exchange]]
        return !before.suffix(longestPast).contains { flow.capture[$0].request.url.origin == url.origin }
    }

    private static let longestPast = 4000

    func violation(in flow: Flow) -> Violation {
        let names = flow.capture[exchange].request.url.queryItems.items.map(\.name)
        let sent = flow.urlEvidence(
            of: exchange,
            note: names.isEmpty
                ? "came without a query" : "came with \(names.prefix(12).joined(separator: ", ")) alone"
        )
        let given = flow.locationEvidence(of: redirect, note: "with a code")
        return Violation(
            [given, sent, refusal].compactMap(\.self),
            saying: isOfProgram ? Self.wordsForPrograms : Self.words,
            exchange: exchange
        )
    }

    private static let wordsForPrograms = Violation.Words(
        title: "The code was lost on the way to the program",
        explanation: """
            The provider's redirect has a code. The request that came to the program's listener on this machine after it has none, so the program has nothing that it \
            could exchange, whatever it told the browser.
            """,
        fix: """
            Look for what changes addresses between the browser and this machine: an extension that takes parameters out, a proxy that is asked for 127.0.0.1 and localhost \
            too (leave both out of it: NO_PROXY), a port that is forwarded by something that drops the query.
            """
    )

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
