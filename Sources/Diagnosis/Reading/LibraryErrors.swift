import Captures

/// What the names mean by which libraries tell a browser that they refused a login.
enum LibraryErrors {
    /// Nil where no such name stands in a text as a word of its own.
    static func meaning(in text: String) -> String? {
        let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        return meanings.first { words.contains($0.name) }?.meaning
    }

    private static let meanings: [(name: String, meaning: String)] = [
        (
            "OAuthAccountNotLinked",
            "Auth.js: somebody with this e-mail address has signed in by another provider before, and accounts are not linked by themselves"
        ),
        ("OAuthCallbackError", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCallback", "Auth.js: the provider's answer, or the exchange of its code, was an error"),
        ("OAuthCreateAccount", "Auth.js: the user could not be written to the database"),
        ("AccessDenied", "Auth.js: the app's own signIn callback said no"),
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
    ]
}
