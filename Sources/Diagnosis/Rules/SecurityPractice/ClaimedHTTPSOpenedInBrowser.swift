import Flows

/// The https redirect URI of an app was opened by the browser instead of the app.
///
/// The system hands such URLs to the app only where domain and app name one another (RFC 8252, section 7.2),
/// and mostly only after the user has touched something; otherwise the browser loads them.
struct ClaimedHTTPSOpenedInBrowser: Rule {
    static let info = RuleInfo(
        id: "claimed-https-opened-in-browser",
        title: "The https redirect opened in the browser instead of the app",
        severity: .error,
        explanation: """
            The login is one of an app that claims an https address as its redirect URI. The browser did not give the address to the app: it \
            loaded it from the web server, which knows nothing of it, and the code was never used.
            """,
        fix: """
            Publish the association file for the domain and name the domain in the app's entitlements; let the last step at the provider be one \
            that the user touches. Where the provider has a setting for it, declare the redirect as claimed by an app, or use a private-use scheme.
            """,
        badExample: """
            302 Location: https://app.example/callback?code=…
            GET https://app.example/callback?code=…  User-Agent: Mozilla/5.0 …  → 404
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…
            POST /token  User-Agent: Shop/4.2 CFNetwork/1568 …  → 200
            """,
        specifications: [.rfc(8252, "7.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        ClaimedAddress.opened(in: flow).map { .violated(Violation($0.evidence, exchange: $0.callback)) }
            ?? .holds
    }
}
