import Captures
import Flows
import JSON
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
        var abstains = false
        let reached = ReachedRedirectURIs(flow.authorizationResponses)
        // Of a request that is made again and again the pages of the first are those of all.
        for request in flow.logins.map(\.request) {
            // Whatever did reach the redirect URI is no refusal of it.
            if reached.isAnswered(request) { continue }
            // An address that was not sent is none that the provider does not know, though some word both alike.
            guard ["redirect_uri", "request", "request_uri"].contains(where: request.parameters.contains)
            else { continue }
            for page in ProviderPages.of(request, in: flow) {
                guard let refusal = RedirectURIRefusal.evidence(on: page, of: request, in: flow) else {
                    if let response = flow.capture[page].response, response.status >= 400,
                        !(response.body?.isRecorded ?? false)
                    {
                        abstains = true
                    }
                    continue
                }
                return .violated(violation(request, refusal, flow))
            }
        }
        if let violation = pushed(in: flow) ?? toldToScript(in: flow) { return .violated(violation) }
        return abstains ? .abstains(Gap.errorPage) : .holds
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
            violation.explanation = Self.ofKind
            violation.fix = Self.fix(
                forKindOf: request,
                isAtGoogle: RedirectURIRefusal.isGoogles(refusal.value)
            )
            violation.title = "The provider takes no redirect URI of this kind"
        } else if request.redirectURI.flatMap(CopiedAlong.removed) != nil {
            violation.fix = Self.copiedFix
        } else if Self.isList(request.redirectURI ?? "") {
            violation.fix = Self.listFix
        } else if Self.isBrokers(request.redirectURI ?? "") {
            violation.fix = Self.brokersFix
        } else if Self.isNameOfLoopback(request.redirectURI, refusal.value) {
            violation.fix = Self.loopbackFix
        } else if hasChosenPort(request, flow) {
            violation.fix = Self.chosenPortFix
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

    /// Whether an app sent all addresses of a setting instead of one of them.
    private static func isList(_ uri: String) -> Bool {
        let parts = uri.utf8.split { $0 == 0x2c || $0 == 0x20 || $0 == 0x3b }
        // In a query such characters may stand for themselves.
        return parts.count > 1 && !parts.dropLast().contains { $0.contains(0x3f) }
            && parts.allSatisfy { RecordedURL(String(decoding: $0, as: UTF8.self)).scheme != nil }
    }

    /// Whether it is one of those at which Microsoft's libraries (MSAL) are answered in apps, by the broker or the browser.
    private static func isBrokers(_ uri: String) -> Bool {
        let scheme = (RecordedURL(uri).scheme ?? "").asciiLowercased()
        return scheme == "msauth" || scheme.hasPrefix("msauth.")
    }

    private static let brokersFix = """
        Register this very address for the app (Authentication, iOS / macOS or Android). Android: behind msauth:// stand the package and the percent-encoded Base64 of \
        the SHA-1 of the certificate that this build is signed with: debug builds, release builds and what Google Play signs anew have each another one, \
        and each is registered by itself. iOS: it is msauth.BUNDLE-ID://auth.
        """

    private static func fix(forKindOf request: AuthorizationRequest, isAtGoogle: Bool) -> String {
        let uri = RecordedURL(request.redirectURI ?? "")
        if uri.scheme?.lowercased() == "urn" { return ofCopiedCodes }
        return isAtGoogle && LoopbackHost.isLoopback(uri.host ?? "") ? ofLoopback : ofOtherKinds
    }

    /// Said to the app's server, which pushed the request (RFC 9126, section 2.3).
    private func pushed(in flow: Flow) -> Violation? {
        for attempt in flow.loginAttempts where attempt.request == nil {
            guard let refusal = attempt.refusal, let sent = attempt.parameter("redirect_uri") else {
                continue
            }
            guard RedirectURIRefusal.isSaid(refusal.error, refusal.text) else { continue }
            return Violation(
                [Evidence(sent), refusal.evidence()],
                fix: Self.isNameOfLoopback(sent.value, refusal.text) ? Self.loopbackFix : nil,
                exchange: attempt.exchange
            )
        }
        return nil
    }

    /// Said to the script that makes the provider's page, and handed the request on.
    private func toldToScript(in flow: Flow) -> Violation? {
        for attempt in flow.loginAttempts {
            guard let request = attempt.request, let refusal = attempt.refusal, refusal.isToldToScript,
                RedirectURIRefusal.isSaid(refusal.error, refusal.text)
            else { continue }
            return violation(request, refusal.evidence(), flow)
        }
        return nil
    }

    /// Whether an address has the name of this machine, and is refused in words that speak of its number or of how it is read.
    private static func isNameOfLoopback(_ uri: String?, _ words: String) -> Bool {
        guard let url = uri.map({ RecordedURL($0) }), url.scheme?.lowercased() == "http",
            url.host == "localhost"
        else { return false }
        let lower = words.asciiLowercased()
        return lower.containsBytes("127.0.0.1") || lower.containsBytes("insecure")
    }

    private static let loopbackFix = """
        Send http://127.0.0.1 with the port in place of http://localhost, in the token request too, and register it so: this provider takes plain http for the address of the \
        machine itself alone, not for a name that could lead elsewhere (RFC 8252, section 8.3). A web app has its https address instead.
        """

    /// Whether an app on this machine listens at a port that nobody could register, as it is another one each time.
    private func hasChosenPort(_ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard let uri = request.redirectURI.map({ RecordedURL($0) }), uri.scheme?.lowercased() == "http",
            LoopbackHost.isLoopback(uri.host ?? ""), let port = uri.explicitPort,
            LoopbackHost.isChosenAnew(port: port)
        else { return false }
        return !ClientKind.isWebApp(at: uri.origin, flow)
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

    private static let registered = """
        The login sends the very redirect_uri that the provider itself has registered for this client, and its authorization endpoint \
        refuses it all the same. Nothing is wrong with the string that the app sends.
        """
    private static let registeredFix = """
        Look at the provider: for a list of hosts or schemes that its login allows and its registration does not ask for, and for a \
        registration that was not kept (another instance, a cache). Until then only an address on that list will do.
        """

    /// What an app shows that lets its user copy the code was taken once, and a listener on the machine for every kind of client.
    private static let ofKind = """
        The provider looks at what kind of address a redirect_uri is before it compares it with those that are registered, and takes none \
        of this kind, or none for a client of this type.
        """
    private static let ofCopiedCodes = """
        Addresses that show the code for copying (urn:ietf:wg:oauth:2.0:oob) are no longer taken: let the app listen on http://127.0.0.1 \
        at a port of its choice, or use a private-use scheme, with a client of the type desktop or mobile. Where there is no browser, use \
        the device grant.
        """
    private static let ofLoopback = """
        Use a client of the type desktop app, for which Google takes loopback addresses. An app on Android or iOS, or an extension of a \
        browser, has a way of its own: the app's scheme, or Google's library for it.
        """
    private static let ofOtherKinds = """
        Send https for a web app, http for an address of the machine itself alone, and for an app its private-use scheme, each registered \
        under the platform that it is of.
        """

    private static let listFix = """
        The redirect_uri holds several addresses: a setting that lists all of them was sent as a whole. Choose the one at which this app \
        is to be answered, by where it runs, and send that alone, in the token request too.
        """

    private static let inClearFix = """
        The app was opened at an http address and asked to be answered there. Where its https address is the registered one, open it at that, and \
        have http redirected to https before a login can begin; do not register the http address instead.
        """

    private static let copiedFix = """
        Take off what stands around the redirect URI where it is kept, or where the app reads it: white space, a line break, quotation \
        marks. They came along out of the file or the setting, and are no part of the registered one.
        """

    private static let chosenPortFix = """
        Where the app takes whatever port is free, register the address without a port. Providers that follow RFC 8252, section 7.3 leave the \
        port out of the comparison, many of them for 127.0.0.1 and [::1] only and not for localhost: send that address then. With any other \
        provider listen on one of a fixed set of ports, and register each.
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

/// Where the responses of a flow went.
private struct ReachedRedirectURIs {
    private struct Answers {
        var hasCode = false
        var states: Set<String?> = []
    }

    private var byTarget: [String: Answers] = [:]

    init(_ responses: [AuthorizationResponse]) {
        for response in responses {
            let target = response.target.normalizedWithoutQuery
            if response.code != nil { byTarget[target, default: Answers()].hasCode = true }
            byTarget[target, default: Answers()].states.insert(response.state)
        }
    }

    func isAnswered(_ request: AuthorizationRequest) -> Bool {
        guard let uri = request.redirectURI, let answers = byTarget[RecordedURL(uri).normalizedWithoutQuery]
        else {
            return false
        }
        return request.state == nil || answers.hasCode || answers.states.contains(request.state)
    }
}
