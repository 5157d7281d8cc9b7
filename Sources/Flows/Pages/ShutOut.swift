import Captures

/// A heading that says that an account may not be used, or that nobody gets one: "Account Inactive", "Sign Up Closed".
///
/// In so many words and no others: of somebody's savings account, of two factors that are not enabled for an account, or of
/// accounts in the plural people are told who are signed in.
package enum ShutOut {
    /// Whether a heading, or what is left of it beside the site's name, says so.
    package static func isOne(_ heading: String) -> Bool {
        // A title has the site's name beside it.
        heading.split { "|·–—".contains($0) }.contains { part in
            let lower = part.lowercased()
            guard !lower.utf8.contains(where: { $0 == 0x3f || (0x30...0x39).contains($0) }) else {
                return false
            }
            let spoken = lower.split { !$0.isLetter }.map(String.init)
            guard let subject = spoken.firstIndex(where: subjects.contains) else { return false }
            let (before, behind) = (spoken[..<subject], spoken[(subject + 1)...])
            guard before.allSatisfy(articles.contains),
                behind.allSatisfy({ states.contains($0) || fillers.contains($0) })
            else { return false }
            let said = behind.filter(states.contains)
            return said == ["not"]
                ? behind.last.map(wanted.contains) ?? false : !said.isEmpty && !said.contains("not")
        }
    }

    private static let subjects: Set<String> = [
        "account", "user", "signup", "up", "konto", "benutzerkonto", "compte",
    ]
    /// What may stand in front, of "sign up" its first word.
    private static let articles: Set<String> = [
        "your", "this", "the", "sign", "user", "ihr", "dieses", "das", "votre", "ce", "le",
    ]
    private static let states: Set<String> = [
        "inactive", "disabled", "deactivated", "suspended", "locked", "blocked", "banned", "closed",
        "pending", "awaiting", "not", "gesperrt", "deaktiviert", "inaktiv", "désactivé",
    ]
    /// What it is to be, and is not.
    private static let wanted: Set<String> = ["active", "activated", "enabled", "approved"]
    private static let fillers: Set<String> = [
        "is", "has", "been", "was", "currently", "temporarily", "out", "yet", "active", "activated",
        "enabled", "approved",
        "approval", "activation", "account", "ist", "wurde", "est", "a", "été",
    ]
}
