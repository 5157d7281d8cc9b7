package import Captures

/// A step of the sign-in that ForgeRock's pages and SDKs do by script, at `/json/…/authenticate`.
package enum ForgeRockStep {
    /// By method and path.
    package static func isOne(_ exchange: Exchange) -> Bool {
        let path = exchange.request.url.path
        return exchange.request.method == "POST" && path.hasSuffix("/authenticate")
            && path.containsBytes("/json/")
    }

    /// Whether a page of another origin made it and its browser kept the answer from it: there is none, or one that does not let
    /// any page of another origin read it.
    static func isKept(_ exchange: Exchange) -> Bool {
        guard isOne(exchange), let origin = exchange.request.headers.first("origin"),
            let page = RecordedURL(origin).origin, page != exchange.request.url.origin
        else { return false }
        guard let response = exchange.response else {
            let words = exchange.failure?.lowercased()
            return words.map { TransportFailure($0) == nil && !$0.containsBytes("abort") } ?? false
        }
        return !response.headers.fields.isEmpty && !response.headers.contains("access-control-allow-origin")
    }
}
