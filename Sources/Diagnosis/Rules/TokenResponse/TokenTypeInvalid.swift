import Captures
import Flows
import JSON
import OAuth

/// An access token came without a `token_type`, or with one that nobody knows.
///
/// RFC 6749, section 5.1, requires it, and section 7.1 forbids using a token of a type that the client does not
/// understand. Where the app refuses the login, neither need be: then it is told that the answer has no access token at all.
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
        return (tokenless(in: flow) ?? lastTokenless(in: flow)).map { .violated($0) } ?? .holds
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

    /// The same of an app that exchanged its code and was not heard of again: no request with a token came after it.
    private func lastTokenless(in flow: Flow) -> Violation? {
        guard let request = flow.tokenRequests.last, request.grantType == "authorization_code",
            let names = Self.namesWithoutToken(in: request.answer), !names.isEmpty,
            flow.exchanges.last == request.exchange,
            !flow.wentOn(after: request, callback: flow.logins.last?.response?.callback),
            !flow.exchanges(after: request.exchange, within: .seconds(600))
                .contains(where: { flow.capture[$0].request.headers.contains("authorization") })
        else { return nil }
        return Violation(
            [Self.missing(names, request)],
            severity: .note,
            explanation: Self.lastTokenless,
            fix: Self.tokenlessFix,
            title: "The token response has no access_token"
        )
    }

    /// The members of an answer of success that has neither token nor error, at its top at least; nil of any other.
    private static func namesWithoutToken(in answer: Answer) -> String? {
        guard answer.isSuccess, let object = answer.json, object["id_token"] == nil,
            object["access_token"] == nil, object["authed_user"] == nil, object["me"] == nil,
            // By another name that is known (AWS).
            !answer.parameters.contains("access_token")
        else { return nil }
        // Where the tokens are inside of a member, the others are no error.
        let nest = object.members.first {
            if case .object(let inner) = $0.value { inner["access_token"] != nil } else { false }
        }
        guard
            nest != nil || answer.status == 200 && saysSuccess(object)
                || !object.members.contains(where: { ofErrors.contains($0.name.lowercased()) })
        else { return nil }
        return object.members.prefix(20).map(\.name).joined(separator: ", ")
            + (nest.map { "; \($0.name) has an access_token" } ?? "")
    }

    /// Whether the members that tell of errors elsewhere say that there is none, as `{"code":0,"message":"ok"}`.
    private static func saysSuccess(_ object: JSONObject) -> Bool {
        let told = object.members.filter { ["code", "status", "errcode"].contains($0.name.lowercased()) }
        return object["authed_user"] == nil && !told.isEmpty
            && told.allSatisfy { member in
                member.value.double == 0 || member.value.double == 200
                    || ["0", "200", "ok", "success"].contains(member.value.string?.lowercased() ?? "")
            }
    }

    private static func missing(_ names: String, _ request: TokenRequest) -> Evidence {
        Evidence(
            place: request.answer.place("access_token"),
            value: "missing",
            note: "the answer has \(Masking.shown(names, of: "members"))"
        )
    }

    /// An answer to a code that has none of the names of RFC 6749, and an app that refused the login over it.
    private func tokenless(in flow: Flow) -> Violation? {
        for rejected in RejectedCallback.all(in: flow) {
            guard
                let request = flow.receivedCodes.exchanges(of: rejected.response)
                    .last(where: \.answer.isSuccess),
                let names = Self.namesWithoutToken(in: request.answer)
            else { continue }
            return Violation(
                [Self.missing(names, request), rejected.evidence(in: flow)],
                explanation: Self.tokenless,
                fix: Self.tokenlessFix,
                title: "The token response has no access_token",
                exchange: request.exchange
            )
        }
        return nil
    }

    /// Members of an error in words of the provider's own, and of Slack's answer for a user.
    private static let ofErrors: Set<String> = [
        "errcode", "errmsg", "error_code", "error_msg", "err", "errors", "message", "msg", "code", "status",
        "success", "ok", "authed_user", "data",
    ]

    private static let tokenless = """
        The provider answered the code with 200 and JSON, but with no member that is named access_token (RFC 6749, section 5.1). Libraries read that \
        name alone, so the app has no token and refuses the login.
        """
    private static let lastTokenless = """
        The provider answered the code with 200 and JSON, but with no member that is named access_token (RFC 6749, section 5.1). Libraries read that \
        name alone; the app asked for nothing more.
        """
    private static let tokenlessFix = """
        Have the provider name its members access_token, token_type and expires_in at the top of the answer; until then the app has to read this \
        provider's own names before its library sees the answer. See also that the app asks the token endpoint and not another one beside it.
        """
}
