/// Which finding explains which: the cause stands before its effects.
///
/// One table, read as a whole. It names rules by id, those that do not exist yet included; `*` at the end of
/// a name stands for every rule that begins so.
enum Precedence {
    /// One row: each of the causes over each of the effects.
    struct Row: Sendable {
        enum Condition: Sendable {
            case always
            /// The finding of the cause says so (``Violation/explains``), for it depends on its values.
            case whenItSaysSo
            /// The effect's fault is at the cause's exchange or later: it could not happen because of it.
            case onlyAfterwards
            /// The same, and the effect's exchange is the cause's own or was not served either: what was answered did happen.
            case onlyUnserved
            /// The cause's fault is behind the effect's exchange: it was met while that went on.
            case onlyMeanwhile
        }

        var causes: [String]
        var effects: [String]
        var condition: Condition

        init(_ causes: [String], over effects: [String], _ condition: Condition = .always) {
            self.causes = causes
            self.effects = effects
            self.condition = condition
        }
    }

    /// Restatements of what the provider or app answered, in order among themselves.
    static let symptoms = [
        "callback-rejected-by-app", "authorization-error", "token-invalid-client", "token-invalid-grant",
        "token-endpoint-error", "bearer-rejected", "redirect-loop",
    ]

    /// What a broker tells its client, and the client makes of it, where the login at the provider behind failed.
    static let toldByBrokers: Set<String> = [
        "access-denied-by-policy", "authorization-error", "callback-rejected-by-app", "callback-unreachable",
        "client-id-unknown", "login-abandoned", "provider-server-error", "redirect-uri-not-registered",
        "response-type-unsupported", "scope-rejected", "silent-login-required", "user-cancelled",
    ]

    /// Rules of which each goes before the next.
    static let chains: [[String]] = [
        codeFaults,
        bearerFaults,
        ["refresh-token-reused", "refresh-token-expired"],
        ["cookies-too-large", "cookie-*", "state-cookie-lost", "state-mismatch"],
    ]

    static let rows: [Row] = [
        Row(transport, over: ["*"], .onlyUnserved),
        Row(transport, over: madeOfWhatIsMissing, .onlyAfterwards),
        Row(
            transport,
            over: ["callback-rejected-by-app", "callback-unreachable"] + ofCodeSentAgain,
            .whenItSaysSo
        ),
        Row(
            ["client-clock-skew"],
            over: [
                "id-token-expired", "id-token-not-yet-valid", "client-assertion-time", "dpop-proof-invalid",
                "callback-rejected-by-app",
            ],
            .whenItSaysSo
        ),
        Row(
            ["discovery-issuer-mismatch"],
            over: ["id-token-issuer-mismatch", "issuer-param-mismatch", "callback-rejected-by-app"],
            .whenItSaysSo
        ),
        Row(
            ["proxy-scheme-downgrade"],
            over: [
                "redirect-uri-not-registered", "redirect-uri-token-mismatch", "cookie-secure-over-http",
                "redirect-uri-insecure",
            ]
        ),
        // A form of the provider's that was lost on the way to it.
        Row(
            ["proxy-scheme-downgrade", "provider-session-cookie-missing"],
            over: [
                "authz-missing-parameter", "client-id-unknown", "provider-server-error",
                "provider-session-cookie-missing",
            ],
            .whenItSaysSo
        ),
        Row(
            [
                "registration-*", "redirect-uri-double-encoded", "redirect-uri-has-fragment",
                "loopback-port-mismatch",
            ],
            over: ["redirect-uri-not-registered"]
        ),
        Row(
            ["cookies-too-large", "cookie-*", "state-cookie-lost"],
            over: ["redirect-loop", "callback-rejected-by-app", "pkce-verifier-missing"]
        ),
        Row(["silent-login-cookies-blocked"], over: ["silent-login-required"]),
        Row(pkceCauses, over: ["pkce-verifier-mismatch"]),
        Row(codeFaults, over: ["token-invalid-grant"]),
        // A client that may not have this code is not asked for its secret.
        Row(["code-wrong-client"], over: ["client-auth-missing"]),
        // A client that was not told of a server guesses one.
        Row(
            ["resource-metadata-*"],
            over: ["registration-rejected", "discovery-unreachable"],
            .whenItSaysSo
        ),
        Row(["registration-*"], over: clientFaults),
        Row(clientFaults + ["registration-*"], over: ["token-invalid-client"]),
        Row(clientFaults + ["registration-*", "dpop-*", "request-object-invalid"], over: ["par-rejected"]),
        Row(["singpass-parameter-missing"], over: ["par-rejected"]),
        Row(
            [
                "authz-missing-parameter", "redirect-uri-double-encoded", "redirect-uri-has-fragment",
                "loopback-port-mismatch", "proxy-scheme-downgrade",
            ],
            over: ["par-rejected"]
        ),
        // What answered that it could not do it refused nothing.
        Row(["provider-server-error"], over: ["par-rejected"], .onlyUnserved),
        Row(["par-rejected"], over: ["redirect-uri-not-registered", "scope-rejected"]),
        // The client that pushed is known.
        Row(["par-client-mismatch"], over: ["client-id-unknown"]),
        // Nobody looked for the address where it stands.
        Row(["logout-parameter-wrong"], over: ["logout-redirect-not-registered"]),
        Row(["id-token-missing"], over: ["scope-openid-missing"]),
        Row(["scope-malformed"], over: ["scope-rejected", "id-token-missing"]),
        Row(["insufficient-scope"], over: ["id-token-missing"]),
        Row(
            ["id-token-alg-none", "id-token-alg-unexpected", "id-token-kid-unknown"],
            over: ["id-token-signature-invalid"]
        ),
        // Which of two faults a provider refuses is in its words.
        Row(["redirect-uri-not-registered"], over: ["authz-missing-parameter"], .whenItSaysSo),
        Row(["id-token-issuer-mismatch"], over: ["id-token-kid-unknown", "id-token-audience-mismatch"]),
        Row(bearerFaults, over: ["bearer-rejected", "redirect-loop"]),
        Row(
            codeFaults + clientFaults + ["bearer-rejected"],
            over: ["redirect-loop", "callback-rejected-by-app"]
        ),
        // What a client has to reject, and rejects.
        Row(
            [
                "state-mismatch", "state-missing-in-response", "issuer-param-mismatch",
                "issuer-param-missing", "jarm-invalid",
                "id-token-*", "auth-time-stale",
                "userinfo-sub-mismatch", "token-response-not-json", "token-type-invalid",
                "response-mode-differs", "code-missing",
            ],
            over: ["callback-rejected-by-app"]
        ),
        Row(["acr-not-satisfied", "jwks-unreachable"], over: ["callback-rejected-by-app"], .whenItSaysSo),
        // What the app's server met while it worked on the callback.
        Row(
            bearerFaults + ["provider-server-error", "jwks-unreachable"],
            over: ["callback-rejected-by-app"],
            .onlyMeanwhile
        ),
        // The API could not ask about the token, or not as itself.
        Row(["token-invalid-client", "client-auth-missing"], over: ["bearer-rejected"], .onlyMeanwhile),
        // The app's server broke down at it.
        Row(["token-response-*", "id-token-*"], over: ["callback-unreachable"], .onlyMeanwhile),
        Row(
            ["refresh-token-reused", "refresh-token-expired", "access-denied-by-policy"],
            over: ["token-invalid-grant", "token-endpoint-error"]
        ),
        Row(["refresh-scope-widened"], over: ["token-endpoint-error"]),
        Row(["scope-rejected"], over: ["token-endpoint-error"], .onlyAfterwards),
        // The refusal of a client that may not use this token, or this grant, is not one of the token or the credentials.
        Row(
            ["refresh-wrong-client", "registration-grant-missing"],
            over: ["token-invalid-grant", "token-invalid-client", "token-endpoint-error"],
            .onlyAfterwards
        ),
        Row(["singpass-https-type-missing"], over: ["claimed-https-opened-in-browser"]),
        Row(["resource-indicator-mismatch"], over: ["token-endpoint-error"], .whenItSaysSo),
        // The same answer, of which the symptom restates the body alone.
        Row(["token-error-with-200"], over: ["token-endpoint-error"]),
        // A server of another region knows neither code nor client.
        Row(["token-error-with-200"], over: ["token-invalid-client"], .whenItSaysSo),
        Row(
            codeFaults + clientFaults + ["dpop-*", "token-request-format", "unsupported-grant-type"],
            over: ["token-endpoint-error"]
        ),
        Row(["provider-server-error"], over: ["token-endpoint-error"], .onlyAfterwards),
        // An app that did not look for the code goes on with nothing.
        Row(["code-missing"], over: ["token-invalid-grant", "token-endpoint-error"], .onlyAfterwards),
        // A library that is not told of the endpoint goes to a path of its own, or nowhere.
        Row(
            ["discovery-missing-endpoint"],
            over: ["token-endpoint-error", "callback-rejected-by-app"],
            .onlyAfterwards
        ),
        // The provider had enough of a circle; the name that it gave the error is that of a grant.
        Row(["redirect-loop"], over: ["token-endpoint-error", "token-invalid-grant"], .whenItSaysSo),
        // A token exchange with a token that had run out.
        Row(["access-token-expired"], over: ["token-endpoint-error", "token-invalid-grant"], .whenItSaysSo),
        Row(
            ["token-request-format", "unsupported-grant-type", "dpop-*", "cors-blocked"],
            over: [
                "token-invalid-grant", "token-invalid-client", "callback-rejected-by-app", "redirect-loop",
            ]
        ),
        // A form in which nothing can be found.
        Row(
            ["token-request-format"],
            over: [
                "client-auth-missing", "pkce-verifier-missing", "redirect-uri-token-mismatch",
                "credentials-in-url",
            ],
            .whenItSaysSo
        ),
        Row(
            ["authz-missing-parameter"],
            over: ["client-id-unknown", "csrf-protection-missing", "pkce-missing-*", "scope-openid-missing"],
            .whenItSaysSo
        ),
    ]

    /// Findings that are not told at all beside another one, which says the same and why.
    static let silences: [Silence] = [
        Silence("proxy-scheme-downgrade", of: "redirect-uri-insecure"),
        Silence("pkce-required", of: "pkce-missing-public-client"),
        Silence("scope-malformed", of: "scope-rejected"),
        Silence("refresh-scope-widened", of: "scope-rejected"),
        Silence("registration-grant-missing", of: "unsupported-grant-type"),
        Silence("token-request-format", of: "unsupported-grant-type"),
        Silence("client-assertion-missing", of: "client-auth-method-unsupported"),
        Silence("client-assertion-subject", of: "par-client-mismatch"),
        Silence("device-code-expired", of: "token-endpoint-error"),
        Silence("loopback-port-mismatch", of: "redirect-target-differs"),
        Silence("claimed-https-opened-in-browser", of: "callback-rejected-by-app"),
        // An app that refuses an answer has no use for the code in it.
        Silence("state-mismatch", of: "code-never-redeemed"),
        Silence("state-missing-in-response", of: "code-never-redeemed"),
        Silence("issuer-param-mismatch", of: "code-never-redeemed"),
        Silence("jarm-invalid", of: "code-never-redeemed"),
        // A page had the code, and its call was held back.
        Silence("cors-blocked", of: "code-never-redeemed"),
    ]

    /// One of ``silences``.
    struct Silence: Sendable {
        var cause: String
        var effect: String

        init(_ cause: String, of effect: String) {
            self.cause = cause
            self.effect = effect
        }
    }

    // MARK: - Groups

    /// Stage 13: nothing goes over a connection that does not exist.
    static let transport = [
        "tls-certificate-untrusted", "tls-client-rejects-recorder", "tls-handshake-failed",
        "host-unreachable",
        "rate-limited",
    ]

    /// What apps and APIs do that did not get what they need: the provider's keys, say.
    private static let madeOfWhatIsMissing = [
        "callback-rejected-by-app", "redirect-loop", "bearer-rejected", "code-never-redeemed",
    ]

    /// What a provider says to a code that an earlier request used up.
    static let ofCodeSentAgain = [
        "code-reused", "code-expired", "token-invalid-grant", "token-endpoint-error",
    ]

    private static let pkceCauses = [
        "pkce-method-omitted", "pkce-verifier-missing", "pkce-verifier-malformed",
    ]

    /// What makes a provider refuse a code.
    private static let codeFaults = [
        "code-altered", "code-wrong-client", "redirect-uri-token-mismatch", "pkce-method-omitted",
        "pkce-verifier-missing", "pkce-verifier-malformed", "pkce-verifier-mismatch",
        "pkce-verifier-unexpected", "code-reused", "code-expired",
    ]

    /// What makes a provider refuse a client.
    private static let clientFaults = [
        "client-auth-*", "basic-credentials-encoding", "client-secret-mismatch", "client-assertion-*",
        "public-client-sends-secret", "mtls-alias-not-used", "client-type-mismatch",
        "apple-client-secret-invalid",
    ]

    /// What makes an API refuse a token.
    private static let bearerFaults = [
        "access-token-wrong-kind", "access-token-expired", "dpop-*", "api-audience-not-requested",
        "audience-mismatch",
        "access-token-issuer-mismatch", "insufficient-scope",
    ]

    // MARK: - Reading it

    /// Whether the first rule, where both fired, goes before the second by the table.
    ///
    /// - Parameters:
    ///   - cause: id of the one.
    ///   - effect: id of the other.
    ///   - explained: the ids that the finding of the cause names (``Violation/explains``).
    ///   - isEarlier: the cause's fault is at the effect's exchange or before.
    ///   - isUnserved: the effect's exchange is the cause's, or was not served.
    /// - Returns: false where the table says nothing of the two.
    static func places(
        _ cause: String,
        over effect: String,
        explained: Set<String>,
        isEarlier: Bool,
        isUnserved: Bool
    ) -> Bool {
        guard cause != effect else { return false }
        for chain in chains {
            if let first = chain.firstIndex(where: { matches($0, cause) }),
                let second = chain.firstIndex(where: { matches($0, effect) }), first < second
            {
                return true
            }
        }
        return rows.contains { row in
            guard row.causes.contains(where: { matches($0, cause) }),
                row.effects.contains(where: { matches($0, effect) })
            else { return false }
            switch row.condition {
            case .always: return true
            case .whenItSaysSo: return explained.contains(effect)
            case .onlyAfterwards: return isEarlier
            // Two faults of the transport do not explain one another.
            case .onlyUnserved: return isEarlier && isUnserved && !row.causes.contains(effect)
            case .onlyMeanwhile: return !isEarlier
            }
        }
    }

    static func matches(_ pattern: String, _ id: String) -> Bool {
        pattern.utf8.last == 0x2a ? id.utf8.starts(with: pattern.utf8.dropLast()) : pattern == id
    }
}
