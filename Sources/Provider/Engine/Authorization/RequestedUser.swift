import JOSE

/// The user that a login asks for: by `id_token_hint` (OpenID Connect Core, section 3.1.2.1), or by `claims` (section 5.5.1).
///
/// Says who is meant, and not whether that one is signed in.
struct RequestedUser {
    /// Nil where nobody is asked for, or it is nobody here.
    let known: ProviderConfiguration.User?
    /// Whom `claims` names, where that is looked at.
    private let subject: String?

    init(of login: PendingLogin, _ context: ProviderContext, sessions: BrowserSessions) {
        subject = context.dialect.strictness.checksRequestedUsers ? login.claims?.subject : nil
        known = Self.known(to: context.configuration, sessions, login)
    }

    private static func known(
        to configuration: ProviderConfiguration,
        _ sessions: BrowserSessions,
        _ login: PendingLogin
    ) -> ProviderConfiguration.User? {
        guard let hint = login.parameters.value("id_token_hint") else {
            return login.claims?.subject.flatMap { configuration.user(subject: $0) }
        }
        if let session = sessions.id(knownBy: hint).flatMap({ sessions[$0] }) { return session.user }
        return configuration.user(subject: JSONWebToken.parse(hint)?.subject)
    }

    /// Whether a user is the one that is asked for, where one is (section 3.1.2.2); whom nobody knows here may be anybody, but for one
    /// that `claims` names.
    func isMeant(_ user: ProviderConfiguration.User) -> Bool {
        if let subject, subject != user.subject { return false }
        return known.map { $0.subject == user.subject } ?? true
    }
}
