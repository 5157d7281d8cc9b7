import Captures
import Flows
import OAuth

/// The provider did not accept the code or refresh token.
///
/// Only restates the answer `invalid_grant` (RFC 6749, section 5.2), which stands for a dozen causes; says
/// which of them the capture excludes.
struct TokenInvalidGrant: Rule {
    static let info = RuleInfo(
        id: "token-invalid-grant",
        title: "The provider rejected the code or refresh token",
        severity: .error,
        isSymptom: true,
        explanation: """
            invalid_grant stands for anything that is wrong with a code or refresh token: expired, revoked, already used, issued to another \
            client, or not fitting redirect URI or code verifier. The notes say what was checked.
            """,
        fix: """
            What a capture cannot show remains: the code or token has run out or was revoked on the server, or it was issued to another client. \
            The provider's log names the reason.
            """,
        badExample: """
            POST /token  grant_type=authorization_code&code=…
            400 {"error":"invalid_grant"}
            """,
        goodExample: """
            POST /token  grant_type=authorization_code&code=…
            200 {"access_token":"…","token_type":"Bearer"}
            """,
        specifications: [.rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let requests = flow.tokenRequests
        let refused = requests.filter { $0.isRefused(with: "invalid_grant") }
        guard let first = refused.first else { return .holds }
        if let codeless = CodelessExchange.violation(refused, flow) { return .violated(codeless) }
        let isRepaired = refused.allSatisfy { request in
            guard let grant = request.code ?? request.refreshToken else { return false }
            return requests.contains {
                $0.startedAt > request.startedAt && $0.answer.isSuccess
                    && ($0.code ?? $0.refreshToken) == grant
            }
        }
        let evidence = refused.prefix(4).map { request in
            request.answer.evidence(note: flow.checkedValues(of: request))
        }
        return .violated(Violation(evidence, severity: isRepaired ? .note : nil, exchange: first.exchange))
    }
}
