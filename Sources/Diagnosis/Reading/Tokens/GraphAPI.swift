import Captures
import JSON
import OAuth

/// Facebook's and Instagram's Graph API, which refuses a token by a number of its own and with status 400.
enum GraphAPI {
    static func isOne(_ url: RecordedURL) -> Bool {
        ["graph.facebook.com", "graph.instagram.com", "graph.threads.net"].contains(url.host ?? "")
    }

    /// Whether it refused the token: one that it cannot read, that has run out or was revoked.
    static func refusesToken(_ call: EndpointCall) -> Bool {
        isOne(call.endpoint) && call.answer.json?["error"]?.object?["code"]?.int == 190
    }

    /// Of an ID token that was shown to it.
    static let explanation = """
        The token of the refused call is the ID token of this login. Facebook's Limited Login, which its SDK for iOS falls back to where the user has not allowed tracking, gives out \
        nothing else: what the SDK calls the access token then is none that the Graph API knows.
        """
    static let fix = """
        Take the ID token for what it is: verify it by Facebook's keys (limited.facebook.com/.well-known/oauth/openid/jwks), with issuer, audience and nonce, and read the user from its claims. For calls of \
        the Graph API log in with tracking enabled, after the user has allowed it (App Tracking Transparency).
        """
}
