internal import Captures

/// A page of an app that is there for errors alone, by its address (`/auth/error`, `/login-failed`).
package enum PageOfErrors {
    /// Whether an app sends its callback to such a page of its own site, whatever else its address says.
    ///
    /// Not where somebody was on the way to the page: it was asked for, or named in an address, before the app answered. And not
    /// where it leads on: who is signed in all the same gets there.
    package static func isShown(behind callback: Int, in index: CaptureIndex) -> Bool {
        let exchange = index.capture[callback]
        guard let location = exchange.response?.location, let host = exchange.request.url.host else {
            return false
        }
        let page = exchange.request.url.resolving(location)
        let address = page.withoutQuery
        guard isOne(page), page.isWeb, let other = page.host, Site.of(other) == Site.of(host),
            address != exchange.request.url.withoutQuery, !index.redirectURIs.contains(address)
        else { return false }
        let visits = index.derived.value { Visits(index) }
        let position = index.position[callback]
        return (visits.asked[address] ?? .max) > position && (visits.named[page.path] ?? .max) > position
            && (visits.ledOn[address] ?? 0) <= position
    }

    /// By the last parts of its path, or of the path in its fragment, or by an error of something (`/error/login/…`).
    static func isOne(_ url: RecordedURL) -> Bool {
        if isOne(path: url.path) { return true }
        guard let route = url.fragment?.prefix(while: { $0 != "?" }), route.hasPrefix("/") else {
            return false
        }
        return isOne(path: String(route))
    }

    private static func isOne(path: String) -> Bool {
        let parts = path.split(separator: "/").map {
            ErrorRedirect.letters(of: String($0.prefix { $0 != "." }))
        }
        guard let last = parts.last else { return false }
        // What failed may come behind (`/msg/error/login/callback`).
        if named.contains(last) || zip(parts, parts.dropFirst()).contains(where: isErrorOf) { return true }
        guard vague.contains(last) else { return false }
        // Jobs and deliveries fail, too.
        guard parts.count > 1 else { return last != "failed" }
        return parents.contains(parts[parts.count - 2]) || parts.count == 3 && parents.contains(parts[0])
    }

    private static func isErrorOf(_ part: String, _ next: String) -> Bool {
        part == "error" && parents.contains(next)
    }

    private static let parents: Set<String> = [
        "auth", "account", "login", "oauth", "oidc", "omniauth", "signin", "sso",
    ]
    private static let named: Set<String> = [
        "authcodeerror", "autherror", "authfail", "authfailed", "authfailure", "authenticationerror",
        "authenticationfailed", "authenticationfailure", "loginerror", "loginfail", "loginfailed",
        "loginfailure", "oauthcallbackerror", "oautherror", "oauthfailed", "oauthfailure", "oidcerror",
        "signinerror", "signinfail", "signinfailed", "signinfailure", "ssoerror", "ssofailed", "ssofailure",
        // Whom the app does not let in is sent there (SonarQube).
        "accessdenied", "notauthorized", "unauthorized",
    ]
    /// What may fail there is told by what stands before it.
    private static let vague: Set<String> = ["error", "fail", "failed", "failure"]

    /// Where pages of errors turn up in a capture otherwise than behind a redirect, by positions in the order of time.
    private struct Visits: Sendable {
        /// First asked for, by addresses: not where a redirect led there, as it does when a login fails again.
        var asked: [String: Int] = [:]
        /// First named in the query of a request (`next=/auth/error`), by paths.
        var named: [String: Int] = [:]
        /// Last redirected from to a page of another kind, by addresses; one to sign in at is for the next try.
        var ledOn: [String: Int] = [:]

        init(_ index: CaptureIndex) {
            for (position, exchange) in index.order.enumerated() {
                let url = index.capture[exchange].request.url
                for item in url.queryItems.items where Self.mayBeOne(item.value) {
                    let path = RecordedURL(
                        item.value.hasPrefix("/") ? "https://app\(item.value)" : item.value
                    ).path
                    if isOne(path: path) { named[path] = named[path] ?? position }
                }
                guard isOne(url) else { continue }
                let address = url.withoutQuery
                if index.redirectedFrom[exchange] == nil { asked[address] = asked[address] ?? position }
                if let location = index.capture[exchange].response?.location {
                    let next = url.resolving(location)
                    if !isOne(next), !ErrorRedirect.isSignInPage(next) { ledOn[address] = position }
                }
            }
        }

        private static func mayBeOne(_ value: String) -> Bool {
            value.containsBytes("/") && value.utf8.count < 2048
                && ["rror", "ail", "RROR", "AIL", "enied", "ENIED", "uthorized", "UTHORIZED"].contains(
                    where: value.containsBytes
                )
        }
    }
}
