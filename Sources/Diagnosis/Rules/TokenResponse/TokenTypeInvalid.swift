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
        for request in flow.tokenRequests
        where request.answer.isSuccess && !(request.accessToken ?? "").isEmpty {
            let type = request.answer.parameters.parameter("token_type")
            guard !Self.known.contains((type?.value ?? "").lowercased()) else { continue }
            let login = flow.askedLogins.first {
                $0.tokenRequests.contains { $0.exchange == request.exchange }
            }
            let wentOn = flow.wentOn(after: request, callback: login?.response?.callback)
            let names = request.answer.parameters.items.prefix(20).map(\.name).joined(separator: ", ")
            return .violated(
                Violation(
                    [
                        type.map { Evidence($0, note: "Bearer or DPoP is expected") }
                            ?? Evidence(
                                place: request.answer.place("token_type"),
                                value: "missing",
                                note: "the answer has \(Masking.shown(names, of: "members"))"
                            )
                    ],
                    severity: wentOn ? .warning : nil
                )
            )
        }
        return tokenless(in: flow).map { .violated($0) } ?? .holds
    }

    /// An answer to a code that has none of the names of RFC 6749, and an app that refused the login over it.
    private func tokenless(in flow: Flow) -> Violation? {
        for rejected in RejectedCallback.all(in: flow) {
            guard
                let request = flow.receivedCodes.exchanges(of: rejected.response)
                    .last(where: \.answer.isSuccess),
                let object = request.answer.json, object["id_token"] == nil,
                object["access_token"] == nil, request.answer.error == nil,
                !object.members.contains(where: { Self.ofErrors.contains($0.name.lowercased()) })
            else { continue }
            let names = object.members.prefix(20).map(\.name).joined(separator: ", ")
            return Violation(
                [
                    Evidence(
                        place: request.answer.place("access_token"),
                        value: "missing",
                        note: "the answer has \(Masking.shown(names, of: "members"))"
                    ), rejected.evidence(in: flow),
                ],
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
    private static let tokenlessFix = """
        Have the provider name its members access_token, token_type and expires_in at the top of the answer; until then the app has to read this \
        provider's own names before its library sees the answer. See also that the app asks the token endpoint and not another one beside it.
        """
}
