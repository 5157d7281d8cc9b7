package import Captures

/// A user agent's cookies (RFC 6265, section 5): what answers set, and which of them a request carries.
package struct CookieJar: Sendable {
    private struct Stored: Sendable {
        var cookie: SetCookie
        var domain: String
        var isHostOnly: Bool
        var path: String
        var expiresAt: Timestamp?
        var order: Int
    }

    private var stored: [Stored] = []
    private var count = 0

    package init() {}

    /// Takes the cookies of an answer.
    package mutating func store(_ response: RecordedResponse, from url: RecordedURL, at now: Timestamp) {
        guard let host = url.host else { return }
        for cookie in response.setCookies {
            var domain = (cookie.domain ?? host).lowercased()
            if domain.utf8.first == 0x2e { domain.removeFirst() }
            // A domain that the host does not belong to is refused (section 5.3, step 6).
            guard host == domain || host.hasSuffix("." + domain) else { continue }
            if cookie.isSecure, url.scheme?.lowercased() != "https", !Self.isLoopback(host) { continue }
            let path = cookie.path ?? Self.defaultPath(url.path)
            stored.removeAll { $0.cookie.name == cookie.name && $0.domain == domain && $0.path == path }
            let expiry =
                cookie.maxAge.map { now + .seconds(max(-1, min($0, 1 << 31))) }
                ?? cookie.expires.flatMap(Timestamp.init(httpDate:))
            if let expiry, expiry <= now { continue }
            count += 1
            stored.append(
                Stored(
                    cookie: cookie,
                    domain: domain,
                    isHostOnly: cookie.domain == nil,
                    path: path,
                    expiresAt: expiry,
                    order: count
                )
            )
        }
    }

    /// The `Cookie` header for a request; nil where none is sent.
    ///
    /// Longer paths first, then older cookies (section 5.4).
    package func header(for url: RecordedURL, at now: Timestamp) -> String? {
        guard let host = url.host else { return nil }
        let isSecure = url.scheme?.lowercased() == "https" || Self.isLoopback(host)
        let sent = stored.filter { item in
            (item.isHostOnly ? host == item.domain : host == item.domain || host.hasSuffix("." + item.domain))
                && Self.covers(item.path, url.path) && (!item.cookie.isSecure || isSecure)
                && item.expiresAt.map { $0 > now } ?? true
        }
        guard !sent.isEmpty else { return nil }
        return sent.sorted { (-$0.path.utf8.count, $0.order) < (-$1.path.utf8.count, $1.order) }
            .map { "\($0.cookie.name)=\($0.cookie.value)" }.joined(separator: "; ")
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    private static func defaultPath(_ path: String) -> String {
        guard path.utf8.first == 0x2f, let slash = path.utf8.lastIndex(of: 0x2f), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    private static func covers(_ path: String, _ request: String) -> Bool {
        let request = request.isEmpty ? "/" : request
        guard request.hasPrefix(path) else { return false }
        return request == path || path.utf8.last == 0x2f
            || request.utf8.dropFirst(path.utf8.count).first == 0x2f
    }
}
