import Captures
import Flows
import OAuth

/// A page served over https asks the provider to come back over http to the same host: the app does not see
/// that a proxy before it speaks TLS.
///
/// Or it is the provider that does not, and whose forms are lost at the redirect to https.
struct ProxySchemeDowngrade: Rule {
    static let info = RuleInfo(
        id: "proxy-scheme-downgrade",
        title: "The app behind the proxy believes it runs on plain http",
        severity: .errorWhenRefused,
        explanation: """
            The login began on an https page, and the redirect URI that the app built for it names the same host with http. Behind a proxy that \
            ends TLS the app sees plain http only, unless it is told otherwise, and builds its addresses accordingly.
            """,
        fix: """
            Let the proxy send X-Forwarded-Proto (or Forwarded) and make the app trust it (Spring: server.forward-headers-strategy; oauth2-proxy: \
            --reverse-proxy), or configure the app's public address. Do not register the http address at the provider instead.
            """,
        badExample: """
            GET https://app.example/login → 302 /authorize?…&redirect_uri=http%3A%2F%2Fapp.example%2Fcallback
            """,
        goodExample: """
            GET https://app.example/login → 302 /authorize?…&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback
            """,
        specifications: [.rfc(6749, "3.1.2"), SpecificationReference(text: "RFC 7239", url: nil)]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let lost = LostForm.found(in: flow), lost.isOfScheme {
            return .violated(lost.violation(in: flow))
        }
        for attempt in flow.loginAttempts {
            guard let sent = attempt.parameter("redirect_uri"), let request = attempt.request,
                let start = start(of: request, flow), isDowngrade(RecordedURL(sent.value), start.url)
            else { continue }
            var evidence = [start.evidence, Evidence(sent)]
            if let refusal = attempt.refusal, mayBeForIt(refusal, flow) {
                evidence.append(refusal.evidence())
            }
            return .violated(
                Violation(evidence, severity: severity(attempt, flow), exchange: sent.place.exchange)
            )
        }
        return .holds
    }

    private func severity(_ attempt: LoginAttempt, _ flow: Flow) -> Severity {
        // An app that shows an error or its page to sign in at once more tells of what the provider said.
        if let refusal = attempt.refusal { return mayBeForIt(refusal, flow) ? .error : .warning }
        guard flow.ending != .success, let callback = attempt.response?.callback else { return .warning }
        if case .rejected = flow.fate(ofCallback: callback) { return .error }
        return flow.capture[callback].response == nil ? .error : .warning
    }

    /// Whether the redirect URI may be what was refused: an error that came to it, or that names something else, is not about it
    /// (RFC 6749, section 4.1.2.1), nor is a failure inside the provider.
    private func mayBeForIt(_ refusal: RequestRefusal, _ flow: Flow) -> Bool {
        guard refusal.isOfTheRequest else { return false }
        if refusal.says(Self.ofAddresses) { return true }
        if RefusedRedirectURI(in: flow).saying != nil { return true }
        let isOfClients = refusal.says(Self.ofClients)
        guard refusal.channel != .delivered, (refusal.status ?? 0) < 500, !refusal.says(Self.ofOthers),
            !isOfClients || isOfIdentityServer(refusal, flow), RefusedClientID(in: flow).saying == nil
        else { return false }
        guard let error = refusal.error, !isOfClients else { return true }
        // Which has words of its own, and they speak of no address.
        return error == "invalid_request" && refusal.text.utf8.count <= error.utf8.count
    }

    /// "http" alone would be in every address that a description leads its reader to.
    private static let ofAddresses = [
        "redirect", "callback", "return url", "reply url", "use https", "using https", "requires https",
        "https is required", "must be https", "only https", "https only", "http is ", "http scheme",
        "plain http", "insecure protocol",
    ]

    /// Errors and parameters that a page may name, and that are about no address.
    private static let ofOthers = [
        "invalid_scope", "unsupported_response_type", "unsupported_response_mode", "invalid_target",
        "invalid_request_object", "request_not_supported", "request_uri_not_supported",
        "code_challenge",
    ]
    private static let ofClients = ["unauthorized_client", "invalid_client"]

    /// Whose page has unauthorized_client for an address as well, and the reason in its log.
    private func isOfIdentityServer(_ refusal: RequestRefusal, _ flow: Flow) -> Bool {
        refusal.channel == .page
            && flow.capture[refusal.exchange].request.url.queryItems.first("errorId") != nil
    }

    /// The page that made the request: the redirect that led to it, with https where a proxy says that it ended that, else what its
    /// `Referer` names.
    private func start(of request: AuthorizationRequest, _ flow: Flow) -> (
        url: RecordedURL, evidence: Evidence
    )? {
        if let source = flow.surroundings.redirectedFrom[request.exchange] {
            let page = flow.capture[source].request
            let url = page.urlOfBrowser
            return (
                url,
                Evidence(
                    place: Place(exchange: source, part: .requestURL, name: ""),
                    value: url.withoutQuery,
                    note: url == page.url ? nil : "as X-Forwarded-Proto tells the app, which did not heed it"
                )
            )
        }
        guard let referer = flow.capture[request.exchange].request.headers.first("referer") else {
            return nil
        }
        let url = RecordedURL(referer)
        let place = Place(exchange: request.exchange, part: .requestHeader, name: "Referer")
        return (url, Evidence(place: place, value: url.withoutQuery))
    }

    /// Many things share the names of the user's own machine, and http is right there for an app on it (RFC 8252, section 7.3).
    private func isDowngrade(_ uri: RecordedURL, _ start: RecordedURL) -> Bool {
        guard start.scheme?.lowercased() == "https", uri.scheme?.lowercased() == "http",
            let host = uri.host, host == start.host, !start.isOnLoopback
        else { return false }
        return uri.port == start.port || uri.explicitPort == nil || uri.port == 80
    }
}
