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
        for request in flow.authorizationRequests {
            // Whatever did reach the redirect URI is no refusal of it.
            if reached.isAnswered(request) { continue }
            // An address that was not sent is none that the provider does not know, though some word both alike.
            guard ["redirect_uri", "request", "request_uri"].contains(where: request.parameters.contains)
            else { continue }
            for page in ProviderPages.of(request, in: flow) {
                guard let refusal = refusal(on: page, of: request, in: flow) else {
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
        if let violation = pushed(in: flow) { return .violated(violation) }
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
        } else if Self.forbidden.contains(where: refusal.value.asciiLowercased().containsBytes) {
            violation.explanation = Self.ofKind
            violation.fix = Self.fix(forKindOf: request)
            violation.title = "The provider takes no redirect URI of this kind"
        } else if request.redirectURI.flatMap(CopiedAlong.removed) != nil {
            violation.fix = Self.copiedFix
        } else if Self.isList(request.redirectURI ?? "") {
            violation.fix = Self.listFix
        } else if hasChosenPort(request, flow) {
            violation.fix = Self.chosenPortFix
        } else if let beginning = beginning(inClear: request, flow) {
            violation.evidence.append(beginning)
            violation.fix = Self.inClearFix
        }
        return violation
    }

    /// The client's own registration, where it has the very string that was sent.
    private func registered(_ request: AuthorizationRequest, _ flow: Flow) -> Evidence? {
        guard let sent = request.redirectURI else { return nil }
        let call = flow.registrations(of: request.clientID).last { call in
            let uris = (call.answer.json?["redirect_uris"]?.array ?? []).compactMap(\.string)
            return uris.contains(bytesOf: sent)
        }
        return call.map { call in
            Evidence(
                place: call.answer.place("redirect_uris"),
                value: Masking.shown(sent, of: "redirect_uri"),
                note: "registered by the provider, the same string"
            )
        }
    }

    /// Whether an app sent all addresses of a setting instead of one of them.
    private static func isList(_ uri: String) -> Bool {
        let parts = uri.utf8.split { $0 == 0x2c || $0 == 0x20 || $0 == 0x3b }
        return parts.count > 1
            && parts.allSatisfy { RecordedURL(String(decoding: $0, as: UTF8.self)).scheme != nil }
    }

    private static func fix(forKindOf request: AuthorizationRequest) -> String {
        let uri = RecordedURL(request.redirectURI ?? "")
        if uri.scheme?.lowercased() == "urn" { return ofCopiedCodes }
        return LoopbackHost.isLoopback(uri.host ?? "") ? ofLoopback : ofOtherKinds
    }

    /// Said to the app's server, which pushed the request (RFC 9126, section 2.3).
    private func pushed(in flow: Flow) -> Violation? {
        for attempt in flow.loginAttempts where attempt.request == nil {
            guard let refusal = attempt.refusal, let sent = attempt.parameter("redirect_uri") else {
                continue
            }
            let text = refusal.text.asciiLowercased()
            let isSaid =
                refusal.error.map(Self.errors.contains) ?? false
                || (Self.texts + Self.readTexts).contains(where: text.containsBytes)
                || RefusalWording.unknownRedirectURI(in: refusal.text) != nil
            guard isSaid else { continue }
            return Violation([Evidence(sent), refusal.evidence()], exchange: attempt.exchange)
        }
        return nil
    }

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

    // MARK: - The refusal

    private func refusal(on page: Int, of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        let exchange = flow.capture[page]
        if let location = exchange.response?.location {
            let target = exchange.request.url.resolving(location)
            if let evidence = refusal(in: target, Place(exchange: page, part: .responseLocation, name: "")),
                !reaches(target, request), !isApps(target, request) || isMovedToAnother(target, request)
            {
                return evidence
            }
        }
        if let evidence = refusal(
            in: exchange.request.url,
            Place(exchange: page, part: .requestQuery, name: "")
        ) {
            return evidence
        }
        if let evidence = silentRefusal(on: page, of: request, in: flow) { return evidence }
        let reading = flow.surroundings.page(page)
        guard reading?.mentions(Self.keywords) ?? true,
            let response = exchange.response, let body = response.body, (body.size ?? 0) < 1 << 20,
            let bytes = body.bytes, reading != nil || PageReading.mentions(Self.keywords, in: bytes)
        else { return nil }
        let isError =
            response.status >= 400 || reading?.errorHeading != nil
            || ErrorPage.refusal(on: page, in: flow.surroundings) != nil
        let text: String
        let words: String
        if let found = Self.words(in: bytes, isError: isError) {
            (text, words) = (String(decoding: bytes, as: UTF8.self), found)
        } else {
            guard isError || !ErrorPage.asksForPassword(bytes) else { return nil }
            text = PageText.words(of: body)
            let isKeycloaks = isError && flow.provider == .keycloak
            guard
                let found = Self.words(onPage: text, isKeycloaks: isKeycloaks)
                    ?? (isError && request.redirectURI != nil
                        ? sentence(in: text, on: page, flow) : nil)
            else { return nil }
            words = found
        }
        return Evidence(
            place: Place(exchange: page, part: .responseBody, name: ""),
            value: Excerpt.around(words, in: text),
            note: "status \(response.status)"
        )
    }

    /// The words of a refusal that stand on a page, in lower case.
    private static func words(in page: [UInt8], isError: Bool) -> String? {
        let text = String(decoding: ASCIICase.lowercased(page), as: UTF8.self)
        return texts.first(where: text.containsBytes)
            ?? (isError ? errors.first(where: text.containsBytes) : nil)
    }

    /// The words of a refusal that a person reads on a page, in lower case.
    ///
    /// Keycloak translates all of its message but the name of the parameter.
    private static func words(onPage text: String, isKeycloaks: Bool) -> String? {
        let lower = text.asciiLowercased()
        return readTexts.first(where: lower.containsBytes)
            ?? (isKeycloaks && lower.containsBytes(": redirect_uri") ? ": redirect_uri" : nil)
    }

    /// The words of a sentence on a page of errors that says so, in lower case.
    ///
    /// The return URL that the answer to a sign-in form speaks of is where the sign-in itself leads back to, at the provider
    /// (`ReturnUrl` in ASP.NET).
    private func sentence(in text: String, on page: Int, _ flow: Flow) -> String? {
        guard let words = RefusalWording.unknownRedirectURI(in: text) else { return nil }
        return words.containsBytes("return url") && flow.isCredentialPost(page) ? nil : words
    }

    /// Each of ``texts``, ``readTexts`` and ``errors``, and all that ``RefusalWording`` knows of redirect URIs, has one of them.
    private static let keywords: [PageReading.Keyword] = [
        .redirect, .callback, .entra, .reply, .returnURL, .numberedMessage, .kakaoRedirect, .blockedFlow,
    ]

    /// The endpoint's own answer, and that an empty page of an error.
    ///
    /// Any other fault of a request is told to the app; a redirect URI that does not match, or a client that is not
    /// known, is the only one that may not be (RFC 6749, section 4.1.2.1).
    private func silentRefusal(on page: Int, of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        guard page == request.exchange, request.redirectURI != nil,
            let response = flow.capture[page].response, [400, 403].contains(response.status),
            response.headers.first("content-length") == "0"
        else { return nil }
        let isKnown = !(flow.surroundings.clients.codes[request.clientID ?? ""] ?? []).isEmpty
        return Evidence(
            place: Place(exchange: page, part: .responseStatus, name: ""),
            value: "\(response.status)",
            note: isKnown
                ? "an empty page instead of a redirect, though the client is known"
                : "an empty page instead of a redirect: the redirect URI does not match, or the client is not known"
        )
    }

    /// An error of one of these names in a URL of the provider.
    private func refusal(in url: RecordedURL, _ place: Place) -> Evidence? {
        for item in url.queryItems.items + url.fragmentItems.items {
            let value = item.value.asciiLowercased()
            let isError =
                ["error", "oautherrorcode", "error_code", "err"].contains(item.name.lowercased())
                && Self.errors.contains(value)
            // Google packs the message into a parameter, base64 around a binary record.
            let packed =
                item.name == "authError"
                ? String(decoding: Base64.decode(item.value), as: UTF8.self).asciiLowercased() : ""
            let words = ["redirect_uri_mismatch", Self.blockedFlow].first(where: packed.containsBytes)
            let isText =
                value.utf8.count < 2000 && (Self.texts + Self.readTexts).contains(where: value.containsBytes)
                || Self.messages.contains(where: item.name.lowercased().containsBytes)
                    && RefusalWording.unknownRedirectURI(in: item.value) != nil
            guard isError || words != nil || isText else { continue }
            return Evidence(
                place: Place(exchange: place.exchange, part: place.part, name: item.name),
                value: words ?? Masking.shown(item.value, of: item.name)
            )
        }
        return nil
    }

    private func reaches(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        request.redirectURI.map { RecordedURL($0).normalizedWithoutQuery == target.normalizedWithoutQuery }
            ?? false
    }

    /// Whether a URL is one of the app's, as far as its redirect URI tells; a provider's pages may have hosts of their own.
    private func isApps(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        guard target.host != request.endpoint.host else { return false }
        guard let uri = request.redirectURI.map({ RecordedURL($0) }) else { return true }
        return uri.host == target.host && uri.scheme == target.scheme
    }

    /// GitHub tells the callback that is registered instead of the one that was asked for.
    private func isMovedToAnother(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        target.queryItems.first("error") == "redirect_uri_mismatch"
    }

    /// What parameters with words in them are called.
    private static let messages = ["error", "msg", "message", "description", "reason", "detail"]

    private static let errors = [
        "redirect_uri_mismatch", "invalid_redirect_uri", "redirect_mismatch", "invalid_callback",
    ]

    /// Google's word for a way to be answered that it takes no more, in lower case.
    private static let blockedFlow = "flow has been blocked"

    /// Of a kind of address: Google's, and Entra's of schemes.
    private static let forbidden = [
        blockedFlow, "aadsts500111", "aadsts500117", "aadsts500118", "aadsts500119",
    ]

    /// How providers word it, in lower case.
    private static let texts = [
        "invalid parameter: redirect_uri", "aadsts50011", "error 400: redirect_uri_mismatch",
        "must be a login redirect uri in the client app settings", "callback url mismatch",
        "the redirection uri provided does not match a pre-registered value",
        "registered callback does not match with the provided url",
        "the redirect_uri must match the registered callback url", "invalid web redirect url",
        "invalid redirect_uri", "mismatching redirect uri", "unregistered redirect_uri",
        "'redirect_uri' is not valid for this client application",
    ]

    /// Read only outside of scripts, and of pages that ask for a password.
    ///
    /// Of providers that answer with 200, or whose words a help text may use too; in order: LinkedIn, GitHub, Facebook,
    /// Azure AD B2C, authentik, ZITADEL, Hydra, Spring, Doorkeeper (two of them), oidc-provider, Twitch, Amazon, Shopify, Intuit,
    /// Spotify, Salesforce, Zoom, HubSpot, LemonLDAP::NG, Facebook once more, Kakao (by its number), Google.
    private static let readTexts = [
        "redirect_uri does not match the registered value",
        "redirect_uri is not associated with this application",
        "redirect failed because the redirect uri is not", "aadb2c90006",
        "missing, invalid, or mismatching redirection uri",
        "redirect_uri is missing in the client configuration",
        "does not match any of the oauth 2.0 client's pre-registered redirect urls",
        "oauth 2.0 parameter: redirect_uri", "redirect uri included is not valid",
        "redirect uri is malformed or doesn't match client redirect uri",
        "redirect_uri did not match any", "redirect_uri does not match registered uri",
        "redirect uri you provided has not been whitelisted", "redirect_uri is not whitelisted",
        "redirect_uri query parameter value is invalid", "invalid redirect uri",
        "redirect_uri must match configuration", "invalid redirect url", "redirect url mismatch",
        "pe_unauthorizedurl", "isn't included in the app's domains", "koe006", blockedFlow,
    ]

    // MARK: - Evidence

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
