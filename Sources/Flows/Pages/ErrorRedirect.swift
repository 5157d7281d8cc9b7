package import Captures

/// A redirect of an app to a page of its own that shows an error: what a browser sees of a login that its server gave up.
package enum ErrorRedirect {
    /// The name of the parameter that says so; nil where none does.
    ///
    /// In the query, the fragment, or the query of a path in the fragment (`#/login?error=…`).
    package static func parameter(of url: RecordedURL) -> String? {
        var items = url.queryAndFragmentItems.items
        if let fragment = url.fragment, let mark = fragment.firstIndex(of: "?") {
            items += QueryItems(String(fragment[fragment.index(after: mark)...])).items
        }
        // Spring's page to sign in at has no value at all.
        let isSignIn = isSignInPage(url)
        let plain = items.first {
            ["error", "auth_error", "login_error"].contains($0.name)
                && ($0.value.isEmpty ? isSignIn : !nothing.contains($0.value.asciiLowercased()))
        }
        if let plain { return plain.name }
        // OmniAuth's page for all that went wrong says why in `message`, and so do others.
        let isFailure = PageOfErrors.isOne(url)
        return items.first { item in
            let value = item.value.asciiLowercased()
            guard !nothing.contains(value) else { return false }
            let name = letters(of: item.name)
            if names.contains(name) || isFailure && name == "message" { return true }
            guard speaksOfFailure(value) else { return false }
            return attempts.contains(name) || name == "status" && (isSignIn || !url.isWeb)
                || reasons.contains(name) && (isSignIn || speaksOfSignIn(value))
        }?.name
    }

    /// The name of the cookie by which an answer hands an error to the page that it leads to (Grafana's `login_error`); nil where
    /// none does.
    ///
    /// `time`: of the answer.
    package static func cookie(of response: RecordedResponse, at time: Timestamp) -> String? {
        guard response.location != nil else { return nil }
        return response.setCookies.first { cookie in
            cookies.contains(letters(of: cookie.name)) && cookie.value.utf8.count > 3
                && !nothing.contains(cookie.value.asciiLowercased())
                && !["deleted", "\"\"", "delete", "[]", "{}", "%5b%5d", "%7b%7d"].contains(
                    cookie.value.asciiLowercased()
                )
                && !cookie.isDeletion(at: time)
        }?.name
    }

    /// Whether an app answers its callback with a redirect that names an error, or to a page of its own that is there for errors.
    static func isAnswer(to callback: Int, in index: CaptureIndex) -> Bool {
        let exchange = index.capture[callback]
        guard let response = exchange.response, let location = response.location else { return false }
        return parameter(of: exchange.request.url.resolving(location)) != nil
            || cookie(of: response, at: exchange.endedAt) != nil
            || PageOfErrors.isShown(behind: callback, in: index)
    }

    /// In lower case, without hyphens and underscores.
    static func letters(of name: String) -> String {
        String(decoding: name.asciiLowercased().utf8.filter { $0 != 0x2d && $0 != 0x5f }, as: UTF8.self)
    }

    /// Whether a value speaks of signing in, or of what one signs in with.
    private static func speaksOfSignIn(_ value: String) -> Bool {
        value.split { !$0.isLetter }.contains { signIns.contains(String($0)) }
    }

    /// Whether a value is a word for a failure, as in `login=failed` or `reason=INVALID_CREDENTIALS`.
    private static func speaksOfFailure(_ value: String) -> Bool {
        guard value.utf8.count < longest else { return false }
        let words = value.split { !$0.isLetter }.map(String.init)
        return words.contains(where: failures.contains)
            || zip(words, words.dropFirst()).contains { $0 == "not" && $1 == "found" }
    }

    /// By their letters.
    private static let names: Set<String> = [
        "errorcode", "errormessage", "errormsg", "errordescription", "err", "ssoerror", "oautherror",
        "oidcerror", "loginerror", "autherror", "signinerror",
        // Keycloak's, where an account is to be linked.
        "linkerror",
    ]
    private static let cookies: Set<String> = [
        "loginerror", "autherror", "oautherror", "oidcerror", "ssoerror", "signinerror",
    ]
    /// What came of the attempt.
    private static let attempts: Set<String> = ["login", "auth", "authentication"]
    /// What may also be said of something else.
    private static let reasons: Set<String> = ["reason", "notice"]
    private static let signIns: Set<String> = [
        "auth", "authentication", "credentials", "login", "oauth", "oidc", "session", "signin", "sso", "user",
    ]
    private static let failures: Set<String> = [
        "error", "failed", "failure", "fail", "invalid", "denied", "unauthorized", "unauthorised",
        "forbidden",
    ]
    private static let longest = 80
    private static let nothing: Set<String> = [
        "", "0", "00", "200", "false", "no", "none", "null", "ok", "success", "undefined",
    ]
    private static let signInPages: Set<String> = ["login", "signin", "sign-in", "sign_in", "logon", "error"]

    /// Whether an address is that of a page to sign in at, or of an error, by the last part of its path.
    package static func isSignInPage(_ url: RecordedURL) -> Bool {
        url.path.split(separator: "/").last.map { signInPages.contains($0.lowercased()) } ?? false
    }
}
