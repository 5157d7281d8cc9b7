package import Captures
import Flows

/// Judges whether a conforming browser sends a cookie with a request, and if not, what is in the way.
///
/// RFC 6265, sections 5.3 and 5.4, with SameSite, prefixes and the limits of RFC 6265bis.
package struct CookieDelivery {
    /// A cookie as it was set.
    package struct Setting: Sendable {
        /// The field with its attributes.
        package var cookie: SetCookie
        /// URL of the exchange that set it.
        package var url: RecordedURL
        /// When the answer that set it had come.
        package var at: Timestamp
        /// Index in `log.entries` of that answer.
        package var exchange: Int

        package init(cookie: SetCookie, url: RecordedURL, at: Timestamp, exchange: Int) {
            self.cookie = cookie
            self.url = url
            self.at = at
            self.exchange = exchange
        }
    }

    /// The request with which it should come back.
    package struct Sending: Sendable {
        /// URL of the request, as the browser had it.
        package var url: RecordedURL
        /// As it was sent.
        var method: String
        /// When it was sent.
        package var at: Timestamp
        /// The page that led to it; nil where that is not known.
        package var initiator: RecordedURL?
        /// The `User-Agent`; empty where there is none.
        var agent: String

        package init(url: RecordedURL, method: String, at: Timestamp, initiator: RecordedURL?, agent: String)
        {
            self.url = url
            self.method = method
            self.at = at
            self.initiator = initiator
            self.agent = agent
        }

        /// Of a request that was recorded.
        package init(of exchange: Exchange, initiator: RecordedURL? = nil) {
            self.init(
                url: exchange.request.urlOfBrowser,
                method: exchange.request.method,
                at: exchange.startedAt,
                initiator: initiator,
                agent: exchange.request.userAgent ?? ""
            )
        }
    }

    /// Why it does not come, in the order in which a browser decides: first when it is stored, then when it
    /// is sent.
    package enum Obstacle: Hashable, Sendable {
        /// `SameSite=None` without `Secure`.
        case sameSiteNoneInsecure
        /// `Secure`, and set or wanted over plain http.
        case secureOverHTTP
        /// `__Host-` or `__Secure-` without what they demand.
        case prefix
        /// Name and value beyond 4096 bytes.
        case tooLarge
        /// `Domain` names a domain that the host does not belong to.
        case foreignDomain
        /// Set by another host, and no `Domain` covers this one.
        case otherHost
        case path
        case expired
        /// `SameSite=Strict` on the way back from another site.
        case strict
        /// `SameSite=Lax`, stated or by default, with a POST from another site.
        case laxPost
    }

    /// Nil where nothing is in the way: a browser that does not send it lost it otherwise.
    package static func obstacle(for setting: Setting, in sending: Sending) -> Obstacle? {
        storing(setting, sending) ?? sendingBack(setting, sending)
    }

    // MARK: - Storing

    private static func storing(_ setting: Setting, _ sending: Sending) -> Obstacle? {
        let cookie = setting.cookie
        let host = setting.url.host ?? ""
        if cookie.sameSite?.lowercased() == "none", !cookie.isSecure { return .sameSiteNoneInsecure }
        if cookie.isSecure, !isTrustworthy(setting.url, sending.agent) { return .secureOverHTTP }
        let name = cookie.name.lowercased()
        if name.hasPrefix("__host-"), !cookie.isSecure || cookie.domain != nil || cookie.path != "/" {
            return .prefix
        }
        if name.hasPrefix("__secure-"), !cookie.isSecure { return .prefix }
        if cookie.name.utf8.count + cookie.value.utf8.count > 4096 { return .tooLarge }
        if let domain = cookie.domain, !CookieScope.contains(host: host, domain: domain) {
            return .foreignDomain
        }
        return nil
    }

    // MARK: - Sending

    private static func sendingBack(_ setting: Setting, _ sending: Sending) -> Obstacle? {
        let cookie = setting.cookie
        let host = sending.url.host ?? ""
        if let domain = cookie.domain {
            guard CookieScope.contains(host: host, domain: domain) else { return .otherHost }
        } else if host != setting.url.host {
            return .otherHost
        }
        let path = cookie.path ?? CookieScope.defaultPath(of: setting.url)
        if !CookieScope.contains(path: sending.url.path, cookiePath: path) { return .path }
        if cookie.isSecure, !isTrustworthy(sending.url, sending.agent) { return .secureOverHTTP }
        if isExpired(setting, at: sending.at) { return .expired }
        guard let initiator = sending.initiator, isCrossSite(initiator, sending.url) else { return nil }
        let isSafe = sending.method == "GET" || sending.method == "HEAD"
        switch cookie.sameSite?.lowercased() {
        case "strict": return .strict
        case "lax": return isSafe ? nil : .laxPost
        case "none": return nil
        default:
            // Chromium takes a cookie without the attribute as Lax once it is two minutes old; the others do
            // not.
            let isOld = sending.at - setting.at > .seconds(120)
            return !isSafe && isOld && isChromium(sending.agent) ? .laxPost : nil
        }
    }

    // MARK: - Conditions

    /// Whether another site led to a request: another registrable domain, or another scheme.
    static func isCrossSite(_ initiator: RecordedURL, _ target: RecordedURL) -> Bool {
        initiator.scheme?.lowercased() != target.scheme?.lowercased()
            || Site.of(initiator.host ?? "") != Site.of(target.host ?? "")
    }

    /// When a cookie that was set so has run out.
    static func isExpired(_ setting: Setting, at time: Timestamp) -> Bool {
        if let age = setting.cookie.maxAge {
            return age <= 0 || time.seconds - setting.at.seconds > age
        }
        return setting.cookie.expiry.map { $0 < time } ?? false
    }

    private static func isTrustworthy(_ url: RecordedURL, _ agent: String) -> Bool {
        if url.scheme?.lowercased() == "https" { return true }
        return url.isOnLoopback && !isSafari(agent)
    }

    private static func isSafari(_ agent: String) -> Bool {
        agent.containsBytes("Safari/") && !isChromium(agent) && !agent.containsBytes("Firefox/")
    }

    private static func isChromium(_ agent: String) -> Bool {
        // A headless one as well, which is called HeadlessChrome/141.0.0.0.
        agent.containsBytes("Chrome/") || agent.containsBytes("Chromium/")
    }
}
