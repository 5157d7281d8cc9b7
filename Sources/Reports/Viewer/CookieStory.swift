import Captures
import Diagnosis
import Flows
import JSON
import Sharing

/// Which cookies each request carried and which it left out, with the reason for each (RFC 6265, section 5.4; SameSite of
/// RFC 6265bis).
struct CookieStory: Sendable {
    private let capture: Capture
    /// Which exchange's answer sent the browser to this one.
    private let redirectedFrom: [Int: Int]
    /// What was set, by site, in the order of time.
    private var settings: [String: [Setting]] = [:]

    private struct Setting: Sendable {
        var delivery: CookieDelivery.Setting
        var agent: String
    }

    /// How far one looks back on a site; older cookies are told as set before the recording.
    private static let mostSettings = 400

    init(_ capture: Capture, redirectedFrom: [Int: Int]) {
        self.capture = capture
        self.redirectedFrom = redirectedFrom
        for index in capture.indices {
            let exchange = capture[index]
            for cookie in exchange.response?.setCookies ?? [] {
                let delivery = CookieDelivery.Setting(
                    cookie: cookie,
                    url: exchange.request.url,
                    at: exchange.endedAt,
                    exchange: index
                )
                settings[Self.site(of: exchange.request.url), default: []].append(
                    Setting(delivery: delivery, agent: Self.agent(of: exchange))
                )
            }
        }
        for site in settings.keys {
            settings[site]?.sort {
                ($0.delivery.at, $0.delivery.exchange) < ($1.delivery.at, $1.delivery.exchange)
            }
        }
    }

    /// Of one request: the cookies in the order in which it has them, then those that it does not.
    ///
    /// Each `{"name", "sent", "set", "attributes", "why"}`; `set` is the exchange whose answer set it, null where that was
    /// not recorded.
    func cookies(of index: Int) -> [JSONValue] {
        let exchange = capture[index]
        // What has neither fields nor an answer never left the browser.
        guard exchange.response != nil || !exchange.request.headers.fields.isEmpty else { return [] }
        let known = known(to: exchange)
        let sent = exchange.request.cookies
        let names = Set(sent.map(\.name))
        return sent.map { cookie in
            let own = known.filter { $0.delivery.cookie.name == cookie.name }
            let same = own.last { $0.delivery.cookie.value == cookie.value }
            return Self.fact(cookie.name, isSent: true, same ?? own.last, why(same, own.last, exchange))
        } + withheld(known.filter { !names.contains($0.delivery.cookie.name) }, index)
    }

    // MARK: - Sent

    private func why(_ same: Setting?, _ last: Setting?, _ exchange: Exchange) -> String {
        guard let set = same ?? last else { return "it was set before the recording began, or by a script" }
        let cookie = set.delivery.cookie
        guard same != nil else {
            return
                "[\(set.delivery.exchange)] set another value; a script or an answer that is not recorded changed it"
        }
        let host = exchange.request.url.host ?? ""
        let domain = cookie.domain.map { "\(host) belongs to \($0)" } ?? "it goes to \(host) alone"
        let path = cookie.path ?? CookieScope.defaultPath(of: set.delivery.url)
        return "[\(set.delivery.exchange)] set it; \(domain)" + (path == "/" ? "" : ", below \(path)")
    }

    // MARK: - Withheld

    private func withheld(_ settings: [Setting], _ index: Int) -> [JSONValue] {
        let exchange = capture[index]
        let agent = Self.agent(of: exchange)
        let sending = sending(index)
        // The last word on a cookie is what its browser knows of it.
        var last: [String: Setting] = [:]
        var order: [String] = []
        for setting in settings {
            let cookie = setting.delivery.cookie
            let path = cookie.path ?? CookieScope.defaultPath(of: setting.delivery.url)
            let key = [
                cookie.name, cookie.domain ?? setting.delivery.url.host ?? "", path, setting.agent,
            ].joined(separator: "\u{0}")
            if last.updateValue(setting, forKey: key) == nil { order.append(key) }
        }
        return order.compactMap { last[$0] }.compactMap { setting in
            let delivery = setting.delivery
            guard !delivery.cookie.value.isEmpty, !delivery.cookie.isDeletion(at: delivery.at)
            else { return nil }
            if setting.agent != agent {
                guard Self.isBrowser(agent), Self.isBrowser(setting.agent),
                    CookieDelivery.obstacle(for: delivery, in: sending) == nil
                else { return nil }
                return Self.fact(
                    delivery.cookie.name,
                    isSent: false,
                    setting,
                    "[\(delivery.exchange)] set it in another browser, which does not share its cookies with this one"
                )
            }
            let words = Self.words(CookieDelivery.obstacle(for: delivery, in: sending), delivery, sending)
            return Self.fact(delivery.cookie.name, isSent: false, setting, words)
        }
    }

    private static func words(
        _ obstacle: CookieDelivery.Obstacle?,
        _ setting: CookieDelivery.Setting,
        _ sending: CookieDelivery.Sending
    ) -> String {
        let cookie = setting.cookie
        let from = sending.initiator?.host ?? "another site"
        switch obstacle {
        case nil:
            return
                "nothing in what [\(setting.exchange)] set keeps it back: it was lost, blocked, or asked for without credentials"
        case .sameSiteNoneInsecure: return "it was never stored: SameSite=None needs Secure"
        case .secureOverHTTP:
            return setting.url.scheme?.lowercased() == "https"
                ? "it is Secure, and the connection is plain http"
                : "it was never stored: it is Secure, and [\(setting.exchange)] set it over plain http"
        case .prefix:
            return "it was never stored: its name begins with a prefix whose demands it does not meet"
        case .tooLarge: return "it was never stored: name and value have more than 4096 bytes"
        case .foreignDomain:
            return
                "it was never stored: \(setting.url.host ?? "the host") does not belong to \(cookie.domain ?? "")"
        case .otherHost:
            return
                "it belongs to \(cookie.domain ?? setting.url.host ?? ""), not to \(sending.url.host ?? "")"
        case .path:
            return "it is for paths below \(cookie.path ?? CookieScope.defaultPath(of: setting.url))"
        case .expired: return "it had expired"
        case .strict: return "it is SameSite=Strict, and \(from) led to this request"
        case .laxPost:
            return
                "it is SameSite=Lax\(cookie.sameSite == nil ? " by default" : ""), and this is a POST that \(from) led to"
        }
    }

    /// The request as browsers judge it: who led to it is what it says itself, else the redirect before it.
    private func sending(_ index: Int) -> CookieDelivery.Sending {
        let exchange = capture[index]
        let headers = exchange.request.headers
        let stated = (headers.first("origin") ?? headers.first("referer")).map { RecordedURL($0) }
        let initiator =
            stated.flatMap { $0.isWeb ? $0 : nil } ?? redirectedFrom[index].map { capture[$0].request.url }
        return CookieDelivery.Sending(of: exchange, initiator: initiator)
    }

    // MARK: - Parts

    /// What had been set on the request's site when it was sent.
    private func known(to exchange: Exchange) -> ArraySlice<Setting> {
        guard let all = settings[Self.site(of: exchange.request.url)] else { return [] }
        let end = all.partitionPoint { $0.delivery.at > exchange.startedAt }
        return all[max(0, end - Self.mostSettings)..<end]
    }

    private static func fact(_ name: String, isSent: Bool, _ setting: Setting?, _ why: String) -> JSONValue {
        [
            "name": .string(name), "sent": .bool(isSent),
            "set": setting.map { JSONValue($0.delivery.exchange) } ?? .null,
            "attributes": .string(setting.map { attributes($0.delivery.cookie) } ?? ""), "why": .string(why),
        ]
    }

    private static func attributes(_ cookie: SetCookie) -> String {
        var parts: [String] = []
        if let domain = cookie.domain { parts.append("Domain=\(domain)") }
        if let path = cookie.path { parts.append("Path=\(path)") }
        if let age = cookie.maxAge { parts.append("Max-Age=\(age)") }
        if let expires = cookie.expires { parts.append("Expires=\(expires)") }
        if cookie.isSecure { parts.append("Secure") }
        if cookie.isHTTPOnly { parts.append("HttpOnly") }
        if let site = cookie.sameSite { parts.append("SameSite=\(site)") }
        return (parts + cookie.otherAttributes).joined(separator: "; ")
    }

    /// All names of this machine are looked at together: a cookie of `localhost` that 127.0.0.1 misses is told of.
    private static func site(of url: RecordedURL) -> String {
        let host = url.host ?? ""
        return LoopbackHost.isLoopback(host) ? "localhost" : Site.of(host)
    }

    private static func agent(of exchange: Exchange) -> String {
        "\(exchange.client.process ?? "") \(exchange.request.headers.first("user-agent") ?? "")"
    }

    /// Programs that are no browsers share cookies with nobody, and nobody expects it of them.
    private static func isBrowser(_ agent: String) -> Bool { agent.containsBytes("Mozilla/") }
}
