import Captures
import Flows
import OAuth
import Synchronization

/// The cookies by which an app recognises a login: set when it sent the browser to the provider, or just
/// before.
enum LoginCookies {
    /// The cookies the app set when it sent the browser to the provider.
    ///
    /// Of the redirect that led to the request and the redirects before it, else of the app's pages in the
    /// half minute before. Deletions do not count. Where the callback's page handed the code on to another host, that host's
    /// alone.
    static func set(for request: AuthorizationRequest, callback: RejectedCallback, in flow: Flow)
        -> [CookieDelivery.Setting]
    {
        let host = flow.capture[callback.place].request.url.host
        let found = set(for: request, at: host, in: flow)
        return callback.place == callback.exchange ? found : found.filter { $0.url.host == host }
    }

    /// As above, for a callback at `host`; looked for once, however many ask.
    static func set(for request: AuthorizationRequest, at host: String?, in flow: Flow)
        -> [CookieDelivery.Setting]
    {
        flow.derived.value { Known() }.settings(Known.Question(request: request.exchange, host: host)) {
            found(for: request, at: host, in: flow)
        }
    }

    /// What was found for the requests of a flow.
    private final class Known: Sendable {
        struct Question: Hashable {
            var request: Int
            var host: String?
        }

        private let known = Mutex<[Question: [CookieDelivery.Setting]]>([:])

        func settings(_ question: Question, _ find: () -> [CookieDelivery.Setting])
            -> [CookieDelivery.Setting]
        {
            if let known = known.withLock({ $0[question] }) { return known }
            let found = find()
            known.withLock { $0[question] = found }
            return found
        }
    }

    private static func found(for request: AuthorizationRequest, at host: String?, in flow: Flow)
        -> [CookieDelivery.Setting]
    {
        var found = alongRedirects(to: request, flow)
        if let source = flow.surroundings.redirectedFrom[request.exchange], let host,
            flow.capture[source].request.url.host == host
        {
            // The server that sent the browser off is the callback's own: what another host set before that never came to it.
            found.removeAll { setting in
                setting.url.host != host
                    && !(setting.cookie.domain.map { CookieScope.contains(host: host, domain: $0) } ?? false)
            }
        }
        return found.isEmpty ? onPage(before: request, at: host, flow) : found
    }

    /// What the redirects that led to the request set, as far as they are the app's.
    private static func alongRedirects(to request: AuthorizationRequest, _ flow: Flow)
        -> [CookieDelivery.Setting]
    {
        var found = request.isUnseen ? settings(request.exchange, flow) : []
        var byName = Dictionary(grouping: found, by: \.cookie.name)
        // Behind a callback the way is that of the round before, up to the provider's own cookies.
        let ends = flow.surroundings.derived.value { Ends(in: flow.surroundings) }
        for source in flow.surroundings.redirects(leadingTo: request.exchange) {
            // The provider's own cookies are none of the app's.
            if flow.capture[source].request.url.origin != request.endpoint.origin {
                // One that is made anew on the way stays away for that.
                let staying = settings(source, flow).filter { earlier in
                    !(byName[earlier.cookie.name] ?? []).contains { later in
                        OverwrittenCookie.isInPlace(of: earlier, later.cookie, later.url)
                    }
                }
                found += staying
                for setting in staying { byName[setting.cookie.name, default: []].append(setting) }
            }
            // Nor what an app did that sent the user to the one that now asks another provider in its turn.
            guard !ends.callbacks.contains(source), !ends.requests.contains(source) else { break }
        }
        return found
    }

    /// What a page that goes on by script set: the app's by its host, by what the request says it came from, or by the login that
    /// its server handed the page out.
    private static func onPage(before request: AuthorizationRequest, at host: String?, _ flow: Flow)
        -> [CookieDelivery.Setting]
    {
        let headers = flow.capture[request.exchange].request.headers
        let origin = headers.first("referer").map { RecordedURL($0) }
        let hosts = [host, origin?.host].filter {
            $0 != nil && $0 != request.endpoint.host
        }
        var read = 0
        for earlier in flow.exchanges(before: request.exchange, within: .seconds(30)) {
            var isApps = hosts.contains(flow.capture[earlier].request.url.host)
            if !isApps, read < mostBodies, let body = ownPagesAnswer(flow.capture[earlier], before: request) {
                read += 1
                isApps = isHandedOut(request, in: body)
            }
            guard isApps, !isOfProgram(earlier, besides: request, flow)
            else { continue }
            let found = settings(earlier, flow)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Whether a page's own server gave it the request to go on with, as Auth.js does: many pages have their browser not say where it
    /// comes from (`Referrer-Policy`).
    private static func isHandedOut(_ request: AuthorizationRequest, in body: Body) -> Bool {
        guard let state = request.state, state.utf8.count >= 8 else { return false }
        return body.text?.containsBytes(state) ?? false
    }

    /// What a page's own server, and not the provider, answered the page; nil of any other exchange.
    private static func ownPagesAnswer(_ earlier: Exchange, before request: AuthorizationRequest) -> Body? {
        guard let origin = earlier.request.url.origin, origin != request.endpoint.origin,
            let body = earlier.response?.body, (body.size ?? 0) <= 1 << 16
        else { return nil }
        let headers = earlier.request.headers
        let isOfOwnPage =
            headers.first("sec-fetch-site")?.lowercased() == "same-origin"
            || ["origin", "referer"].contains { name in
                headers.first(name).map { RecordedURL($0).origin == origin } ?? false
            }
        return isOfOwnPage ? body : nil
    }

    /// A page goes on as soon as it has the request.
    private static let mostBodies = 20

    /// Whether a program asked for a page, while a browser took the request to the provider: what it was given never came to that.
    private static func isOfProgram(_ page: Int, besides request: AuthorizationRequest, _ flow: Flow) -> Bool
    {
        func isOnDevice(_ exchange: Int) -> Bool? {
            flow.capture[exchange].request.userAgent.map(UserAgentName.isOnDevice)
        }
        return isOnDevice(page) == false && isOnDevice(request.exchange) == true
    }

    /// Where the logins of a capture begin and end, read once for all of them.
    private struct Ends: Sendable {
        let callbacks: Set<Int>
        let requests: Set<Int>

        init(in index: CaptureIndex) {
            callbacks = Set(index.responses.compactMap(\.callback))
            requests = Set(index.authorizationRequests.map(\.exchange))
        }
    }

    /// The callback as the request that has to bring them back.
    static func sending(of callback: RejectedCallback, for request: AuthorizationRequest, in flow: Flow)
        -> CookieDelivery.Sending
    {
        let exchange = flow.capture[callback.place]
        let page =
            callback.place == callback.exchange
            ? request.endpoint : flow.capture[callback.exchange].request.url
        let stated = exchange.request.headers.first("origin") ?? exchange.request.headers.first("referer")
        let initiator = stated.flatMap { $0 == "null" ? nil : RecordedURL($0) }
        return CookieDelivery.Sending(
            of: exchange,
            initiator: initiator.flatMap { $0.isWeb ? $0 : nil } ?? page
        )
    }

    /// What an answer sets, without deletions.
    static func settings(_ index: Int, _ flow: Flow) -> [CookieDelivery.Setting] {
        let exchange = flow.capture[index]
        // Where it is not known who set them, and over what, it is not known where they go.
        guard let url = exchange.askedURL else { return [] }
        return (exchange.response?.setCookies ?? []).filter {
            !$0.isDeletion(at: exchange.endedAt) && !$0.value.isEmpty
        }.map {
            CookieDelivery.Setting(
                cookie: $0,
                url: url,
                at: exchange.endedAt,
                exchange: index
            )
        }
    }
}
