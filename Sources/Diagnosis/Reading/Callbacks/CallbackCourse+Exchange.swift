import Captures
import Flows

/// What an app says of its own request for the tokens, which the capture lacks, and what it says once it has them.
extension CallbackCourse {
    /// Whether the app says in words that it did not get its tokens for the code.
    static func saysThatTheExchangeFailed(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let page = PageText.words(of: flow.capture[callback.wording].response?.body, limit: 1 << 16)
        let location = values(in: flow.capture[callback.place].response?.location ?? "")
        return [callback.noticeWords(in: flow), page, location].compactMap(\.self).contains { text in
            text.asciiLowercased().split(separator: ". ").contains { isOfFailedExchange(String($0)) }
        }
    }

    /// Whether a sentence, in lower case, says so: a verb that libraries have for it, the thing, and that it failed.
    private static func isOfFailedExchange(_ sentence: String) -> Bool {
        func has(_ words: [String]) -> Bool { words.contains(where: sentence.containsBytes) }
        guard has(["fail", "unable to", "could not", "cannot", "error"]),
            // What libraries look for before they exchange a code, or keep in a cookie for that.
            !has(["csrf", "xsrf", "cookie", "session", "state", "verifier"])
        else { return false }
        if has(["exchang", "redeem"]), has([" code", " token"]) { return true }
        return has(gettingTokens)
    }

    /// How they say that they ask for tokens; a request token is one of OAuth 1.
    private static let gettingTokens =
        [
            "get", "getting", "obtain", "obtaining", "fetch", "fetching", "retrieve", "retrieving",
            "requesting",
        ].flatMap { verb in
            ["token", "the token", "access token", "an access token", "the access token"].map {
                "\(verb) \($0)"
            }
        } + ["request an access token", "request the access token", "access token response"]

    /// Whether the app says in words that the state is not the one it kept.
    static func saysThatTheStateIsAnother(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let words = callback.noticeWords(in: flow)?.asciiLowercased() ?? ""
        return ["invalid state", "state mismatch"].contains(where: words.containsBytes)
    }

    static let otherState = """
        The app exchanged the code, and says itself that the state is not the one that it kept: its session holds the state of another login by now, mostly \
        of one that was begun in a second tab.
        """
    static let otherStateFix = """
        Begin one login at a time and finish it in the tab it was begun in. Where the app is yours: keep each login's state under a key of its own in the session.
        """

    static let exchangeFailed = """
        The provider's answer reached the redirect URI, and the app says that it did not get its tokens for the code. That request, which its server makes \
        itself, is not in this capture. Libraries look at cookies and state before that, so those will have been in order.
        """
    static let exchangeFailedFix = """
        Record the app's server as well, or read its log for this time: it has the answer of the token endpoint. Usual reasons are a wrong or expired client \
        secret, a token endpoint that the server cannot reach or whose certificate it does not trust, another redirect URI than the login had, and a code that \
        was sent before.
        """

    static let notLetIn = """
        The app knew the login again, exchanged its code, and answered 403. By that status apps mostly say that they know who came and do not let them in: the user is \
        on none of their lists, or a claim by which they decide is not there.
        """
    static let notLetInFix = """
        Compare whom the app is set to let in (users, domains of e-mail addresses, groups, roles, organizations) with what the ID token and UserInfo say of this \
        user. Where groups or roles are missing there, the provider gives them only for a scope, or after a mapping that has to be made for this client.
        """
}
