import Captures
import Flows
import JSON
import OAuth

/// An access token came without a `token_type`, or with one that nobody knows.
///
/// RFC 6749, section 5.1, requires it, and section 7.1 forbids using a token of a type that the client does not
/// understand. An answer without an access token is noted where nothing came behind it; an app's refusal has it with that (``CallbackCourse``).
struct TokenTypeInvalid: Rule {
    static let info = RuleInfo(
        id: "token-type-invalid",
        title: "token_type is missing or unknown",
        severity: .errorWhenRefused,
        explanation: """
            The token response has an access token, but does not say of which type it is, or names one that is not registered. A client may not use \
            such a token, and strict libraries refuse the whole answer.
            """,
        fix:
            "Have the provider send \"token_type\":\"Bearer\" (or DPoP, for tokens that are bound to a key).",
        badExample: """
            POST /token → {"access_token":"…","expires_in":3600}
            """,
        goodExample: """
            POST /token → {"access_token":"…","token_type":"Bearer","expires_in":3600}
            """,
        specifications: [.rfc(6749, "5.1"), .rfc(6749, "7.1")]
    )

    private static let known: Set<String> = ["bearer", "dpop", "n_a", "pop", "mac"]

    func verdict(on flow: Flow) -> Verdict {
        var found: Violation?
        for request in flow.tokenRequests
        where request.answer.isSuccess && !(request.accessToken ?? "").isEmpty {
            let type = request.answer.parameters.parameter("token_type")
            guard !Self.known.contains((type?.value ?? "").lowercased()) else { continue }
            let login = flow.askedLogins.first {
                $0.tokenRequests.contains { $0.exchange == request.exchange }
            }
            let wentOn = flow.wentOn(after: request, callback: login?.response?.callback)
            // Without the login nobody knows what became of the answer; who asks for tokens again has taken it, or given up.
            let isLast = flow.tokenRequests.last?.exchange == request.exchange
            let isDialect = Self.isDialect(type?.value ?? "", of: flow.capture[request.exchange].request.url)
            let severity: Severity? = isDialect ? .note : wentOn || login == nil || !isLast ? .warning : nil
            if found != nil, severity != nil { continue }
            let names = request.answer.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
            found = Violation(
                [
                    type.map { Evidence($0, note: "Bearer or DPoP is expected") }
                        ?? Evidence(
                            place: request.answer.place("token_type"),
                            value: "missing",
                            note: "the answer has \(Masking.shown(names, of: "members"))"
                        )
                ],
                severity: severity,
                explanation: isDialect ? Self.dialect : nil,
                fix: isDialect ? Self.dialectFix : nil
            )
            if severity == nil { break }
        }
        if let found { return .violated(found) }
        return tokenless(in: flow).map { .violated($0) } ?? .holds
    }

    /// Whether a provider documents its answer so: WeChat, Shopify and WorkOS name no type, Slack one of its own.
    private static func isDialect(_ type: String, of endpoint: RecordedURL) -> Bool {
        let host = endpoint.host ?? ""
        if host == "slack.com" || host.hasSuffix(".slack.com") { return ["bot", "user"].contains(type) }
        let isWeChat = host == "api.weixin.qq.com" && endpoint.path.hasPrefix("/sns/oauth2/")
        let paths = ["/admin/oauth/access_token", "/user_management/authenticate"]
        return type.isEmpty && (isWeChat || paths.contains(where: endpoint.path.hasSuffix))
    }

    private static let dialect = """
        This provider documents its token response so. Its own libraries know it; a strict one for OAuth 2.0 refuses the answer.
        """
    private static let dialectFix =
        "Nothing needs fixing where the app reads the answer. Give a strict library the answer with \"token_type\":\"Bearer\" added."

    /// An answer without a token to an app that exchanged its code and was not heard of again: no request with a token came after it.
    ///
    /// Where the app refused the login over it, that is told with its refusal.
    private func tokenless(in flow: Flow) -> Violation? {
        guard let request = flow.tokenRequests.last, request.grantType == "authorization_code",
            let answer = TokenlessAnswer(to: request), answer.hasMembers,
            flow.exchanges.last == request.exchange,
            !flow.wentOn(after: request, callback: flow.logins.last?.response?.callback),
            !RejectedCallback.all(in: flow).contains(where: { $0.response.code == request.code }),
            !flow.exchanges(after: request.exchange, within: .seconds(600))
                .contains(where: { flow.capture[$0].request.headers.contains("authorization") })
        else { return nil }
        return Violation(
            [answer.evidence],
            severity: .note,
            explanation: Self.tokenless,
            fix: TokenlessAnswer.fix,
            title: "The token response has no access_token"
        )
    }

    private static let tokenless = """
        The provider answered the code with 200 and JSON, but with no member that is named access_token (RFC 6749, section 5.1). Libraries read that \
        name alone; the app asked for nothing more.
        """
}
