import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A proof was made with another key than the one that the token, the code or the client's assertion is bound
/// to.
///
/// Refresh tokens of clients that authenticate are not bound (RFC 9449, section 5).
struct DPoPKeyMismatch: Rule {
    static let info = RuleInfo(
        id: "dpop-key-mismatch",
        title: "The DPoP proof was made with another key than the token is bound to",
        severity: .error,
        explanation: """
            Tokens got with a DPoP proof belong to the key of that proof, and every later proof has to be made with it. This one was made with \
            another key.
            """,
        fix:
            "Make one key pair per session, keep it as long as its tokens, and let every process that uses them sign with it.",
        badExample: """
            POST /token  DPoP: jwk thumbprint 0ZcO…  → 200 token_type DPoP
            GET /api     DPoP: jwk thumbprint NzbL…  → 401
            """,
        goodExample: """
            POST /token  DPoP: jwk thumbprint 0ZcO…  → 200 token_type DPoP
            GET /api     DPoP: jwk thumbprint 0ZcO…  → 200
            """,
        specifications: [.rfc(9449, "5"), .rfc(9449, "6"), .rfc(9449, "10")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = Dictionary(DPoPCall.all(in: flow).map { ($0.exchange, $0) }) { first, _ in first }
        let logins = Dictionary(flow.redemptions.map { ($0.request.exchange, $0.login) }) { first, _ in first
        }
        var keys: [String: Evidence] = [:]
        // Those of clients that prove who they are need not be bound (RFC 9449, section 5); a provider may say that they are.
        var confidential: [String: Evidence] = [:]
        var found: [Violation] = []
        for request in flow.tokenRequests {
            guard let call = calls[request.exchange], let thumbprint = call.proof?.thumbprint else {
                continue
            }
            let bound = evidence(call, thumbprint, "the key with which the token was got")
            if request.answer.isSuccess, request.isDPoPToken {
                if let token = request.accessToken { keys[token] = bound }
                if let token = request.issuedRefreshToken {
                    if request.authentication.methods == [.none] {
                        keys[token] = keys[token] ?? bound
                    } else {
                        confidential[token] = confidential[token] ?? bound
                    }
                }
            }
        }
        for case .token(let request) in flow.messages {
            guard let call = calls[request.exchange], let thumbprint = call.proof?.thumbprint else {
                continue
            }
            var expected: [Evidence] = []
            if request.isCodeExchange { expected += codeKeys(request, logins, calls) }
            if request.isRefresh, request.authentication.methods == [.none], let token = request.refreshToken,
                let key = keys[token]
            {
                expected.append(key)
            }
            if request.isRefresh, call.error == "invalid_dpop_proof",
                let key = request.refreshToken.flatMap({ confidential[$0] })
            {
                expected.append(key)
            }
            if let assertion = request.authentication.assertion.flatMap({ ClientAssertion($0) }),
                let key = assertion.boundKey
            {
                expected.append(
                    Evidence(
                        place: assertion.place(ofClaim: "cnf"),
                        value: key,
                        note: "cnf.jkt of the client assertion"
                    )
                )
            }
            judge(call, thumbprint, expected, &found)
        }
        for message in flow.messages {
            guard let call = calls[message.exchange], let token = call.accessToken,
                let thumbprint = call.proof?.thumbprint
            else { continue }
            judge(
                call,
                thumbprint,
                [confirmation(of: token, call.exchange) ?? keys[token]].compactMap { $0 },
                &found
            )
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    private func judge(
        _ call: DPoPCall,
        _ thumbprint: String,
        _ expected: [Evidence],
        _ found: inout [Violation]
    ) {
        guard let other = expected.first(where: { $0.value != thumbprint }) else { return }
        found.append(
            Violation(
                [evidence(call, thumbprint, "the key of this proof"), other, call.answerEvidence],
                severity: call.answer.isSuccess ? .warning : .error,
                exchange: call.exchange
            )
        )
    }

    private func evidence(_ call: DPoPCall, _ thumbprint: String, _ note: String) -> Evidence {
        Evidence(
            place: Place(exchange: call.exchange, part: .jwtHeader, name: "jwk"),
            value: thumbprint,
            note: note
        )
    }

    /// What the code was bound to: `dpop_jkt` of the request that it answers, else the proof that came with its push (RFC 9449,
    /// section 10.1).
    private func codeKeys(_ request: TokenRequest, _ logins: [Int: Login], _ calls: [Int: DPoPCall])
        -> [Evidence]
    {
        guard let login = logins[request.exchange]?.request else { return [] }
        if let key = login.parameters.parameter("dpop_jkt") {
            return [Evidence(key, note: "dpop_jkt of the login")]
        }
        guard let call = login.pushed.flatMap({ calls[$0] }), let thumbprint = call.proof?.thumbprint else {
            return []
        }
        return [evidence(call, thumbprint, "the key of the proof with the pushed request")]
    }

    /// `cnf.jkt` of an access token that can be read.
    private func confirmation(of token: String, _ exchange: Int) -> Evidence? {
        guard let key = JSONWebToken.parse(token)?.claim("cnf")?["jkt"]?.string else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .jwtClaims, name: "cnf"),
            value: key,
            note: "cnf.jkt of the access token"
        )
    }
}

extension TokenRequest {
    /// Whether the answer says that its access token goes with proofs.
    var isDPoPToken: Bool { answer.parameters["token_type"]?.lowercased() == "dpop" }
}
