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

    /// Nil where a redirect brought the request's code, or the delivered one arrived as well.
    init?(by request: TokenRequest, in flow: Flow) {
        guard let sent = request.code, !sent.isEmpty else { return nil }
        let responses = flow.authorizationResponses
        guard !responses.contains(where: { $0.deliveredBy != nil && $0.code == sent }),
            let callback = responses.first(where: { $0.callback != nil && $0.code == sent }),
            let arrived = callback.parameter("code"), let state = callback.state, !state.isEmpty
        else { return nil }
        let redirects = responses.filter { $0.deliveredBy != nil && $0.state == state && $0.code != nil }
        guard redirects.count == 1, redirects[0].callback == nil,
            let delivered = redirects[0].parameter("code"), !delivered.value.isEmpty,
            ![delivered.value, arrived.value].contains(where: Placeholder.isOne)
        else { return nil }
        self.delivered = delivered
        self.arrived = arrived
    }

    var evidence: [Evidence] {
        [
            Evidence(delivered, note: "the code in the provider's redirect"),
            Evidence(arrived, note: "the code in the request to the redirect URI, with the same state"),
        ]
    }
}
