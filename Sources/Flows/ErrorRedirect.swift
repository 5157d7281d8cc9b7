package import Captures

/// A redirect of an app to a page of its own that shows an error: what a browser sees of a login that its server gave up.
package enum ErrorRedirect {
    /// The name of the parameter that says so; nil where none does.
    ///
    /// In the query, the fragment, or the query of a path in the fragment (`#/login?error=…`).
    package static func parameter(of url: RecordedURL) -> String? {
        var items = url.queryItems.items + url.fragmentItems.items
        if let fragment = url.fragment, let mark = fragment.firstIndex(of: "?") {
            items += QueryItems(String(fragment[fragment.index(after: mark)...])).items
        }
        // Spring's page to sign in at has no value at all.
        let isSignIn =
            url.path.split(separator: "/").last.map { signInPages.contains($0.lowercased()) } ?? false
        let plain = items.first {
            ["error", "auth_error", "login_error"].contains($0.name)
                && ($0.value.isEmpty ? isSignIn : !nothing.contains($0.value.asciiLowercased()))
        }
        if let plain { return plain.name }
        let isFailure = url.path.hasSuffix("/failure")
        return items.first { item in
            // OmniAuth's page for all that went wrong says why in `message`.
            guard names.contains(item.name.asciiLowercased()) || isFailure && item.name == "message" else {
                return false
            }
            return !nothing.contains(item.value.asciiLowercased())
        }?.name
    }

    private static let names: Set<String> = [
        "error_code", "errorcode", "error_message", "errormessage", "error_description", "err", "sso_error",
        "oauth_error", "oidc_error",
    ]
    private static let nothing: Set<String> = [
        "", "0", "00", "200", "false", "no", "none", "null", "ok", "success", "undefined",
    ]
    private static let signInPages: Set<String> = ["login", "signin", "sign-in", "sign_in", "logon", "error"]
}
