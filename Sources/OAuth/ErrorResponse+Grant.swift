import Captures

/// A grant that was refused under a general name, in words that say so.
extension ErrorResponse {
    /// Whether an error whose name stands for anything (`invalid_request`, `unauthorized_client` of Atlassian, Facebook's
    /// `OAuthException`) says of the code or the refresh token that it is not good.
    ///
    /// What is missing, or may not be used by this client, is another matter; so are a verifier and a redirect URI. login.gov has a
    /// sentence in the name's place.
    var saysGrantIsRefused: Bool {
        let words = error.utf8.contains(0x20) ? error : Self.generalNames.contains(error) ? description : nil
        guard let words, words.utf8.count < Self.longest else { return false }
        let text = words.lowercased()
        guard !Self.kinds.contains(where: text.containsBytes) else { return false }
        return Self.sentences.contains(where: text.containsBytes)
            || Self.grants.contains { grant in
                // Found quickly where it is not there, as in most texts.
                text.containsBytes(grant) && text.ranges(of: grant).contains { Self.isRefused($0, in: text) }
            }
    }

    /// By what is said of it behind its name, in the same sentence, or by an adjective in front.
    private static func isRefused(_ grant: Range<String.Index>, in text: String) -> Bool {
        let behind = text[grant.upperBound...].prefix(reach)
        guard !others.contains(where: behind.hasPrefix) else { return false }
        if adjectives.contains(where: text[..<grant.lowerBound].hasSuffix) { return true }
        let sentence = behind.prefix { $0 != "." && $0 != ";" }
        let found = failures.compactMap { sentence.firstRange(of: $0) }
        // What was not found in the request is missing.
        guard let failure = found.min(by: { $0.lowerBound < $1.lowerBound }),
            !requests.contains(where: sentence[failure.upperBound...].hasPrefix)
        else { return false }
        // What is named in between is what the words are about.
        let between = String(sentence[..<failure.lowerBound])
        return !subjects.contains(where: between.containsBytes)
    }

    /// Texts of errors are short.
    private static let longest = 1 << 10
    private static let reach = 80

    private static let generalNames: Set<String> = [
        "invalid_request", "unauthorized_client", "OAuthException",
    ]

    // MARK: - Words, in lower case

    private static let grants = [
        "authorization code", "authorisation code", "authorization_code", "auth code", "refresh token",
        "refresh_token",
    ]
    /// Where the kind of grant is spoken of.
    private static let kinds = ["grant type", "grant_type", "grant-type"]
    /// What follows where a kind of grant or the values of PKCE are spoken of.
    private static let others = [
        " grant", " flow", " verifier", " challenge", "_", " type", " parameter", " request",
    ]
    private static let failures = [
        " is invalid", " was invalid", " is not valid", " isn't valid", " expired", "not found",
        "not be found", "not exist", "n't exist", "been used", "already used", "already redeemed",
        "been revoked", "is revoked", "no longer valid", "is incorrect",
    ]
    private static let requests = [" in request", " in the request", " in your request", " in the body"]
    /// What else a request with a grant brings.
    private static let subjects = [
        "redirect", "callback", "verifier", "challenge", "client", "secret", "scope", "resource",
    ]
    private static let adjectives = ["invalid ", "expired ", "unknown ", "incorrect "]
    /// X's, of a refresh token, and login.gov's, of a code.
    private static let sentences = [
        "value passed for the token was invalid", "code is invalid either because it expired",
    ]
}
