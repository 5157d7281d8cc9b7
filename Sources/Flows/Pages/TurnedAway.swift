import Captures
package import OAuth

/// A callback that is sent on as if all were well, and nobody is signed in.
///
/// The app had set a cookie where it sent the browser to the provider; the callback comes without it and without any other,
/// the answer sets none, and the page it leads to is loaded without one, so nobody can be signed in there. Where the app's
/// server is in the capture, a code that it leaves alone says the same. So do libraries whose failure has no page of its own:
/// what a browser sees of it is the home page. An app that set no cookie to begin with may know its logins otherwise; sent to
/// its page to sign in at, its user is not signed in all the same. Cookies of another server at the app's host are sent to it
/// as well, since ports do not keep them apart (RFC 6265, section 8.5), and count for none.
package enum TurnedAway {
    /// By what it is known.
    package enum Sign {
        /// The app's server is in the capture and never brought the code to the token endpoint.
        case codeLeft
        /// No cookie is set, and none is sent to the page that it leads to.
        case noSession
    }

    /// Nil for any other callback.
    package static func sign(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        exchanged codes: Set<String>,
        in index: CaptureIndex
    ) -> Sign? {
        guard let code = response.code, !codes.contains(code), let callback = response.callback,
            response.mode != .fragment, let source = index.redirectedFrom[request.exchange],
            index.capture[source].request.url.origin != request.endpoint.origin
        else { return nil }
        let exchange = index.capture[callback]
        // A server that is in the capture and never brought the code to the token endpoint did not want it, whatever cookie it
        // sets to say so on its next page; the login's own, set anew, may be the session, unless the browser keeps that no more
        // than it kept the first.
        let setAtFirst = Set(index.capture[source].response?.setCookies.map(\.name) ?? [])
        let landings = index.landings(of: callback)
        let isSetAnew =
            exchange.response?.setCookies.contains { setAtFirst.contains($0.name) } ?? false
            && (landings.isEmpty || landings.contains { !hasNoCookie(index.capture[$0], in: index) })
        let isCodeLeft =
            index.backChannel.witness(of: response, to: request, in: index.capture) != nil && !isSetAnew
        guard hasNoCookie(exchange, in: index), let answer = exchange.response,
            answer.isRedirection, isCodeLeft || answer.setCookies.isEmpty,
            let location = answer.location
        else { return nil }
        let target = exchange.request.url.resolving(location)
        guard
            index.capture[source].response?.setCookies.contains(where: { !$0.value.isEmpty }) ?? false
                || index.areCookiesRecorded(at: source)
                    && isWithoutCookie(index.capture[source], at: target)
                    && ErrorRedirect.isSignInPage(target)
        else { return nil }
        // To another host it may be a page that knows the user by a cookie of its own.
        guard target.isWeb, target.host == exchange.request.url.host, (target.query ?? "").isEmpty,
            (target.fragment ?? "").isEmpty,
            index.areCookiesRecorded(at: callback),
            landings.contains(where: { landing in
                isCodeLeft
                    || index.areCookiesRecorded(at: landing) && hasNoCookie(index.capture[landing], in: index)
            })
        else { return nil }
        return isCodeLeft ? .codeLeft : .noSession
    }

    /// Whether an app began a login at its own host with no cookie, neither one that it had nor one that it set.
    private static func isWithoutCookie(_ beginning: Exchange, at target: RecordedURL) -> Bool {
        beginning.request.url.host == target.host && beginning.request.cookies.isEmpty
            && beginning.response?.setCookies.isEmpty ?? false
    }

    /// Whether an app is sent no cookie but those of another server at its host.
    private static func hasNoCookie(_ exchange: Exchange, in index: CaptureIndex) -> Bool {
        ownCookies(of: exchange, in: index).isEmpty
    }

    /// The names of the cookies that an app is sent, but those of another server at its host.
    static func ownCookies(of exchange: Exchange, in index: CaptureIndex) -> [String] {
        let names = exchange.request.cookies.map(\.name)
        guard !names.isEmpty, let host = exchange.request.url.host, let origin = exchange.request.url.origin
        else { return names }
        let setters = index.derived.value { CookieSetters(index) }.byHost[host] ?? [:]
        return names.filter { name in setters[name].map { $0.isEmpty || $0.contains(origin) } ?? true }
    }

    /// Which servers set cookies of a name, by host: more than one where they listen at several ports of it.
    private struct CookieSetters: Sendable {
        var byHost: [String: [String: Set<String>]] = [:]

        init(_ index: CaptureIndex) {
            for exchange in index.capture.indices.lazy.map({ index.capture[$0] }) {
                guard let response = exchange.response, let host = exchange.request.url.host,
                    let origin = exchange.request.url.origin
                else { continue }
                for cookie in response.setCookies {
                    byHost[host, default: [:]][cookie.name, default: []].insert(origin)
                }
            }
        }
    }
}
