package import Captures

/// A user agent's cookies (RFC 6265, section 5): what answers set, and which of them a request carries.
///
/// With what browsers do besides: prefixes of names and secure cookies are kept as RFC 6265bis, section 5.7, has it. Of public
/// suffixes those of one label are known; `SameSite` is kept, and not looked at.
package struct CookieJar: Sendable {
    private struct Stored: Sendable {
        var cookie: SetCookie
        /// Its name's bytes.
        var name: [UInt8]
        var domain: String
        var isHostOnly: Bool
        var path: String
        var expiresAt: Timestamp?
        /// Its number among all that were set; one that is set again has the number of the first time (section 5.3, step 11.3).
        var creation: Int
        /// The number with which it was set last.
        var setting: Int

        func isThere(at time: Timestamp) -> Bool { expiresAt.map { $0 > time } ?? true }
    }

    /// In the order in which they were set last.
    private var stored: [Stored] = []
    private var count = 0
    /// Of one domain, as Chrome has it; the oldest give way (section 6.1).
    private static let maximumPerDomain = 180

    package init() {}

    /// Takes the cookies of an answer.
    package mutating func store(_ response: RecordedResponse, from url: RecordedURL, at now: Timestamp) {
        guard let host = url.host else { return }
        for cookie in response.setCookies {
            var domain = (cookie.domain ?? host).lowercased()
            if domain.utf8.first == 0x2e { domain.removeFirst() }
            // A domain that the host does not belong to is refused (section 5.3, step 6), and so is one of everybody's below it (step 5).
            guard CookieScope.contains(host: host, domain: domain),
                host == domain || domain.utf8.contains(0x2e)
            else { continue }
            let isHostOnly = cookie.domain == nil || !domain.utf8.contains(0x2e)
            let path = cookie.path ?? CookieScope.defaultPath(of: url)
            let isSecure = Self.isSecure(url)
            guard isSecure || !cookie.isSecure && !hidesSecure(cookie, domain, path, at: now),
                Self.keepsPrefix(cookie, isHostOnly: isHostOnly)
            else { continue }
            let name = cookie.sentName.bytes
            let place = stored.firstIndex { $0.name == name && $0.domain == domain && $0.path == path }
            let old = place.map { stored.remove(at: $0) }
            if cookie.isDeletion(at: now) { continue }
            if stored.count(where: { $0.domain == domain }) >= Self.maximumPerDomain,
                let oldest = stored.firstIndex(where: { $0.domain == domain })
            {
                stored.remove(at: oldest)
            }
            count += 1
            stored.append(
                Stored(
                    cookie: cookie,
                    name: name,
                    domain: domain,
                    isHostOnly: isHostOnly,
                    path: path,
                    expiresAt: cookie.maxAge.map { now + .seconds($0) } ?? cookie.expiry,
                    creation: old.flatMap { $0.isThere(at: now) ? $0.creation : nil } ?? count,
                    setting: count
                )
            )
        }
    }

    private static func isSecure(_ url: RecordedURL) -> Bool {
        url.scheme?.lowercased() == "https" || url.isOnLoopback
    }

    /// Whether a cookie of an insecure answer would stand in the place of a secure one, or before it (RFC 6265bis, section 5.7,
    /// step 16).
    private func hidesSecure(_ cookie: SetCookie, _ domain: String, _ path: String, at now: Timestamp) -> Bool
    {
        let name = cookie.sentName.bytes
        return stored.contains { item in
            item.cookie.isSecure && item.name == name && item.isThere(at: now)
                && (CookieScope.contains(host: item.domain, domain: domain)
                    || CookieScope.contains(host: domain, domain: item.domain))
                && CookieScope.contains(path: path, cookiePath: item.path)
        }
    }

    /// Whether a cookie is what its name promises (RFC 6265bis, section 4.1.3): `__Secure-` that it is secure, `__Host-` that it is of
    /// one host and all of its paths, too.
    private static func keepsPrefix(_ cookie: SetCookie, isHostOnly: Bool) -> Bool {
        // A cookie without a name is sent back as its value.
        let sent = (cookie.name.isEmpty ? cookie.value : cookie.name).prefix(9).lowercased()
        let isOfHost = sent.hasPrefix("__host-")
        guard isOfHost || sent.hasPrefix("__secure-") else { return true }
        return cookie.isSecure && !cookie.name.isEmpty && (!isOfHost || isHostOnly && cookie.path == "/")
    }

    /// The `Cookie` header for a request; nil where none is sent.
    ///
    /// Longer paths first, then older cookies (section 5.4); each by the bytes with which it was set.
    package func header(for url: RecordedURL, at now: Timestamp) -> HeaderFields.Field? {
        guard let host = url.host else { return nil }
        let isSecure = Self.isSecure(url)
        let sent = stored.filter { item in
            (item.isHostOnly ? host == item.domain : CookieScope.contains(host: host, domain: item.domain))
                && CookieScope.contains(path: url.path, cookiePath: item.path)
                && (!item.cookie.isSecure || isSecure)
                && item.isThere(at: now)
        }
        guard !sent.isEmpty else { return nil }
        return CookieHeader.field(
            of: sent.sorted { (-$0.path.utf8.count, $0.creation) < (-$1.path.utf8.count, $1.creation) }
                .map(\.cookie.pair)
        )
    }

    /// The cookies that were stored after the mark, for a browser that has those before it.
    ///
    /// - Returns: the cookies, and the mark for the next time.
    func cookies(after mark: Int) -> (cookies: [BrowserVisit.Cookie], mark: Int) {
        let cookies = stored.filter { $0.setting > mark }.map { item in
            BrowserVisit.Cookie(
                name: item.cookie.name,
                value: item.cookie.value,
                domain: item.domain,
                isHostOnly: item.isHostOnly,
                path: item.path,
                isSecure: item.cookie.isSecure,
                isHTTPOnly: item.cookie.isHTTPOnly,
                sameSite: item.cookie.sameSite,
                expiresAt: item.expiresAt
            )
        }
        return (cookies, count)
    }
}
