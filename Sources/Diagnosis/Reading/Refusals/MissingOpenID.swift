import Captures
import Flows
import OAuth

/// A login whose scope lacks `openid`, and what was refused for that: its request, or UserInfo.
///
/// The missing word is a warning of its own rule; what was refused is told by the rule that speaks of the refusal, in these words.
enum MissingOpenID {
    /// Whether the provider says that it misses the word; a list of what it knows beside a scope that was asked for does not.
    static func isSaid(by refusal: RequestRefusal, to attempt: LoginAttempt) -> Bool {
        let text = refusal.text.asciiLowercased()
        let asked = (attempt["scope"] ?? "").asciiLowercased().spaceDelimited
        return !asked.contains("openid") && text.containsBytes("openid") && text.containsBytes("scope")
            && lacking.contains(where: text.containsBytes) && !asked.contains(where: text.containsBytes)
    }

    /// Whether a refused call is the sign by which the login is known to lack the word.
    static func isShown(by call: Int, in flow: Flow) -> Bool {
        flow.violation(of: ScopeOpenidMissing())?.evidence.contains { $0.place.exchange == call } ?? false
    }

    static let ofRequest = Violation.Words(
        title: "The provider misses openid in the scope",
        explanation: explanation,
        fix: fix
    )

    static let ofUserInfo = Violation.Words(
        title: "UserInfo refused the token of a login without openid",
        explanation: explanation,
        fix: fix
    )

    static let explanation = """
        The login means to be one of OpenID Connect, and its scope lacks openid. Without that word it is a request of OAuth alone, for which there \
        is neither an ID token nor UserInfo, and it was refused for that.
        """

    private static let fix = "Add openid to the scope of the authorization request; a refresh cannot add it."

    /// In lower case.
    private static let lacking = [
        "missing", "require", "must", "not in scope", "without", "lack", "not include",
        "not contain",
        "no openid", "needs",
    ]
}
