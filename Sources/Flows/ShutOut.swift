import Captures

/// A heading that says that an account may not be used, or that nobody gets one: "Account Inactive", "Sign Up Closed".
///
/// In so many words: of accounts in the plural an administrator is told.
package enum ShutOut {
    package static func isOne(_ heading: String) -> Bool {
        let lower = heading.lowercased()
        let spoken = lower.split { !$0.isLetter }.map(String.init)
        guard spoken.count <= mostWords else { return false }
        return (spoken.contains(where: subjects.contains) || signUps.contains(where: lower.containsBytes))
            && (spoken.contains(where: states.contains) || phrases.contains(where: lower.containsBytes))
    }

    private static let subjects: Set<String> = [
        "account", "user", "registration", "signup", "konto", "benutzerkonto", "compte",
    ]
    private static let signUps = ["sign up", "sign-up", "signing up"]
    private static let states: Set<String> = [
        "inactive", "disabled", "deactivated", "suspended", "locked", "blocked", "banned", "closed",
        "gesperrt",
        "deaktiviert", "inaktiv", "désactivé",
    ]
    private static let phrases = [
        "not active", "not activated", "not enabled", "not approved", "pending approval", "awaiting approval",
    ]
    /// A title has the site's name beside it.
    private static let mostWords = 10
}
