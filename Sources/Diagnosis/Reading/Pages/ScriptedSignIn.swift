import Captures
import Flows
import OAuth

/// A call of the app's page that its server redirects to the provider.
///
/// A script cannot follow it, for the provider's pages allow no other origin.
enum ScriptedSignIn {
    /// Nil where no script was sent to the provider.
    static func violation(in flow: Flow) -> Violation? {
        guard flow.ending != .success else { return nil }
        let position = flow.surroundings.position
        let navigations = flow.surroundings.derived.value { Navigations(in: flow.surroundings) }.last
        let answered = Set(flow.logins.filter { $0.response != nil }.map(\.request.exchange))
        for request in flow.authorizationRequests {
            let exchange = flow.capture[request.exchange]
            let headers = exchange.request.headers
            guard isOfScript(headers), let source = flow.surroundings.redirectedFrom[request.exchange],
                !isAhead(flow.capture[source].request), !answered.contains(request.exchange),
                // The page went to sign in itself afterwards.
                navigations[request.clientID] ?? -1 < position[request.exchange],
                exchange.response.map({
                    Permission.missing(in: $0, for: headers.first("origin") ?? "null") != nil
                }) ?? true
            else { continue }
            return Violation(
                [
                    flow.urlEvidence(of: source, note: "asked for by a script of the page"),
                    flow.statusEvidence(of: source, note: "the app sends the script to the provider"),
                    Evidence(
                        place: Place(exchange: request.exchange, part: .responseStatus, name: ""),
                        value: exchange.response.map { "\($0.status)" }
                            ?? exchange.failure.map { Excerpt.start(of: $0) } ?? "no answer",
                        note: "what the script cannot read"
                    ),
                ],
                explanation: script,
                fix: scriptFix,
                title: "A script was sent to the provider's sign-in page",
                exchange: request.exchange
            )
        }
        return nil
    }

    /// Whether a script of a page made a request; a browser that does not say so leaves it the `Origin` null behind a redirect.
    private static func isOfScript(_ headers: HeaderFields) -> Bool {
        guard let agent = headers.first("user-agent"), agent.lowercased().hasPrefix("mozilla/") else {
            return false
        }
        guard let mode = headers.first("sec-fetch-mode") else { return headers.first("origin") == "null" }
        return mode.lowercased() == "cors"
    }

    /// Whether a page or a framework asks for what its user may want next.
    private static func isAhead(_ request: RecordedRequest) -> Bool {
        request.isPrefetch
            || ["next-router-prefetch", "rsc", "x-middleware-prefetch", "x-moz"].contains(
                where: request.headers.contains
            )
    }

    /// Where the last request stands by which a page of each client went to sign in itself, read once for all logins.
    private struct Navigations: Sendable {
        let last: [String?: Int]

        init(in index: CaptureIndex) {
            last = index.authorizationRequests.reduce(into: [:]) { last, request in
                guard !isOfScript(index.capture[request.exchange].request.headers) else { return }
                last[request.clientID] = max(last[request.clientID] ?? -1, index.position[request.exchange])
            }
        }
    }

    private static let script = """
        The session of the app is over or was never there, and its server answered a call of the page (fetch, XMLHttpRequest) as it answers a visit: with \
        a redirect to the provider. The browser follows it and keeps the answer from the script, since the provider allows no other origin to read its \
        pages. Nobody can sign in in a script.
        """
    private static let scriptFix = """
        Answer calls of scripts with 401 (they send Accept: application/json, X-Requested-With or Sec-Fetch-Mode: cors) and let the page navigate to the \
        sign-in then. Do not allow the origin at the provider: that mends nothing.
        """
}
