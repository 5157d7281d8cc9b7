/// Tells values that are made for one login, or one request of it, from those that come again.
///
/// A value that only looks random is not enough: client identifiers, hashes of assets and long-lived cookies do, and
/// two logins of different days have them in common.
enum OneTimeValue {
    /// Names under which protocols hand them out.
    private static let names: Set<String> = [
        "code", "state", "nonce", "ticket", "code_challenge", "code_verifier", "request_uri", "request",
        "user_code",
        "device_code", "refresh_token", "access_token", "id_token", "id_token_hint", "logout_token",
        "subject_token",
        "assertion", "client_assertion", "response", "login_challenge", "consent_challenge",
        "logout_challenge",
        "login_verifier", "consent_verifier", "RelayState", "SAMLRequest", "SAMLResponse", "SAMLart", "wctx",
        "wresult",
    ]

    /// Whether a value under this name is one; what was put in its place is none, and the same in every login.
    static func isOne(_ value: String, under name: String) -> Bool {
        value.utf8.count >= 8 && names.contains(name) && !RemovedValue.isOne(value)
    }

    /// Whether one of the pairs is one.
    static func isAmong(_ items: QueryItems) -> Bool {
        items.items.contains { isOne($0.value, under: $0.name) }
    }
}
