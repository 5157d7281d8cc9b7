import Captures
import Flows
import OAuth

/// The session by which an app began a login, kept at the callback, and not sent to the page that the callback leads to, which
/// lies outside the path of its cookie.
struct SessionOutOfPath {
    var setting: CookieDelivery.Setting
    /// The page, loaded without any cookie.
    var landing: Int

    /// Nil where another cookie reaches the page, where some later request brings the session back or may, and where the page does
    /// not offer the login anew: one that is the same for all may ask by script who is signed in.
    static func of(_ flow: Flow) -> SessionOutOfPath? {
        let index = flow.surroundings
        guard flow.ending == .success, index.areCookiesRecorded else { return nil }
        for attempt in flow.loginAttempts {
            guard let request = attempt.request, let response = attempt.response, response.mode != .fragment,
                let callback = response.callback, let landing = landing(behind: callback, flow),
                index.areCookiesRecorded(at: landing), offersLogin(request, landing, flow)
            else { continue }
            let page = flow.capture[landing]
            let begun = LoginCookies.set(for: request, at: page.request.url.host, in: flow)
            let sending = CookieDelivery.Sending(of: page)
            let settings = LoginCookies.settings(callback, flow)
            guard settings.allSatisfy({ CookieDelivery.obstacle(for: $0, in: sending) == .path }),
                // One of another name may be meant for that path alone: what a page's script renews its tokens with, say.
                let session = settings.first(where: { setting in
                    begun.contains { $0.cookie.name == setting.cookie.name }
                }),
                !isBroughtBack(settings, after: callback, flow)
            else { continue }
            return SessionOutOfPath(setting: session, landing: landing)
        }
        return nil
    }

    /// The page of the app's own host that redirects without a cookie lead to; one that is handed something in its address may
    /// go by that.
    private static func landing(behind callback: Int, _ flow: Flow) -> Int? {
        var exchange = callback
        for _ in 0..<5 {
            guard let location = flow.capture[exchange].response?.location else { break }
            let target = flow.capture[exchange].request.url.resolving(location)
            guard target.host == flow.capture[callback].request.url.host, (target.query ?? "").isEmpty,
                (target.fragment ?? "").isEmpty, let next = flow.surroundings.landings(of: exchange).first,
                flow.capture[next].request.cookies.isEmpty
            else { return nil }
            exchange = next
        }
        guard exchange != callback, let answer = flow.capture[exchange].response,
            answer.isSuccessful, answer.body?.isPage ?? false
        else { return nil }
        return exchange
    }

    /// Whether a page, as the server sent it, leads to where the app begins a login.
    private static func offersLogin(_ request: AuthorizationRequest, _ page: Int, _ flow: Flow) -> Bool {
        guard let start = flow.surroundings.redirectedFrom[request.exchange], !flow.capture[page].isCached,
            let text = flow.capture[page].response?.body?.text, !text.lowercased().containsBytes("<script")
        else { return false }
        let path = flow.capture[start].request.url.path
        return path.utf8.count > 1 && text.containsBytes("\"\(path)")
    }

    private static func isBroughtBack(
        _ settings: [CookieDelivery.Setting],
        after callback: Int,
        _ flow: Flow
    ) -> Bool {
        let names = Set(settings.map(\.cookie.name))
        let site = Site.of(flow.capture[callback].request.url.host ?? "")
        return flow.surroundings.order[(flow.surroundings.position[callback] + 1)...].contains { later in
            let request = flow.capture[later].request
            return Site.of(request.url.host ?? "") == site
                && (flow.surroundings.isSanitized(at: later)
                    || request.cookies.contains { names.contains($0.name) })
        }
    }
}
