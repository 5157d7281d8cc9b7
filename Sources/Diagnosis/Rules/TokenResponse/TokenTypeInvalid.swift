import Captures
import Flows
import OAuth

/// An access token came without a `token_type`, or with one that nobody knows.
///
/// RFC 6749, section 5.1, requires it, and section 7.1 forbids using a token of a type that the client does not
/// understand.
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
            let login = flow.logins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
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
        return .holds
    }
}
