import Captures
import Flows
import OAuth

/// How providers say that they do not know, or do not take, a redirect URI.
enum RedirectURIRefusal {
    /// Where it is said, on a page or in the address that the page leads to.
    static func evidence(on page: Int, of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        let address = flow.capture[page].request.url
        return onward(from: page, of: request, in: flow)
            ?? evidence(in: address, Place(exchange: page, part: .requestQuery, name: ""))
            ?? silentRefusal(on: page, of: request, in: flow)
            ?? words(on: page, of: request, in: flow)
    }

    /// In the address that a page of the provider's leads on to.
    private static func onward(from page: Int, of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        let exchange = flow.capture[page]
        guard let location = exchange.response?.location else { return nil }
        let target = exchange.request.url.resolving(location)
        guard
            let evidence = evidence(in: target, Place(exchange: page, part: .responseLocation, name: "")),
            !reaches(target, request), !isApps(target, request) || isMovedToAnother(target, request)
        else { return nil }
        return evidence
    }

    /// In what the page itself says.
    private static func words(on page: Int, of request: AuthorizationRequest, in flow: Flow) -> Evidence? {
        let reading = flow.surroundings.page(page)
        guard reading?.mentions(keywords) ?? true,
            let response = flow.capture[page].response, let body = response.body, (body.size ?? 0) < 1 << 20,
            let bytes = body.bytes, reading != nil || PageReading.mentions(keywords, in: bytes)
        else { return nil }
        let isError =
            response.status >= 400 || reading?.errorHeading != nil
            || ErrorPage.refusal(on: page, in: flow.surroundings) != nil
            || reading == nil && Answer(of: flow.capture[page], at: page).error != nil
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

    /// Whether an answer to the app's server says it (RFC 9126, section 2.3).
    static func isSaid(_ error: String?, _ text: String) -> Bool {
        let lower = text.asciiLowercased()
        return error.map(errors.contains) ?? false || (texts + readTexts).contains(where: lower.containsBytes)
            || RefusalWording.unknownRedirectURI(in: text) != nil
    }

    /// Whether words are of the kind of address, which is taken from nobody.
    static func isOfKind(_ words: String) -> Bool {
        forbidden.contains(where: words.asciiLowercased().containsBytes)
    }

    /// Whether words are those by which Google takes a kind of address from nobody.
    static func isGoogles(_ words: String) -> Bool { words.asciiLowercased().containsBytes(blockedFlow) }

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
    private static func sentence(in text: String, on page: Int, _ flow: Flow) -> String? {
        guard let words = RefusalWording.unknownRedirectURI(in: text) else { return nil }
        return words.containsBytes("return url") && flow.isCredentialPost(page) ? nil : words
    }

    /// Each of ``texts``, ``readTexts`` and ``errors``, and all that ``RefusalWording`` knows of redirect URIs, has one of them, but for the
    /// Chinese name, by which scripts are told.
    private static let keywords: [PageReading.Keyword] = [
        .redirect, .callback, .entra, .reply, .returnURL, .numberedMessage, .kakaoRedirect,
        .franceConnectRedirect, .blockedFlow, .unlistedDomain,
    ]

    /// The endpoint's own answer, and that an empty page of an error.
    ///
    /// Any other fault of a request is told to the app; a redirect URI that does not match, or a client that is not
    /// known, is the only one that may not be (RFC 6749, section 4.1.2.1). A request that lacks what every one has is wrong in that.
    private static func silentRefusal(on page: Int, of request: AuthorizationRequest, in flow: Flow)
        -> Evidence?
    {
        guard page == request.exchange, request.redirectURI != nil,
            request.parameters["response_type"]?.isEmpty == false, request.clientID?.isEmpty == false,
            let response = flow.capture[page].response, [400, 403].contains(response.status),
            response.headers.first("content-length") == "0"
        else { return nil }
        let isKnown = !(flow.surroundings.clients.codes[request.clientID ?? ""] ?? []).isEmpty
        return flow.statusEvidence(
            of: page,
            note: isKnown
                ? "an empty page instead of a redirect, though the client is known"
                : "an empty page instead of a redirect: the redirect URI does not match, or the client is not known"
        )
    }

    /// An error of one of these names in a URL of the provider.
    private static func evidence(in url: RecordedURL, _ place: Place) -> Evidence? {
        for item in url.queryAndFragmentItems.items {
            let value = item.value.asciiLowercased()
            let isError =
                ["error", "oautherrorcode", "error_code", "err"].contains(item.name.lowercased())
                && errors.contains(value)
            // Google packs the message into a parameter, base64 around a binary record.
            let packed =
                item.name == "authError"
                ? String(decoding: Base64.decode(item.value), as: UTF8.self).asciiLowercased() : ""
            let words = ["redirect_uri_mismatch", blockedFlow].first(where: packed.containsBytes)
            let isText =
                value.utf8.count < 2000 && (texts + readTexts).contains(where: value.containsBytes)
                || messages.contains(where: item.name.lowercased().containsBytes)
                    && RefusalWording.unknownRedirectURI(in: item.value) != nil
            guard isError || words != nil || isText else { continue }
            return Evidence(
                place: Place(exchange: place.exchange, part: place.part, name: item.name),
                value: words ?? Masking.shown(item.value, of: item.name)
            )
        }
        return nil
    }

    private static func reaches(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        request.redirectURI.map { RecordedURL($0).normalizedWithoutQuery == target.normalizedWithoutQuery }
            ?? false
    }

    /// Whether a URL is one of the app's, as far as its redirect URI tells; a provider's pages may have hosts of their own.
    private static func isApps(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        guard !target.isAtServer(of: request.endpoint) else { return false }
        guard let uri = request.redirectURI.map({ RecordedURL($0) }) else { return true }
        return target.isOfApp(answeredAt: uri, by: request.endpoint) && uri.scheme == target.scheme
    }

    /// GitHub and Twitch tell the callback that is registered instead of the one that was asked for.
    private static func isMovedToAnother(_ target: RecordedURL, _ request: AuthorizationRequest) -> Bool {
        target.queryItems.first("error").map(errors.contains) ?? false
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
        "redirect_uri не совпадает с callback url", "invalid redirect_uri", "mismatching redirect uri",
        "unregistered redirect_uri",
        "'redirect_uri' is not valid for this client application",
    ]

    /// Read only outside of scripts, and of pages that ask for a password.
    ///
    /// Of providers that answer with 200, or whose words a help text may use too; in order: LinkedIn, GitHub, Facebook,
    /// Azure AD B2C, authentik, ZITADEL, Hydra, Spring, Doorkeeper (two of them), oidc-provider, Twitch, Amazon, Shopify, Intuit,
    /// Spotify, Salesforce, Zoom, HubSpot, LemonLDAP::NG, Facebook once more, Kakao (by its number), Google, TikTok.
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
        "correct the following and try again: redirect_uri",
        // FranceConnect, by its number, and its first version by its words.
        "y030118", "url de callback est invalide",
    ]
}
