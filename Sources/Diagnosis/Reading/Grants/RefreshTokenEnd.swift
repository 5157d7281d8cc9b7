import Captures
import Flows
import OAuth

/// How providers say that a refresh token has run out, or that the session behind it has ended.
enum RefreshTokenEnd {
    /// Whether a refusal says so, and leaves nothing else open.
    static func isStated(by answer: Answer) -> Bool {
        // Google Workspace's limit to a session, named beside the error.
        if answer.parameters["error_subtype"] == session { return true }
        guard let text = text(of: answer) else { return false }
        return texts.contains(where: text.containsBytes) && !alternatives.contains(where: text.containsBytes)
    }

    /// Whether a refusal says so, or that there never was such a token, and leaves open which of the two (Okta).
    static func isOneOfTwo(by answer: Answer) -> Bool {
        text(of: answer).map { alternatives.contains(where: $0.containsBytes) } ?? false
    }

    /// The words of a refusal in lower case; nil of none, and of the specification's own sentence.
    private static func text(of answer: Answer) -> String? {
        let text = (answer.error?.description ?? "").lowercased()
        guard !text.isEmpty, text.utf8.count < 4096, !StatedGrantFault.namesEveryReason(text) else {
            return nil
        }
        return text
    }

    static let leftOpen = Violation.Words(
        explanation: """
            The provider refused the refresh because the refresh token has run out, was ended or revoked, or is none that it knows: its words leave open which. How long it lasts is not \
            in the capture.
            """
    )

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
