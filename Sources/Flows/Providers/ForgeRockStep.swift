package import Captures
import JSON

/// A step of the sign-in that ForgeRock's pages and SDKs do by script, at `/json/…/authenticate`.
package enum ForgeRockStep {
    /// By method and path.
    package static func isOne(_ exchange: Exchange) -> Bool {
        let path = exchange.request.url.path
        return exchange.request.method == "POST" && path.hasSuffix("/authenticate")
            && path.containsBytes("/json/")
    }

    /// The session that a step was answered with; nil where more steps follow.
    package static func session(in exchange: Exchange) -> String? {
        guard isOne(exchange), exchange.response?.status == 200 else { return nil }
        let answer = JSONBody.object(of: exchange.response?.body, below: largestSession)
        return answer?["tokenId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What ended the sign-in, where a step was refused for good: the server's reason and its message, which all of its errors have.
    ///
    /// Nil of a step that went well, of one that may be repeated, whose answer has an `authId`, and of another API of that name.
    package static func refusal(in exchange: Exchange) -> String? {
        guard isOne(exchange), let response = exchange.response, response.isClientError,
            response.status != 429,
            let json = JSONBody.object(of: response.body, below: largest), json["authId"] == nil,
            let reason = json["reason"]?.string, let message = json["message"]?.string, !message.isEmpty
        else { return nil }
        return "\(reason): \(message)"
    }

    /// In bytes.
    private static let largest = 1 << 16
    /// In bytes; a session may be a token with everything in it.
    private static let largestSession = 1 << 20

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
