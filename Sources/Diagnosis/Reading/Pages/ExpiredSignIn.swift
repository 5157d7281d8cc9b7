import Captures
import Flows
import OAuth

/// A provider's word, on its own page, that the login of which the page is part had run out when the user sent it.
///
/// Nothing in the request is wrong then, nor in what was entered.
enum ExpiredSignIn {
    /// What to say of it; nil of a text that says no such thing.
    static func words(in text: String) -> Violation.Words? {
        let lower = text.asciiLowercased().utf8
        let isSaid = texts.contains { words in
            guard let found = lower.firstRange(of: Array(words.utf8)) else { return false }
            return !isAdvice(lower[..<found.lowerBound])
        }
        return isSaid ? Violation.Words(title: title, explanation: explanation, fix: fix) : nil
    }

    /// Whether what stands before such words, in their sentence, makes them one of several things that a page thinks possible.
    private static func isAdvice(_ text: Substring.UTF8View) -> Bool {
        let before = String(decoding: text.suffix(80), as: UTF8.self)
        let sentence = " " + (before.split { ".!?".contains($0) }.last ?? "")
        return [" if ", " when ", " where ", "reason", "possibl", "maybe", "perhaps"].contains(
            where: sentence.containsBytes
        )
    }

    /// How long the login had been under way at an exchange, in seconds; nil where that is before the request.
    static func age(of request: Int, at exchange: Int, in flow: Flow) -> Evidence? {
        let seconds = (flow.capture[exchange].startedAt - flow.capture[request].startedAt).components.seconds
        guard seconds >= 0 else { return nil }
        return .computed("sign-in", "\(seconds) s", in: .timing, note: "since the authorization request")
    }

    static let title = "The login had run out at the provider"
    private static let explanation = """
        The provider did not know the login any more when the user sent its page: the page had stood open for longer than a login may take, or it came from \
        the browser's history, a bookmark or another tab.
        """
    private static let fix = """
        Begin the login anew at the app. Where this comes although the page was sent at once, look for what loses the provider's cookies; where users are slow, \
        raise the time that a login may take at the provider (Keycloak: Login timeout and Login action timeout of the realm).
        """

    /// In lower case: Keycloak (five), WSO2 (two, and two names that the address of its page has for them), ForgeRock, Logto, Ory Kratos.
    private static let texts = [
        "login attempt timed out", "took too long to login", "page has expired", "action expired",
        "restart login cookie not found", "session timeout or invalid session",
        "authentication flow timed out", "authentication.context.null", "authentication.flow.timeout",
        "session has timed out", "session not found. please go back and sign in again",
        "self-service flow expired",
    ]
}
