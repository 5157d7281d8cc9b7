import Captures
import Flows
import JOSE
import OAuth

/// A code that came to the redirect URI in the place of the one that the provider's redirect carried.
struct ReplacedCode {
    /// In the provider's redirect.
    let delivered: Parameter
    /// In the request to the redirect URI, with the same state.
    let arrived: Parameter

    /// Nil where a redirect brought the request's code, or the delivered one arrived as well, or where the provider may have given
    /// another one meanwhile: to another address, as a broker's provider does, or on a page that was not read.
    init?(by request: TokenRequest, in flow: Flow) {
        guard let sent = request.code, !sent.isEmpty else { return nil }
        let responses = flow.authorizationResponses
        guard !responses.contains(where: { $0.deliveredBy != nil && $0.code == sent }),
            let response = responses.first(where: { $0.callback != nil && $0.code == sent }),
            let arrived = response.parameter("code"), let state = response.state, !state.isEmpty
        else { return nil }
        let redirects = responses.filter { $0.deliveredBy != nil && $0.state == state && $0.code != nil }
        guard redirects.count == 1, redirects[0].callback == nil,
            redirects[0].target.normalizedWithoutQuery == response.target.normalizedWithoutQuery,
            let delivered = redirects[0].parameter("code"), !delivered.value.isEmpty,
            ![delivered.value, arrived.value].contains(where: Placeholder.isOne),
            let redirect = redirects[0].deliveredBy, let callback = response.callback,
            !Self.isProviderAsked(between: redirect, callback, flow.surroundings)
        else { return nil }
        self.delivered = delivered
        self.arrived = arrived
    }

    /// Whether the browser came to the provider once more, and to more than a part of a page, before the callback.
    private static func isProviderAsked(between redirect: Int, _ callback: Int, _ index: CaptureIndex) -> Bool
    {
        let given = index.capture[redirect]
        return index.withoutAssets(after: redirect).prefix(mostBetween).prefix { $0 != callback }.contains {
            let other = index.capture[$0]
            return other.startedAt >= given.endedAt && other.request.url.origin == given.request.url.origin
                && other.request.userAgent == given.request.userAgent
        }
    }

    private static let mostBetween = 100

    var evidence: [Evidence] {
        [
            Evidence(delivered, note: "the code in the provider's redirect"),
            Evidence(arrived, note: "the code in the request to the redirect URI, with the same state"),
        ]
    }
}
