import Captures
import Flows
import OAuth

extension CallbackCourse {
    /// That the app set no cookie where it sent the browser to the provider, by which it could know the login again, and got
    /// none back.
    static func beginningWithoutCookie(of callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request,
            flow.capture[callback.place].request.cookies.isEmpty,
            let beginning = flow.surroundings.redirectedFrom[request.exchange],
            flow.capture[beginning].request.url.host == flow.capture[callback.exchange].request.url.host,
            // Some exports have no cookies, though they have credentials.
            [callback.place, beginning].allSatisfy(flow.surroundings.areCookiesRecorded(at:)),
            flow.capture[beginning].request.cookies.isEmpty,
            flow.capture[beginning].response?.setCookies.isEmpty ?? false,
            !isKnown(request, before: flow.capture[beginning])
        else { return nil }
        return Evidence(
            place: Place(exchange: beginning, part: .responseHeader, name: "Set-Cookie"),
            value: "none",
            note: "the app began the login without a cookie to know it by when the answer comes"
        )
    }

    /// Whether the login had its state before the browser came, as that of a program has that opens the browser with it: nothing of it
    /// is in the browser's keeping.
    private static func isKnown(_ request: AuthorizationRequest, before beginning: Exchange) -> Bool {
        guard let state = request.state, !state.isEmpty else { return false }
        return beginning.request.url.queryItems.items.contains { $0.value == state }
    }

    /// The page of the provider's that the browser was taken to by itself, and at which the login began for it: nothing of the app's came
    /// before, and the callback brought no cookie.
    static func beginningAtProvider(of callback: RejectedCallback, _ flow: Flow) -> Evidence? {
        let answered = flow.capture[callback.exchange].request
        let surroundings = flow.surroundings
        guard let request = flow.logins.first(where: { $0.response?.callback == callback.exchange })?.request,
            callback.place == callback.exchange, !callback.isRedeemed(in: flow), answered.cookies.isEmpty,
            surroundings.areCookiesRecorded(at: callback.exchange), answered.url.isWeb,
            let app = answered.url.host, !LoopbackHost.isLoopback(app),
            let provider = request.endpoint.origin
        else { return nil }
        let before = surroundings.order[..<surroundings.position[callback.exchange]].suffix(mostBefore)
        guard !before.contains(where: { flow.capture[$0].request.url.host == app }),
            let page = before.first(where: { flow.capture[$0].request.url.origin == provider }),
            case let headers = flow.capture[page].request.headers,
            headers.first("sec-fetch-site") == "none", headers.first("sec-fetch-dest") == "document"
        else { return nil }
        return flow.urlEvidence(
            of: page,
            note:
                "where the browser began: from a bookmark, its history or an address that was typed, not sent by the app"
        )
    }

    /// As many exchanges as a sign-in has.
    private static let mostBefore = 200

    static let atProvider = """
        The browser did not come from the app: it began at a page of the provider's, by a bookmark, its history, a copied address or another program. The provider signed the user in and answered the \
        login that the page was part of. An app that keeps its logins in the browser's session knows those alone that it has begun there itself, and not long ago; this one refused the answer, which \
        came without a cookie.
        """
    static let atProviderFix = """
        Begin the login at the app, and bookmark the app's address, not that of the sign-in page. Have the app's callback begin a new login where it does not know an answer: the user is signed in at the \
        provider and sees nothing of it.
        """

    static let withoutCookie = """
        The app sent the browser to the provider without setting a cookie, and had none from before. An app that keeps its logins in a session has nothing to \
        know the answer by then, and this one refused it. Where that is the reason, the provider had no part in it, and neither had the browser.
        """
    static let withoutCookieFix = """
        Find out why the app set no session cookie where the login began. Behind a proxy that ends TLS, Express sets none that is Secure until it is told to trust \
        the proxy (trust proxy, and X-Forwarded-Proto: https from the proxy); else the session's middleware is not on this path, its store is down, or \
        something in front of the app takes Set-Cookie out. An app that needs no cookie has its reason in its own log for this time.
        """
}
