import Captures
import OAuth
import TestSupport
import Testing

/// A browser that a recorded provider knew before its login began.
struct KnownBrowserTests {
    /// glewlwyd, for an app of its own scheme: the password came first, then the request, which brought a cookie of its own.
    @Test func knownBrowserGetsWhatItsLoginBrought() throws {
        let capture = try RecordedProviderTests.capture("Tests/Recordings/packets-app-tls12.har")
        let caller = Caller(try RecordedProviderTests.provider(capture))
        let base = RecordedProviderTests.base
        let known = caller.send(
            "POST",
            base + "/api/auth/",
            .json(#"{"username":"alice","password":"alice-password"}"#)
        )
        let request = [
            ("response_type", "code"), ("client_id", "shop"),
            ("redirect_uri", "com.example.notes:/signed-in"),
            ("scope", "openid profile email"), ("state", "state-of-mine"), ("nonce", "nonce-of-mine"),
            ("code_challenge", CodeChallenge.s256(of: String(repeating: "Yx8", count: 15))),
            ("code_challenge_method", "S256"),
        ]
        let login = caller.get(base + "/api/oidc/auth", request, headers: [known.cookieHeader])
        let session = login.setCookies.first { $0.name == "GLEWLWYD2_OIDC_SID" }?.value
        #expect(login.parameters.first("code") != nil && session != nil)
        let logout = caller.get(
            base + "/api/oidc/end_session",
            [
                ("client_id", "shop"), ("post_logout_redirect_uri", "com.example.notes:/signed-out"),
                ("state", "a-state-of-the-logout"),
            ],
            headers: [known.cookieHeader]
        )
        #expect(logout.parameters.first("sid") == session)
        // An app's address is nothing that the provider made up.
        #expect(
            logout.parameters.first("callback_url")
                == "com.example.notes:/signed-out?state=a-state-of-the-logout"
        )
    }
}
