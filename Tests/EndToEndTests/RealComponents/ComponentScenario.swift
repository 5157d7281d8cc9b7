import Testing

/// A login between real components, what `diagnose` has to say of its recording, and what `replay` of it.
struct ComponentScenario: Sendable, CustomTestStringConvertible {
    var name: String
    /// Outcome and primary finding of each flow, in order of time.
    var flows: [(outcome: String, primary: String?)]
    /// Why that is the cause, or why there is none.
    var reason: String
    /// nil where there is nothing that a replay could send, or nobody to send it to.
    var again: Replay?

    /// What becomes of the login when it is driven again while the provider is still there.
    struct Replay: Sendable {
        /// The headline of each flow; one for all of them where they are alike.
        var headlines: [String]
        /// How often in a row.
        var times = 1
        /// The change that makes it work, as the beginning of its id; nil where it works or nothing helps.
        var fix: String?
        /// Also in a real browser.
        var inBrowser = false
        /// Also at the built-in provider, which is another product, as often.
        var elsewhere = false
        var reason: String

        init(
            _ headlines: [String],
            times: Int = 1,
            fix: String? = nil,
            inBrowser: Bool = false,
            elsewhere: Bool = false,
            _ reason: String
        ) {
            self.headlines = headlines
            self.times = times
            self.fix = fix
            self.inBrowser = inBrowser
            self.elsewhere = elsewhere
            self.reason = reason
        }
    }

    init(_ name: String, _ flows: [(String, String?)], _ reason: String, again: Replay? = nil) {
        self.name = name
        self.flows = flows.map { (outcome: $0.0, primary: $0.1) }
        self.reason = reason
        self.again = again
    }

    var testDescription: String { name }

    /// The provider does as it did; what the app made of it is not driven.
    private static func atProvider(_ rule: String) -> String {
        "the same at the provider; \(rule) is in the app's part, which was not driven"
    }

    static let table: [ComponentScenario] = [
        ComponentScenario(
            "login",
            [("success", nil)],
            "consent, session information and logout go well",
            again: Replay(
                ["the same"],
                times: 5,
                inBrowser: true,
                elsewhere: true,
                "secret by Basic, consent, logout; pages made by scripts"
            )
        ),
        ComponentScenario(
            "login-refresh",
            [("success", "token-in-query")],
            "the app's refresh address takes the access token as a query parameter: a warning, and true",
            again: Replay(["the same"], times: 5, elsewhere: true, "with a refresh in between")
        ),
        ComponentScenario(
            "login-form-post",
            [("success", nil)],
            "the answer comes by form_post, as asked",
            again: Replay(
                ["the same"],
                times: 5,
                inBrowser: true,
                elsewhere: true,
                "secret in the body, answer in a form"
            )
        ),
        ComponentScenario(
            "login-public",
            [("success", nil)],
            "a public client with PKCE",
            again: Replay(
                ["the same"],
                times: 5,
                inBrowser: true,
                elsewhere: true,
                "a public client with PKCE"
            )
        ),
        ComponentScenario(
            "login-implicit",
            [("success", nil)],
            "the ID token comes in the fragment, which a page posts on",
            again: Replay(["the same"], "an ID token in the fragment")
        ),
        ComponentScenario(
            "login-hybrid",
            [("success", nil)],
            "code and ID token come in the fragment, as asked",
            again: Replay(["the same"], inBrowser: true, "code and ID token in the fragment")
        ),
        ComponentScenario(
            "native-app",
            [("success", nil)],
            "a scheme of the app's own, refresh and logout",
            again: Replay(
                ["the same"],
                times: 5,
                inBrowser: true,
                elsewhere: true,
                "custom scheme, userinfo, refresh, logout; signed in before"
            )
        ),
        ComponentScenario(
            "endpoints",
            [("success", nil), ("success", nil)],
            "a device, and a pushed request with introspection and revocation",
            again: Replay(
                ["the same"],
                inBrowser: true,
                "device grant with its confirmation, pushed request, introspection"
            )
        ),
        ComponentScenario(
            "key-rotated",
            [("success", nil), ("success", nil)],
            "the app reads the key set again when it meets a key it does not know",
            again: Replay(["the same"], "two logins in two browsers")
        ),
        ComponentScenario(
            "client-secret",
            [("failure", "token-invalid-client")],
            "unauthorized_client for a code that this very client was given: it is the secret that is wrong",
            again: Replay(["the same failure: token-invalid-client"], "the secret is as wrong as it was")
        ),
        ComponentScenario(
            "redirect-uri",
            [("failure", "redirect-uri-not-registered")],
            "the endpoint refuses without redirecting, which is for redirect URI and client alone",
            again: Replay(
                ["the same failure: redirect-uri-not-registered"],
                inBrowser: true,
                "refused without a redirect"
            )
        ),
        ComponentScenario(
            "pkce-verifier",
            [("failure", "pkce-verifier-mismatch")],
            "the SHA-256 of the verifier sent is not the challenge",
            again: Replay(
                ["the same failure: pkce-verifier-mismatch"],
                fix: "pkce-s256",
                "challenge and verifier made apart"
            )
        ),
        ComponentScenario(
            "pkce-missing",
            [("failure", "pkce-required")],
            "a bare invalid_request, nothing else is missing, and the provider offers PKCE",
            again: Replay(["the same failure: pkce-required"], fix: "pkce-added", "no challenge is made up")
        ),
        ComponentScenario(
            "pkce-not-sent",
            [("failure", "pkce-required")],
            "the same, said to an app's server by way of the browser",
            again: Replay(["the same failure: pkce-required"], fix: "pkce-added", "the same in a browser")
        ),
        ComponentScenario(
            "code-reused",
            [("failure", "code-reused")],
            "the same code went to the token endpoint twice",
            again: Replay(["the same failure: code-reused"], fix: "once-", "the new code is spent twice, too")
        ),
        ComponentScenario(
            "code-expired",
            [("failure", "token-endpoint-error")],
            "everything that can be checked is right, and four seconds are no lifetime that a capture shows",
            again: Replay(
                ["the same failure: token-endpoint-error"],
                fix: "in-time",
                "the pause before the code's use is kept"
            )
        ),
        ComponentScenario(
            "token-expired",
            [("failure", "access-token-expired")],
            "the token was used after its expires_in",
            again: Replay(
                ["the same failure: access-token-expired"],
                fix: "in-time",
                "the token is used as late"
            )
        ),
        ComponentScenario(
            "refresh-reused",
            [("failure", "refresh-token-reused")],
            "the refresh token had been replaced by an earlier answer",
            again: Replay(
                ["the same failure: refresh-token-reused"],
                fix: "once-",
                "the new token is used twice, too"
            )
        ),
        ComponentScenario(
            "scope",
            [("success", nil)],
            "the provider drops the scope it does not know; the user gets in",
            again: Replay(["the same"], "the provider drops the scope again")
        ),
        ComponentScenario(
            "consent-partial",
            [("success", nil)],
            "the user ticked less than was asked, and gets in",
            again: Replay(["the same"], inBrowser: true, "the same boxes are ticked")
        ),
        ComponentScenario(
            "password",
            [("incomplete", "login-abandoned")],
            "credentials were posted and answered 401, and nothing came after",
            again: Replay(["the same"], inBrowser: true, "the wrong password is typed again")
        ),
        ComponentScenario(
            "clock-ahead",
            [("failure", "client-clock-skew")],
            "the app's Date is two hours ahead: by it the ID token has run out",
            again: Replay([atProvider("client-clock-skew")], "the clock is the app's")
        ),
        ComponentScenario(
            "clock-behind",
            [("failure", "client-clock-skew")],
            "the app's Date is two hours behind: by it the ID token is not issued yet",
            again: Replay([atProvider("client-clock-skew")], "the clock is the app's")
        ),
        ComponentScenario(
            "kid-unknown",
            [("success", nil), ("failure", "id-token-kid-unknown")],
            "the key set was read again and has no key of this name",
            again: Replay(
                [
                    "first difference: token_request: id_token (signature): unknown_key instead of valid",
                    "the same failure: id-token-kid-unknown",
                ],
                "the key set lacks the key now, for the first login as for the second"
            )
        ),
        ComponentScenario(
            "rp-trust",
            [("incomplete", "tls-client-rejects-recorder")],
            "the app's server does not trust the recorder's certificate"
        ),
        ComponentScenario(
            "browser-trust",
            [("incomplete", "tls-client-rejects-recorder")],
            "the browser does not trust the recorder's certificate"
        ),
        ComponentScenario(
            "state-cookie",
            [("failure", "state-cookie-lost")],
            "the cookie that the app set before the login did not come back",
            again: Replay([atProvider("state-cookie-lost")], "the cookie is the app's")
        ),
        ComponentScenario(
            "state-cookie-silent",
            [("success", nil)],
            "the app begins a second round by itself, and the user gets in",
            again: Replay(["the same"], "both rounds are driven")
        ),
        ComponentScenario(
            "state-expired",
            [("failure", "callback-rejected-by-app")],
            "state and cookie came back as sent; the app's own page says that it took too long",
            again: Replay([atProvider("callback-rejected-by-app")], "the app's patience ran out")
        ),
        ComponentScenario(
            "form-post-iss",
            [("failure", "issuer-param-mismatch")],
            "the provider encodes iss once too often",
            again: Replay(
                ["the same failure: issuer-param-mismatch"],
                fix: "response-mode-query",
                "the form says it again"
            )
        ),
        ComponentScenario(
            "hybrid-query",
            [("failure", "response-mode-differs")],
            "an ID token in the query, where the fragment is the place",
            again: Replay(["the same failure: response-mode-differs"], "the response is in the query again")
        ),
        ComponentScenario(
            "callback-replayed",
            [("success", nil)],
            "the callback was loaded again after the login, and did no harm",
            again: Replay(["the same"], "the second call was the app's")
        ),
        ComponentScenario(
            "provider-down",
            [("failure", "host-unreachable")],
            "the app's server could not connect while it answered its user with an error"
        ),
        ComponentScenario(
            "provider-down-midway",
            [("failure", "host-unreachable")],
            "the token endpoint could not be reached any more"
        ),
    ]
}
