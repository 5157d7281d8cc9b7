import Captures
import Flows
import OAuth

/// A cookie that a callback sets, and that browsers do not send to the page which the callback leads to: the app does not know
/// there whom it has just signed in.
struct WithheldSession {
    /// The cookie as it was set, and what keeps it from the page.
    var evidence: Evidence
    /// Whether none of the cookies that the callback sets gets there.
    var isAllThatIsSet: Bool
    private var obstacle: CookieDelivery.Obstacle

    /// Nil where the callback leads to no page, sets nothing, or what it sets gets there or is too large, which is told otherwise.
    init?(setBy callback: Int, in flow: Flow) {
        let exchange = flow.capture[callback]
        guard let location = exchange.response?.location else { return nil }
        let pages = Self.way(behind: callback, flow)
        guard (pages.isEmpty ? [callback] : pages).allSatisfy(flow.surroundings.areCookiesRecorded(at:))
        else { return nil }
        let way = pages.map { flow.capture[$0].request }
        let sending = Self.sending(
            to: exchange.request.urlOfBrowser.resolving(location),
            way.first,
            behind: exchange
        )
        // What goes on with an answer of its own is a broker, and knows its user.
        guard sending.url.isWeb, sending.url.queryItems.first("code") == nil else { return nil }
        let sent = Set(way.flatMap(\.cookies).map(\.name))
        let settings = LoginCookies.settings(callback, flow)
        let found = settings.filter { !sent.contains($0.cookie.name) }.compactMap { setting in
            CookieDelivery.obstacle(for: setting, in: sending).map { (setting, $0) }
        }
        guard let (setting, obstacle) = found.first(where: { Self.isTold($0.1) }) else {
            return nil
        }
        self.obstacle = obstacle
        evidence = LostLoginCookies.evidence(setting, note: Self.note(obstacle, setting, sending))
        isAllThatIsSet = found.count == settings.count
    }

    /// The pages that a callback's redirects lead to, up to the next login.
    private static func way(behind callback: Int, _ flow: Flow) -> [Int] {
        flow.surroundings.redirects(behind: callback, atMost: 5).prefix { next in
            if case .authorizationRequest = flow.surroundings.messages[next] { false } else { true }
        }
    }

    /// The request for the page, which a browser makes as the redirect says, be it in the capture or not.
    private static func sending(
        to target: RecordedURL,
        _ landing: RecordedRequest?,
        behind callback: Exchange
    )
        -> CookieDelivery.Sending
    {
        let isFromElsewhere = landing?.headers.first("sec-fetch-site")?.lowercased() == "cross-site"
        let from = (callback.request.headers.first("referer")).map { RecordedURL($0) }
        return CookieDelivery.Sending(
            url: target,
            method: "GET",
            at: callback.endedAt,
            initiator: isFromElsewhere ? from : nil,
            agent: callback.request.userAgent ?? ""
        )
    }

    /// One that is too large is told by its size, and one that has run out is as good as taken back.
    private static func isTold(_ obstacle: CookieDelivery.Obstacle) -> Bool {
        obstacle != .tooLarge && obstacle != .expired && obstacle != .laxPost
    }

    private static func note(
        _ obstacle: CookieDelivery.Obstacle,
        _ setting: CookieDelivery.Setting,
        _ sending: CookieDelivery.Sending
    ) -> String {
        let page = sending.url
        return switch obstacle {
        case .sameSiteNoneInsecure: "dropped: SameSite=None without Secure"
        case .secureOverHTTP where page.scheme?.lowercased() == "http":
            "Secure, and the callback leads to a page over http, to which browsers do not send it"
        case .secureOverHTTP: "dropped: Secure, and set over http"
        case .prefix: "dropped: it breaks the rules of its prefix"
        case .foreignDomain: "dropped: its Domain is not that of \(setting.url.host ?? "the host")"
        case .otherHost: "not sent to \(page.host ?? ""), which the callback leads to"
        case .path: "not sent to \(Masking.shown(page.path, of: "url")), which the callback leads to"
        case .strict: "Strict, and not sent to a page that a link or form of another site led to"
        case .tooLarge, .expired, .laxPost: "not sent"
        }
    }

    // MARK: - Words

    var words: Violation.Words {
        Violation.Words(explanation: Self.explanation, fix: fix)
    }

    private static let explanation = """
        The callback sets a session cookie that does not get to the page it leads to: browsers drop the cookie when it is set, or do not send it there. So the \
        page knows nobody and begins a login again, which the provider answers at once.
        """

    private var fix: String {
        switch obstacle {
        case .foreignDomain, .otherHost:
            """
            Set the cookie for the host that needs it: without Domain where callback and page have one host, else with a domain that is a parent of both \
            (oauth2-proxy: cookie_domains; Traefik's forward auth: COOKIE_DOMAIN). The callback has to be at a host below that domain, too.
            """
        case .secureOverHTTP:
            """
            Serve callback and page over https. Where they are behind a proxy that does, tell the app so (X-Forwarded-Proto and the setting that makes it \
            trusted), since otherwise it builds http addresses.
            """
        case .sameSiteNoneInsecure:
            "Set the cookie with Secure and serve the app over https, or with SameSite=Lax."
        case .path: "Set the cookie with Path=/, or with a path that holds the pages that need it."
        case .strict:
            """
            Set the session cookie with SameSite=Lax. Where it has to be Strict, let the callback answer with a page of the app's that goes on by itself (a \
            script, or meta refresh), in place of a redirect: what begins there begins at the app's own site.
            """
        case .prefix, .tooLarge, .expired, .laxPost:
            "Set __Host- cookies with Secure, Path=/ and without Domain, and __Secure- cookies with Secure; or drop the prefix."
        }
    }
}
