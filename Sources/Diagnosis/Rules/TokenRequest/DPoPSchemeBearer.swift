import Captures
import Flows
import OAuth

/// A token that is bound to a key travels as if it were not: by the scheme Bearer, or without a proof.
struct DPoPSchemeBearer: Rule {
    static let info = RuleInfo(
        id: "dpop-scheme-bearer",
        title: "A DPoP-bound token is used as a bearer token",
        severity: .errorWhenRefused,
        explanation: """
            The token endpoint answered with token_type DPoP. Such a token is used with the scheme DPoP and a proof for each request; this \
            request presents it by itself.
            """,
        fix: "Send Authorization: DPoP and a DPoP header whose proof has ath, the hash of the access token.",
        badExample: """
            200 {"access_token":"Kz~8…","token_type":"DPoP"}
            GET /api  Authorization: Bearer Kz~8…  → 401
            """,
        goodExample: """
            200 {"access_token":"Kz~8…","token_type":"DPoP"}
            GET /api  Authorization: DPoP Kz~8…   DPoP: {"htm":"GET","ath":"fUHy…",…}  → 200
            """,
        specifications: [.rfc(9449, "7.1")]
    )

    private static let withoutProof = """
        The token endpoint answered with token_type DPoP. Such a token is used with the scheme DPoP, as here, and a proof for each request in the header \
        DPoP, which this request lacks.
        """

    private static let besideProof = """
        The token endpoint answered with token_type DPoP. Such a token is used with the scheme DPoP; this request has a proof beside it and names \
        another scheme, by which servers tell what to check.
        """

    func verdict(on flow: Flow) -> Verdict {
        let types = boundTokens(in: flow)
        guard !types.isEmpty else { return .holds }
        let calls = DPoPCall.all(in: flow)
        var found: [Violation] = []
        for (index, call) in calls.enumerated() {
            guard let type = call.accessToken.flatMap({ types[$0] }),
                let scheme = AuthorizationScheme.of(flow.capture[call.exchange].request),
                scheme == "bearer" || !call.hasHeader && !call.mayHaveUnknownHeader
            else { continue }
            let isRepaired = calls[(index + 1)...].prefix(20).contains {
                $0.url.withoutQuery == call.url.withoutQuery && $0.answer.isSuccess
            }
            if let violation = violation(call, type, scheme, isRepaired: isRepaired, flow) {
                found.append(violation)
            }
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    /// The `token_type` of each access token that was issued for a key.
    private func boundTokens(in flow: Flow) -> [String: Evidence] {
        flow.tokenRequests.filter(\.isDPoPToken).reduce(into: [:]) { types, request in
            guard let token = request.accessToken,
                let type = request.answer.parameters.parameter("token_type")
            else { return }
            types[token] = Evidence(type, note: "the token is bound to a key")
        }
    }

    private func violation(
        _ call: DPoPCall,
        _ type: Evidence,
        _ scheme: String,
        isRepaired: Bool,
        _ flow: Flow
    ) -> Violation? {
        guard let header = flow.capture[call.exchange].request.headers.first("authorization") else {
            return nil
        }
        let isProofMissing = !call.hasHeader && scheme == "dpop"
        let isRefused = call.answer.isRefusal && (400..<500).contains(call.answer.status ?? 0)
        let sent = Evidence(
            place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
            value: String(header.prefix { $0 != " " }),
            note: call.hasHeader || call.mayHaveUnknownHeader
                ? "not the scheme DPoP" : "without a DPoP header"
        )
        return Violation(
            [type, sent, call.answerEvidence],
            severity: isRefused ? (isRepaired ? .note : .error) : .warning,
            explanation: call.hasHeader ? Self.besideProof : isProofMissing ? Self.withoutProof : nil,
            fix: call.hasHeader
                ? "Send the scheme DPoP in the Authorization header, in place of \(scheme)."
                : isProofMissing
                    ? "Send a DPoP header with each request: a proof of its own, with ath, the hash of the access token."
                    : nil,
            title: isProofMissing ? "A DPoP-bound token is sent without its proof" : nil,
            exchange: call.exchange
        )
    }
}
