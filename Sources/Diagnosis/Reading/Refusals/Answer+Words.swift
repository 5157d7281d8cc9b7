import Captures
import JSON
import OAuth

/// What the words of an answer speak of.
extension Answer {
    /// The text that describes the error, in lower case, for matching providers' wordings; of a refusal in JSON that names no error
    /// (Twitch, HubSpot), the words that it has for it.
    var errorText: String { (error?.text ?? unnamedWords ?? "").lowercased() }

    private var unnamedWords: String? {
        guard isRefusal, let json else { return nil }
        return ["message", "msg", "detail", "error_message", "description"].lazy
            .compactMap { json[$0]?.string }.first { !$0.isEmpty }
    }

    /// Whether the text names the grant that a client may not use; nil where there is none.
    var speaksOfGrant: Bool? {
        guard let text = error?.description?.lowercased(), !text.isEmpty else { return nil }
        return [
            "grant", "client_credentials", "service account", "authorization_code", "refresh_token",
            "using this method", "to exchange", "token exchange", "token-exchange",
        ].contains(where: text.containsBytes)
    }

    /// Whether the text speaks of the authorization code that was sent, and not of the redirect URI as well: whoever says so has
    /// read the request, and looked the code up.
    var speaksOfCode: Bool {
        let text = errorText
        guard !text.containsBytes("redirect") else { return false }
        return Self.codes.contains { words in
            text.ranges(of: words).contains { range in
                let behind = text[range.upperBound...]
                return !Self.otherCodes.contains { behind.hasPrefix($0) }
            }
        }
    }

    private static let codes = [
        "authorization code", "authorisation code", "auth code", "authcode", "verification code",
        "invalid code",
        "code is", "code was", "code has", "code been", "code not", "code expired", "code_already_used",
    ]
    /// What follows where a grant or the values of PKCE are spoken of.
    private static let otherCodes = [" grant", " flow", " verifier", " challenge", "_"]

    /// Whether the text speaks of the verifier that was sent, and of nothing by which a client proves itself.
    var speaksOfVerifier: Bool {
        let text = errorText
        return ["code_verifier", "code verifier"].contains(where: text.containsBytes)
            && !["client", "secret"].contains(where: text.containsBytes)
    }
}
