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
            answer.isSuccessful, answer.location == nil
        else { return nil }
        // A browser asks for the page's icon at once.
        let isLast = index.withoutAssets(after: callback).isEmpty
        // A program on this machine answers its browser first and fetches the tokens then.
        guard
            !index.capture[callback].request.url.isOnLoopback || !isLast
                || isOfAWebApp(callback, request, in: index),
            let body = answer.body, body.isPage, let html = body.text, doesNothing(html),
            !isLast || !sendsAway(html)
        else { return nil }
        guard let witness = index.backChannel.witness(of: response, to: request, in: index.capture),
            // A program whose own service exchanges the code for it.
            HandedOnCode.isCarried(response, in: index) != true,
            !usesUnseenToken(by: witness, callback, in: index)
        else { return nil }
        return witness
    }

    /// Whether who made a call used a token behind a callback that was not seen to come: it has fetched that with the code.
    ///
    /// A program has one user and may take its time. A server has tokens of others as well, and keys of its own, so that only what
    /// it does before it answers is of this login.
    private static func usesUnseenToken(by witness: Int, _ callback: Int, in index: CaptureIndex) -> Bool {
        let answered = index.capture[callback]
        let isProgram = answered.request.url.isOnLoopback
        return index.unseenTokens.areUsed(
            by: ServerCalls.sender(of: index.capture[witness]),
            from: answered.startedAt,
            to: isProgram ? answered.startedAt + .seconds(60) : answered.endedAt
        )
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

    /// Whether a page neither runs a script, unless it is to close its window, nor leads on by itself.
    private static func doesNothing(_ html: String) -> Bool {
        guard html.utf8.count < 1 << 18 else { return false }
        let lower = html.lowercased()
        let text =
            lower.containsBytes("window.close()")
            ? closings.reduce(lower) { $0.replacing($1, with: "") } : lower
        return !["<script", "onload", "http-equiv=\"refresh", "http-equiv=refresh", "http-equiv='refresh"]
            .contains(
                where: text.containsBytes
            )
    }

    private static let closings = [
        "<script>window.close()</script>", "<script>window.close();</script>",
        "<script type=\"text/javascript\">window.close();</script>",
    ]
}
