import Captures
import Flows
import OAuth

/// What the provider itself answered to an authorization request: the endpoint's own answer, the pages its
/// redirects lead to, and the pages of the sign-in that followed, up to the redirect URI.
enum ProviderPages {
    /// A sign-in has some tens of exchanges, polls included; a circle of redirects has no end.
    private static let longestSignIn = 1000

    /// Exchanges in order of time, the request itself first.
    static func of(_ request: AuthorizationRequest, in flow: Flow) -> [Int] {
        guard !request.isUnseen else { return [] }
        let target = request.redirectURI.map { RecordedURL($0).normalizedWithoutQuery }
        let asked = flow.capture[request.exchange].request.url
        let endpoint = asked.origin
        let app = request.redirectURI.map { RecordedURL($0) }
        // Where its redirects lead, its pages go on: sign-in pages often have a host of their own.
        var origins: Set = [endpoint]
        var pages: Set<Int> = [request.exchange]
        var ordered = [request.exchange]
        guard let start = flow.exchanges.firstIndex(of: request.exchange) else { return ordered }
        let likes = RequestLikes.of(request, in: flow.surroundings)
        for exchange in flow.exchanges[(start + 1)...].prefix(Self.longestSignIn) {
            let url = flow.capture[exchange].request.url
            guard url.normalizedWithoutQuery != target, !isAnswer(url, to: request, from: endpoint) else {
                continue
            }
            let isApps = app.map { url.isOfApp(answeredAt: $0, by: asked) } ?? false
            let isLed = flow.surroundings.redirectedFrom[exchange].map(pages.contains) ?? false
            let isPage =
                (origins.contains(url.origin)
                    || !isApps && inClear(url).map { origins.contains($0) } ?? false)
                && (flow.surroundings.messages[exchange].map { isSame($0, request, likes) } ?? true)
            guard isLed || isPage else { continue }
            if !isApps { origins.insert(url.origin) }
            pages.insert(exchange)
            ordered.append(exchange)
        }
        return ordered
    }

    /// The https origin of an http address at the usual port; nil for other addresses.
    ///
    /// Behind a proxy that ends https, a provider that is not told of it has such addresses in its forms.
    private static func inClear(_ url: RecordedURL) -> String? {
        guard url.scheme == "http", url.port == 80, let host = url.host else { return nil }
        return RecordedURL("https://\(host)").origin
    }

    /// The first request that this one repeats, itself where there is none: what a sign-in ends with, by loading the request's
    /// address again, began there.
    static func beginning(of request: AuthorizationRequest, in flow: Flow) -> AuthorizationRequest {
        let sameness = request.sameness
        return flow.authorizationRequests.first {
            $0.sameness.contains(where: sameness.contains) || request.carriesOn($0)
        } ?? request
    }

    /// Whether a message is the very request once more: some sign-ins end by loading its address again.
    private static func isSame(
        _ message: OAuthMessage,
        _ request: AuthorizationRequest,
        _ likes: [Set<Int>]
    ) -> Bool {
        guard case .authorizationRequest(let other) = message else { return false }
        return likes.contains { $0.contains(other.exchange) } || other.carriesOn(request)
    }

    /// Whether the provider's answer goes there, to whatever address: it brings the request's `state` back.
    private static func isAnswer(_ url: RecordedURL, to request: AuthorizationRequest, from origin: String?)
        -> Bool
    {
        guard url.origin != origin, let state = request.state, !state.isEmpty else { return false }
        let items = url.queryItems
        return items.first("state") == state && (items.first("code") ?? items.first("error")) != nil
    }
}

/// Which authorization requests of a capture are the same one, found out once: who looks for one among a thousand would compare all
/// their parameters each time.
private struct RequestLikes: Sendable {
    private var exchanges: [[String?]: Set<Int>] = [:]

    private init(_ index: CaptureIndex) {
        for request in index.authorizationRequests {
            for sameness in request.sameness { exchanges[sameness, default: []].insert(request.exchange) }
        }
    }

    /// The exchanges of all that are the same as a request, itself among them, for each of its ``AuthorizationRequest/sameness``.
    static func of(_ request: AuthorizationRequest, in index: CaptureIndex) -> [Set<Int>] {
        let likes = index.derived.value { RequestLikes(index) }
        return request.sameness.compactMap { likes.exchanges[$0] }
    }
}

extension Flow {
    /// Where the provider's pages of a request redirected to, in order of time.
    func providerRedirects(of request: AuthorizationRequest) -> [(exchange: Int, target: RecordedURL)] {
        ProviderPages.of(request, in: self).compactMap { page in
            let exchange = capture[page]
            return exchange.response?.location.map { (page, exchange.request.url.resolving($0)) }
        }
    }
}
