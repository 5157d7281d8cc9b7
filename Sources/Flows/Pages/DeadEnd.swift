import Captures
package import OAuth

/// A callback that ends in a page which does nothing any more, while the app's server leaves the code alone.
package enum DeadEnd {
    /// The exchange that shows the app's server at work; nil where the answer to the callback is no dead end.
    package static func witness(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        exchanged codes: Set<String>,
        in index: CaptureIndex
    ) -> Int? {
        guard let code = response.code, !codes.contains(code), response.error == nil,
            let callback = response.callback, let answer = index.capture[callback].response,
            (200..<300).contains(answer.status), answer.location == nil,
            // A program on this machine answers its browser first and fetches the tokens then.
            !LoopbackHost.isLoopback(index.capture[callback].request.url.host ?? "")
                || index.order.last != callback || isOfAWebApp(callback, request, in: index),
            let body = answer.body, body.essence == "text/html", let html = body.text, doesNothing(html),
            index.order.last != callback || !sendsAway(html)
        else { return nil }
        return index.backChannel.witness(of: response, to: request, in: index.capture)
    }

    /// Whether a page says that the browser has done its part, as programs do that answer first and fetch their tokens then.
    private static func sendsAway(_ html: String) -> Bool {
        guard html.utf8.count < 1 << 14 else { return false }
        let text = html.lowercased()
        return ["close this ", "close the ", "to the terminal", "to your terminal", "to the app"]
            .contains(where: text.containsBytes)
    }

    /// Whether the server of the callback sent the browser to the provider itself, with a cookie to know it again, as a web app
    /// does that is developed on this machine.
    private static func isOfAWebApp(
        _ callback: Int,
        _ request: AuthorizationRequest,
        in index: CaptureIndex
    ) -> Bool {
        guard let source = index.redirectedFrom[request.exchange] else { return false }
        let beginning = index.capture[source]
        return beginning.request.url.origin == index.capture[callback].request.url.origin
            && beginning.response?.setCookies.contains { !$0.value.isEmpty } ?? false
    }

    /// Whether a page neither runs a script nor leads on by itself.
    private static func doesNothing(_ html: String) -> Bool {
        guard html.utf8.count < 1 << 18 else { return false }
        let text = html.lowercased()
        return !["<script", "onload", "http-equiv=\"refresh", "http-equiv=refresh", "http-equiv='refresh"]
            .contains(
                where: text.containsBytes
            )
    }
}
