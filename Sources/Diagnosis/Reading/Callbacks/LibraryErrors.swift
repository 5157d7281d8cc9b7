import Captures

/// What the names and the sentences mean by which libraries tell a browser that they refused a login.
enum LibraryErrors {
    /// Nil where no such name stands in a text as a word of its own, nor such a sentence.
    static func meaning(in text: String) -> String? {
        meaning(in: text, of: meanings)
            ?? (sentencesOfKeys + sentencesOfTokenHandlers + sentencesOfFrameworks + sentences).first {
                text.containsBytes($0.words)
            }?.meaning
    }

    /// The same of an address that a browser is sent to, where some names are a library's that anybody's page may have.
    static func meaning(ofAddress address: String) -> String? {
        meaning(in: address) ?? meaning(in: address, of: meaningsInAddresses)
    }

    /// The same of what is said of a callback, where some sentences are a library's by the callback's path alone.
    static func meaning(in text: String, ofCallbackAt path: String) -> String? {
        meaning(in: text)
            ?? sentencesAtPaths.first { path.containsBytes($0.path) && text.containsBytes($0.words) }?.meaning
    }

    private static func meaning(in text: String, of names: [(name: String, meaning: String)]) -> String? {
        let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        return names.first { words.contains($0.name) }?.meaning
    }

    private static let meaningsInAddresses: [(name: String, meaning: String)] = [
        ("AccessDenied", "Auth.js: the app's own signIn callback said no")
    ]

    private static let meanings: [(name: String, meaning: String)] = [
        (
            "OAuthAccountNotLinked",
            "Auth.js: somebody with this e-mail address has signed in by another provider before, and accounts are not linked by themselves"
        ),
        ("OAuthCallbackError", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCallback", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCreateAccount", "Auth.js: the user could not be written to the database"),
        ("InvalidCheck", "Auth.js: state, nonce or code verifier were not found in their cookies"),
        (
            "authorization_request_not_found",
            "Spring Security: its session holds no login for this state: the session was lost, or the answer was loaded twice"
        ), ("invalid_token_response", "Spring Security: the exchange of the code failed"),
        ("invalid_user_info_response", "Spring Security: UserInfo could not be read"),
        ("invalid_id_token", "Spring Security: the ID token did not pass its checks"),
        ("invalid_state_parameter", "Spring Security: the state is not the one that was sent"),
        (
            "csrf_detected",
            "OmniAuth: the state is not the one in the session, mostly because the session's cookie did not come"
        ),
        ("invalid_credentials", "OmniAuth: the exchange of the code, or the request for the user, failed"),
        ("MismatchingStateError", "Authlib or oauthlib: the state is not the one in the session"),
        ("mismatching_state", "Authlib or oauthlib: the state is not the one in the session"),
        ("invalid_nonce", "Spring Security: the ID token's nonce is not the one that was sent"),
        (
            "missing_signature_verifier",
            "Spring Security: the address of the provider's keys (jwk-set-uri) is not configured"
        ),
        (
            "InvalidStateException",
            "Laravel Socialite, or Symfony's OAuth2 client bundle: the state is not the one in the session"
        ),
        (
            "csrf_attack",
            "Ueberauth: its cookie with the state did not come with the callback, or the provider's strategy does not pass the state on"
        ),
        (
            "PE_OIDC_AUTH_ERROR",
            "LemonLDAP::NG: the provider's answer, the exchange of its code or the ID token did not pass; the portal's log says which. It checks with the metadata and keys in its own configuration, which it fetches anew only where it is told to"
        ),
        ("KidNotFound", "json-jwt (Ruby): the key set has no key of the token's kid"),
        (
            "JWEDecryptionFailed",
            "jose: the encrypted token does not open with the private key that the app took: it is not that of the token's kid, or the provider has another public half"
        ),
        (
            "ERR_JWE_DECRYPTION_FAILED",
            "jose: the encrypted token does not open with the private key that the app took: it is not that of the token's kid, or the provider has another public half"
        ),
        ("IDX21323", "ASP.NET: the cookie with the nonce did not come with the callback"),
        ("IDX20803", "ASP.NET: the provider's metadata could not be read"),
        ("IDX20804", "ASP.NET: the provider's metadata could not be read"),
    ]
}
