package import Captures
import Flows

/// A login that an app gave up before it sent the browser to a provider, by what its page says of it.
///
/// An app that cannot read the provider's metadata, or does not like the issuer in them, has no address to send the browser to: then
/// a capture of the browser alone has nothing of the protocol in it.
package struct UnbegunLogin {
    /// Index in `log.entries` of what the app answered.
    package var exchange: Int
    /// What it says, at most 200 characters, secrets cut.
    package var words: String

    /// The first of a capture; nil where no page of an error speaks of the protocol.
    package static func first(in capture: Capture) -> UnbegunLogin? {
        capture.indices.prefix(mostExchanges).lazy.compactMap { index in
            words(of: capture[index].response).map { UnbegunLogin(exchange: index, words: $0) }
        }.first
    }

    private static func words(of response: RecordedResponse?) -> String? {
        guard let response, let said = failure(named: response.location) ?? text(of: response),
            names.contains(where: said.asciiLowercased().containsBytes)
        else { return nil }
        return Masking.shown(said, of: "body")
    }

    private static func text(of response: RecordedResponse) -> String? {
        guard let body = response.body, body.isPage || body.essence == "text/plain" else { return nil }
        return response.status >= 400 ? PageText.told(by: body) : PageText.alert(of: body)
    }

    /// The address that OmniAuth sends a browser to whose login came to nothing: what it met, and by which strategy.
    private static func failure(named location: String?) -> String? {
        guard let url = location.map({ RecordedURL($0) }), url.path.hasSuffix("/failure"),
            let message = url.queryItems.first("message"), let strategy = url.queryItems.first("strategy")
        else { return nil }
        return "\(message) (\(strategy))"
    }

    /// What the protocol and its parts are called, in lower case.
    private static let names = ["openid", "oidc", "oauth", "issuer", "identity provider", "single sign-on"]
    private static let mostExchanges = 2000
}
