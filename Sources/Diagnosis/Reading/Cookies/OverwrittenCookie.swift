import Captures
import Flows
import OAuth

/// A login cookie that came back with the value of another: a name, a domain and a path are all that a browser keeps
/// cookies apart by, neither the port nor the login they were set for (RFC 6265, sections 5.3 and 8.5).
struct OverwrittenCookie {
    /// What took the cookie's place.
    enum Reason: Equatable {
        /// A program at another port or scheme of the same host, by its authority: mostly the provider itself.
        case otherOrigin(String)
        /// The server that had set it, when another login was begun in the same browser.
        case otherLogin
    }

    /// The cookie that the callback came with.
    var setting: CookieDelivery.Setting
    var reason: Reason

    /// - Parameters:
    ///   - lost: a cookie as it was set when the login began.
    ///   - callback: index of the exchange that should bring it back.
    ///   - flow: the flow.
    /// - Returns: nil where it came back, where no cookie of its name did, and where the capture does not show who replaced
    ///   it, or it was the app itself in the course of this login.
    static func of(_ lost: CookieDelivery.Setting, at callback: Int, in flow: Flow) -> OverwrittenCookie? {
        let sent = flow.capture[callback].request.cookies.filter { $0.name == lost.cookie.name }.map(\.value)
        guard !sent.isEmpty, !sent.contains(lost.cookie.value) else { return nil }
        guard
            let setting = setting(inPlaceOf: lost, before: callback, flow, where: { sent.contains($0.value) })
        else { return nil }
        return reason(setting, lost, flow).map { OverwrittenCookie(setting: setting, reason: $0) }
    }

    /// The cookie of another login, begun in the same browser, that had taken the place of one when an exchange deleted it.
    ///
    /// - Returns: nil where the deleted one was the lost one itself, or the capture does not show whose it was.
    static func ofOtherLogin(
        replacing lost: CookieDelivery.Setting,
        before deletion: Int,
        in flow: Flow
    ) -> CookieDelivery.Setting? {
        guard let setting = setting(inPlaceOf: lost, before: deletion, flow, where: { _ in true }),
            setting.cookie.value != lost.cookie.value, reason(setting, lost, flow) == .otherLogin
        else { return nil }
        return setting
    }

    /// What took the place of a cookie last before an exchange, of the cookies that are wanted.
    private static func setting(
        inPlaceOf lost: CookieDelivery.Setting,
        before end: Int,
        _ flow: Flow,
        where isWanted: (SetCookie) -> Bool
    ) -> CookieDelivery.Setting? {
        // Of logins that a page begins at one moment the first to begin may be the last to be answered.
        let span = flow.capture[end].startedAt - lost.at + longestAnswer
        for index in flow.exchanges(before: end, within: span) where index != lost.exchange {
            let exchange = flow.capture[index]
            guard exchange.endedAt >= lost.at else { continue }
            let cookies = exchange.response?.setCookies ?? []
            guard
                let cookie = cookies.last(where: {
                    $0.name == lost.cookie.name && isWanted($0)
                        && isInPlace(of: lost, $0, exchange.request.url)
                })
            else { continue }
            return CookieDelivery.Setting(
                cookie: cookie,
                url: exchange.request.url,
                at: exchange.endedAt,
                exchange: index
            )
        }
        return nil
    }

    /// What an app takes to send the browser to the provider.
    private static let longestAnswer = Duration.seconds(30)

    /// What to say of the cookie that is gone.
    var note: String {
        switch reason {
        case .otherOrigin(let authority):
            "overwritten by exchange \(setting.exchange): \(authority) has a cookie of the same name, and cookies are not kept apart by port"
        case .otherLogin:
            "overwritten by exchange \(setting.exchange): another login was begun in the same browser"
        }
    }

    /// Whether a browser keeps a cookie of that name in the place of another one (RFC 6265, section 5.3).
    static func isInPlace(
        of lost: CookieDelivery.Setting,
        _ cookie: SetCookie,
        _ url: RecordedURL
    ) -> Bool {
        scope(cookie, url) == scope(lost.cookie, lost.url)
    }

    private static func scope(_ cookie: SetCookie, _ url: RecordedURL) -> [String] {
        var domain = (cookie.domain ?? url.host ?? "").lowercased()
        if domain.utf8.first == 0x2e { domain.removeFirst() }
        return [domain, cookie.path ?? CookieScope.defaultPath(of: url)]
    }

    private static func reason(
        _ setting: CookieDelivery.Setting,
        _ lost: CookieDelivery.Setting,
        _ flow: Flow
    ) -> Reason? {
        if setting.url.origin != lost.url.origin {
            return .otherOrigin(setting.url.hostAndPort ?? "")
        }
        if isOfAnotherLogin(setting.exchange, than: lost.exchange, flow) { return .otherLogin }
        guard let location = flow.capture[setting.exchange].response?.location else {
            return tellsAddress(ofAnotherLoginThan: lost, at: setting.exchange, flow) ? .otherLogin : nil
        }
        let names = setting.url.resolving(location).queryItems.items.map(\.name)
        return names.contains("client_id") ? .otherLogin : nil
    }

    /// Whether an answer hands the page the address at which a login is begun, and the browser goes there next: not the one that
    /// the lost cookie was set for.
    private static func tellsAddress(
        ofAnotherLoginThan lost: CookieDelivery.Setting,
        at exchange: Int,
        _ flow: Flow
    ) -> Bool {
        guard let body = flow.capture[exchange].response?.body, (body.size ?? 0) < largest,
            let bytes = body.bytes
        else { return false }
        let next = flow.exchanges(after: exchange, within: .seconds(30)).lazy
            .compactMap { index -> AuthorizationRequest? in
                if case .authorizationRequest(let request) = flow.surroundings.messages[index] {
                    request
                } else {
                    nil
                }
            }.first
        guard let state = next?.state, state.utf8.count >= shortest, names(state, bytes) else { return false }
        // What the lost cookie's own answer led to.
        let begun = flow.surroundings.authorizationRequests(
            after: flow.capture[lost.exchange].startedAt,
            within: flow.capture[exchange].startedAt - flow.capture[lost.exchange].startedAt
        )
        return begun.contains { $0.state != state && $0.clientID == next?.clientID }
    }

    /// Whether a state stands in a body, as it is or as it stands in a URL.
    private static func names(_ state: String, _ body: some Collection<UInt8>) -> Bool {
        [state, PercentEncoding.encode(state), PercentEncoding.encodeLowercase(state)].contains {
            body.firstRange(of: Array($0.utf8)) != nil
        }
    }

    /// In bytes of a body.
    private static let largest = 1 << 16
    /// A state that may not be there by chance.
    private static let shortest = 8

    /// Whether a page of the provider's belongs to another authorization request than one before it.
    private static func isOfAnotherLogin(_ exchange: Int, than lost: Int, _ flow: Flow) -> Bool {
        guard let request = authorizationRequest(behind: exchange, flow),
            let first = authorizationRequest(behind: lost, flow), request.exchange != first.exchange
        else { return false }
        return request.state != first.state || request.clientID != first.clientID
    }

    /// The one that an exchange is, or that redirects led from to it.
    private static func authorizationRequest(behind exchange: Int, _ flow: Flow) -> AuthorizationRequest? {
        let way = [exchange] + flow.surroundings.redirects(leadingTo: exchange)
        return way.prefix(10).lazy.compactMap { exchange in
            if case .authorizationRequest(let request) = flow.surroundings.messages[exchange] {
                request
            } else {
                nil
            }
        }.first
    }
}
