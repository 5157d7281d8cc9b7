/// A logout that waits for the user (OpenID Connect RP-Initiated Logout).
struct PendingLogout: Sendable {
    var session: String?
    /// Where to send the user, with `state`; nil where nobody asked.
    var target: String?
    var parameters: RequestParameters
}
