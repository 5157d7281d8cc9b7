import JOSE
import JSON

/// Which of the users is meant.
extension ProviderConfiguration {
    /// Who has a `sub`.
    func user(subject: String?) -> User? { users.first { $0.subject == subject } }

    /// Who has a `sub`; the first of all where nobody has: most recordings know one user alone.
    func likelyUser(subject: String?) -> User? { user(subject: subject) ?? users.first }

    /// Whose name and password they are; where only one user may have any password, anybody is him.
    func user(with credentials: SignInCredentials) -> ProviderConfiguration.User? {
        let named = users.first { user in
            guard let name = credentials.user else { return users.count == 1 }
            return user.isNamed(name)
        }
        guard let user = named ?? (users.count == 1 && users[0].acceptsAnyPassword ? users[0] : nil) else {
            return nil
        }
        return user.acceptsAnyPassword || user.password == credentials.password ? user : nil
    }

    /// Whom a hint names, by name, address or `sub`, in a token as well (OpenID Connect CIBA, section 7.1).
    func user(hintedBy hint: String) -> User? {
        let claims = JSONWebToken.parse(hint)?.claims
        let names = [hint] + ["sub", "email", "preferred_username"].compactMap { claims?[$0]?.string }
        return users.first { user in
            names.contains { !$0.isEmpty && user.isNamed($0) }
        }
    }
}

extension ProviderConfiguration.User {
    /// Whether somebody is called so: by name, address or `sub`.
    func isNamed(_ name: String) -> Bool { [self.name, email, subject].contains(name) }
}
