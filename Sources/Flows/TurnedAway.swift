import Captures
package import OAuth

/// A callback that is sent on as if all were well, and nobody is signed in.
///
/// The app had set a cookie where it sent the browser to the provider; the callback comes without it and without any other,
/// the answer sets none, and the page it leads to is loaded without one, so nobody can be signed in there. So do libraries whose
/// failure has no page of its own: what a browser sees of it is the home page.
package enum TurnedAway {
    package static func isOne(
        _ response: AuthorizationResponse,
        to request: AuthorizationRequest,
        exchanged codes: Set<String>,
        in index: CaptureIndex
    ) -> Bool {
        guard let code = response.code, !codes.contains(code), let callback = response.callback,
            response.mode != .fragment, let source = index.redirectedFrom[request.exchange],
            index.capture[source].request.url.host != request.endpoint.host
        else { return false }
        let exchange = index.capture[callback]
        guard exchange.request.cookies.isEmpty, let answer = exchange.response,
            (300..<400).contains(answer.status), answer.setCookies.isEmpty, let location = answer.location,
            index.capture[source].response?.setCookies.contains(where: { !$0.value.isEmpty }) ?? false
        else { return false }
        let target = exchange.request.url.resolving(location)
        // To another host it may be a page that knows the user by a cookie of its own.
        guard target.isWeb, target.host == exchange.request.url.host, (target.query ?? "").isEmpty,
            (target.fragment ?? "").isEmpty
        else { return false }
        let landings = index.derived.value { Landings(index) }
        return index.areCookiesRecorded
            && (landings.byRedirect[callback] ?? []).contains { index.capture[$0].request.cookies.isEmpty }
    }

    /// Where redirects led, in the capture.
    private struct Landings: Sendable {
        let byRedirect: [Int: [Int]]

        init(_ index: CaptureIndex) {
            byRedirect = Dictionary(grouping: index.redirectedFrom.keys) { index.redirectedFrom[$0] ?? $0 }
        }
    }
}
