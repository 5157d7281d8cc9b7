import Captures
import Flows
import OAuth

/// The provider says, on a page of its own, that it does not know the redirect URI.
///
/// It must not send the user there (RFC 6749, section 3.1.2.4), so the app never hears of it. Compared are
/// whole strings: a slash at the end, another port or `http` for `https` make another URI. Register the
/// string that the app sends, or send the one that is registered.
struct RedirectURINotRegistered: Rule {
    static let info = RuleInfo(
        id: "redirect-uri-not-registered",
        title: "The provider does not know this redirect URI",
        severity: .error,
        explanation: """
            The provider compared the redirect_uri of the request with those registered for this client and found none that is the same \
            string. It may not redirect to an address it does not know, so it stopped on a page of its own and the app never got an answer.
            """,
        fix: """
            Register exactly the string that the app sends, or make the app send a registered one. Compare scheme, host, port, path, upper \
            and lower case, and the slash at the end.
            """,
        badExample: """
            registered  https://app.example/callback
            GET /authorize?client_id=shop&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback%2F…
            400 Bad Request: Invalid parameter: redirect_uri
            """,
        goodExample: """
            registered  https://app.example/callback
            GET /authorize?client_id=shop&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback…
            302 Found, Location: https://app.example/callback?code=…
            """,
        specifications: [.rfc(6749, "3.1.2.4"), .rfc(9700, "2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let refused = RefusedRedirectURI(in: flow)
        return switch refused.saying {
        case .atLogin(let request, let words): .violated(violation(request, words, flow))
        case .atPush(let push):
            .violated(
                violation(RefusedAddress(of: push), push.refusal.evidence(), saying: push.refusal.text, flow)
            )
        case nil: refused.isPageUnseen ? .abstains(Gap.errorPage) : .holds
        }
    }

    /// With where the browser came from, as far as that shows why the provider does not take the address.
    private func violation(_ request: AuthorizationRequest, _ refusal: Evidence, _ flow: Flow) -> Violation {
        var violation = violation(RefusedAddress(of: request), refusal, saying: refusal.value, flow)
        guard violation.fix == nil else { return violation }
        if let beginning = beginning(elsewhere: request, flow) {
            violation.evidence.append(beginning)
            violation.fix = Self.elsewhereFix
        } else if let beginning = beginning(inClear: request, flow) {
            violation.evidence.append(beginning)
            violation.fix = Self.inClearFix
        }
        return violation
    }

    /// With what to do in this very case, as far as the address shows why the provider does not take it.
    private func violation(
        _ address: RefusedAddress,
        _ refusal: Evidence,
        saying words: String,
        _ flow: Flow
    ) -> Violation {
        Violation(
            (address.evidence.map { [$0] } ?? []) + [refusal] + address.surroundings(in: flow),
            saying: address.words(refusedIn: words, in: flow),
            exchange: address.exchange,
            explains: ["authz-missing-parameter"]
        )
    }

    /// The page at http from which the app asked to be answered at http.
    ///
    /// It builds the address that it sends from the one that it is opened at. Of a page at https another rule tells, and where the
    /// provider answers at http that is not what is wrong.
    private func beginning(inClear request: AuthorizationRequest, _ flow: Flow) -> Evidence? {
        guard let uri = request.redirectURI.map({ RecordedURL($0) }), uri.scheme?.lowercased() == "http",
            let host = uri.host, !LoopbackHost.isLoopback(host),
            let source = flow.surroundings.redirectedFrom[request.exchange],
            !KnownRedirectURIs.of(flow).areAcceptedInClear(at: uri)
        else { return nil }
        let start = flow.capture[source].request.url
        guard start.scheme?.lowercased() == "http", start.host == host, start.port == uri.port else {
            return nil
        }
        return Evidence(
            place: Place(exchange: source, part: .requestURL, name: ""),
            value: Masking.shown(start.withoutQuery, of: "url"),
            note: "where the login began: over http, as the redirect URI that the app sent"
        )
    }

    /// Where a server that is not on this machine began the login, which is to be answered on this machine, or at a name that is none on
    /// the internet.
    ///
    /// An app on a device that is begun by a page of its maker's takes whatever port is free, or tells that page its own.
    private func beginning(elsewhere request: AuthorizationRequest, _ flow: Flow) -> Evidence? {
        guard let uri = request.redirectURI.map({ RecordedURL($0) }), uri.isWeb, let host = uri.host,
            LoopbackHost.isLoopback(host) || !host.contains(".") && !host.contains(":"),
            !(uri.explicitPort.map(LoopbackHost.isChosenAnew) ?? false),
            let source = flow.surroundings.redirectedFrom[request.exchange]
        else { return nil }
        let start = flow.capture[source].request.url
        guard let name = start.host, name.contains("."), !LoopbackHost.isLoopback(name),
            start.origin != request.endpoint.origin,
            !(uri.explicitPort.map { start.text.containsBytes("\($0)") } ?? false)
        else { return nil }
        return Evidence(
            place: Place(exchange: source, part: .requestURL, name: ""),
            value: Masking.shown(start.withoutQuery, of: "url"),
            note: "where the login began; the redirect URI is at \(host)"
        )
    }

    private static let elsewhereFix = """
        Tell the app the address by which its users know it, and register the redirect URI below that one: it took \
        a default, or its name inside of a network. Grafana: root_url. Auth.js: AUTH_URL (NEXTAUTH_URL). Argo CD: url in argocd-cm. \
        GitLab: external_url. Others call it base, public or external URL, or go by X-Forwarded-Host of the proxy in front.
        """

    private static let inClearFix = """
        The app was opened at an http address and asked to be answered there. Where its https address is the registered one, open it at that, and \
        have http redirected to https before a login can begin; do not register the http address instead.
        """
}
