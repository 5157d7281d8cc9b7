import Captures
import Flows
import OAuth

/// How providers say that a refresh token has run out, or that the session behind it has ended.
enum RefreshTokenEnd {
    /// Whether a refusal says so, and leaves nothing else open.
    static func isStated(by answer: Answer) -> Bool {
        // Google Workspace's limit to a session, named beside the error.
        if answer.parameters["error_subtype"] == session { return true }
        let text = (answer.error?.description ?? "").lowercased()
        guard !text.isEmpty, text.utf8.count < 4096, !StatedGrantFault.namesEveryReason(text) else {
            return false
        }
        // One that leaves it open whether there ever was such a token (Okta).
        guard !alternatives.contains(where: text.containsBytes) else { return false }
        return texts.contains(where: text.containsBytes)
    }

    /// What is said of the limit that an organization sets to sessions at Google Cloud; nil of any other end.
    static func words(for answer: Answer) -> Violation.Words? {
        let told = [answer.parameters["error_subtype"], answer.error?.description].compactMap(\.self)
        guard told.contains(where: { $0.containsBytes(session) }) else { return nil }
        return ProviderWords.meaning(of: session, by: .google)
    }

    private static let session = "invalid_rapt"

    private static let alternatives = ["invalid or expired", "invalid or has expired", "expired or invalid"]

    private static let texts = [
        "expired", "inactive", "inactivity", "not active", "revoked", "aadsts700082", "aadsts70043",
        "aadsts50173", "aadsts70008",
        session,
        // Keycloak: the session that it belongs to has ended.
        "session not found", "session doesn't have required client",
    ]
}
