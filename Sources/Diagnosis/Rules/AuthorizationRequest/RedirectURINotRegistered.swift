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
        case .atPush(let push): .violated(violation(push))
        case nil: refused.isPageUnseen ? .abstains(Gap.errorPage) : .holds
        }
    }

    /// Said to the app's server, which pushed the request.
    private func violation(_ push: RefusedRedirectURI.Push) -> Violation {
        Violation(
            [Evidence(push.sent), push.refusal.evidence()],
            fix: push.fix,
            exchange: push.attempt.exchange
        )
    }

    /// With what to do in this very case, as far as the capture shows why the provider does not take the address.
    private func violation(_ request: AuthorizationRequest, _ refusal: Evidence, _ flow: Flow) -> Violation {
        var violation = Violation(
            evidence(request, refusal, flow),
            exchange: request.exchange,
            explains: ["authz-missing-parameter"]
        )
        if let registered = registered(request, flow) {
            violation.evidence.append(registered)
            violation.explanation = Self.registered
            violation.fix = Self.registeredFix
            violation.title = "The provider refuses a redirect URI that it has registered"
        } else if RedirectURIRefusal.isOfKind(refusal.value) {
            violation.explanation = RedirectURIKind.explanation
            violation.fix = RedirectURIKind.fix(
                for: request,
                isAtGoogle: RedirectURIRefusal.isGoogles(refusal.value)
            )
            violation.title = "The provider takes no redirect URI of this kind"
        } else if let fix = RedirectURIRemedy.fix(for: request, refusedIn: refusal.value, in: flow) {
            violation.fix = fix
        } else if let beginning = beginning(elsewhere: request, flow) {
            violation.evidence.append(beginning)
            violation.fix = Self.elsewhereFix
        } else if let beginning = beginning(inClear: request, flow) {
            violation.evidence.append(beginning)
            violation.fix = Self.inClearFix
        }
        return violation
    }

    /// The client's own registration at the provider that was asked, where it had the very string that was sent.
    private func registered(_ request: AuthorizationRequest, _ flow: Flow) -> Evidence? {
        guard let sent = request.redirectURI,
            let client = RegisteredClient.of(request.clientID, before: request.exchange, in: flow),
            client.call.endpoint.host == request.endpoint.host,
            let confirmed = client.confirmed(sent, in: "redirect_uris")
        else { return nil }
        return Evidence(
            place: confirmed.place,
            value: Masking.shown(sent, of: "redirect_uri"),
            note: "registered by the provider, the same string"
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
            !known(in: flow).areAcceptedInClear(at: uri)
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

    private static let registered = """
        The login sends the very redirect_uri that the provider itself has registered for this client, and its authorization endpoint \
        refuses it all the same. Nothing is wrong with the string that the app sends.
        """
    private static let registeredFix = """
        Look at the provider: for a list of hosts or schemes that its login allows and its registration does not ask for, and for a \
        registration that was not kept (another instance, a cache). Until then only an address on that list will do.
        """

    private static let inClearFix = """
        The app was opened at an http address and asked to be answered there. Where its https address is the registered one, open it at that, and \
        have http redirected to https before a login can begin; do not register the http address instead.
        """

    private func evidence(_ request: AuthorizationRequest, _ refusal: Evidence, _ flow: Flow) -> [Evidence] {
        guard let sent = request.parameters.parameter("redirect_uri") else { return [refusal] }
        let note = CopiedAlong.removed(from: sent.value).map {
            Difference.note(expected: $0, seen: sent.value)
        }
        var evidence = [Evidence(sent, note: note), refusal]
        if let (known, place) = nearest(to: sent.value, request, flow) {
            let note = Difference.note(expected: known, seen: sent.value)
            evidence.append(
                Evidence(
                    place: place,
                    value: Masking.shown(known, of: "redirect_uri"),
                    note: "known of this client; against it the one sent: \(note)"
                )
            )
        }
        return evidence
    }

    /// The other redirect URI of this client in the file that has most in common with the one sent.
    private func nearest(to sent: String, _ request: AuthorizationRequest, _ flow: Flow) -> (String, Place)? {
        known(in: flow).nearest(to: sent, of: request.clientID)
    }

    private func known(in flow: Flow) -> KnownRedirectURIs {
        flow.surroundings.derived.value { KnownRedirectURIs(in: flow.surroundings) }
    }
}
