package import Captures
package import OAuth

/// What Envoy, as Istio's gateways and sidecars, says with 403 in the place of the API behind it.
package enum EnvoyRefusal {
    /// It did not take the token.
    case token
    /// Its policy lets nobody through whom it takes the caller for.
    case policy

    /// Nil where it is none: the words are the whole of the answer.
    package init?(_ exchange: Exchange) {
        guard let response = exchange.response, response.status == 403,
            let body = response.body, (body.size ?? 0) < Self.longest,
            let bytes = body.bytes, bytes.count < Self.longest
        else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).asciiLowercased()
        if words == "rbac: access denied" {
            self = .policy
        } else if Self.tokens.contains(words) {
            self = .token
        } else {
            return nil
        }
    }

    /// The origins where its policy turned every call away, at more than one address; those that differ by their numbers are one.
    ///
    /// Where some are let through, or only one address is closed, it may be the user who is not to have it.
    package static func closedOrigins(among calls: [EndpointCall], in capture: Capture) -> Set<String> {
        var closed: [String: Set<String>] = [:]
        var open: Set<String> = []
        for call in calls {
            guard let origin = call.endpoint.origin, call.answer.status != nil else { continue }
            if EnvoyRefusal(capture[call.exchange]) == .policy {
                closed[origin, default: []].insert(route(of: call.endpoint))
            } else {
                open.insert(origin)
            }
        }
        return Set(closed.filter { $0.value.count > 1 && !open.contains($0.key) }.keys)
    }

    /// The path without what tells one thing from another of its kind.
    private static func route(of endpoint: RecordedURL) -> String {
        endpoint.path.utf8.split(separator: 0x2f)
            .map { $0.contains(where: \.isASCIIDigit) ? "*" : String(Substring($0)) }
            .joined(separator: "/")
    }

    /// In bytes.
    private static let longest = 128

    /// In lower case.
    private static let tokens: Set<String> = [
        "jwt issuer is not configured", "jwt is expired", "jwt not yet valid", "jwt verification fails",
        "audiences in jwt are not allowed", "jwks remote fetch is failed",
        "jwks doesn't have key to match kid or alg from jwt",
    ]
}
