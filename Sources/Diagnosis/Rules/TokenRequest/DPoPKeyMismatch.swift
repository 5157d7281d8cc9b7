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
        let keys = boundKeys(flow, calls)
        var found: [Violation] = []
        for request in flow.tokenRequests {
            guard let call = calls[request.exchange] else { continue }
            let expected =
                (request.isCodeExchange ? codeKeys(request, logins, calls) : [])
                + refreshKeys(request, call, keys, flow) + assertionKeys(request)
            judge(call, expected, &found)
        }
        for message in flow.messages {
            guard let call = calls[message.exchange], let token = call.accessToken else { continue }
            let expected = confirmation(of: token, call.exchange) ?? keys.byToken[token]
            judge(call, [expected].compactMap(\.self), &found)
        }
        return Violation.worst(of: found).map { .violated($0) } ?? .holds
    }

    // MARK: - The keys that are expected

    /// The keys that tokens were bound to when they were issued.
    private struct BoundKeys {
        /// Of access tokens, and of refresh tokens of public clients.
        var byToken: [String: Evidence] = [:]
        /// Of refresh tokens of clients that prove who they are: these need not be bound (RFC 9449, section 5); a provider may say
        /// that they are.
        var ofConfidentialClients: [String: Evidence] = [:]
    }

    private func boundKeys(_ flow: Flow, _ calls: [Int: DPoPCall]) -> BoundKeys {
        var keys = BoundKeys()
        for request in flow.tokenRequests where request.answer.isSuccess && request.isDPoPToken {
            guard let call = calls[request.exchange], let thumbprint = call.proof?.thumbprint else {
                continue
            }
            let bound = evidence(call, thumbprint, "the key with which the token was got")
            if let token = request.accessToken { keys.byToken[token] = bound }
            guard let token = request.issuedRefreshToken else { continue }
            if isPublic(request, flow) {
                keys.byToken[token] = keys.byToken[token] ?? bound
            } else {
                keys.ofConfidentialClients[token] = keys.ofConfidentialClients[token] ?? bound
            }
        }
        return keys
    }

    /// Whether a request's client is seen to prove nothing of itself: its credentials may have been left out of the capture.
    private func isPublic(_ request: TokenRequest, _ flow: Flow) -> Bool {
        request.authentication.methods == [.none]
            && !flow.surroundings.mayLackCredentials(at: request.exchange)
    }

    private func refreshKeys(_ request: TokenRequest, _ call: DPoPCall, _ keys: BoundKeys, _ flow: Flow)
        -> [Evidence]
    {
        guard request.isRefresh, let token = request.refreshToken else { return [] }
        let own = isPublic(request, flow) ? keys.byToken[token] : nil
        let stated = call.error == "invalid_dpop_proof" ? keys.ofConfidentialClients[token] : nil
        return [own, stated].compactMap(\.self)
    }

    private func assertionKeys(_ request: TokenRequest) -> [Evidence] {
        guard let assertion = request.authentication.assertion.flatMap({ ClientAssertion($0) }),
            let key = assertion.boundKey
        else { return [] }
        return [
            Evidence(
                place: assertion.place(ofClaim: "cnf"),
                value: key,
                note: "cnf.jkt of the client assertion"
            )
        ]
    }

    // MARK: - Judging

    private func judge(_ call: DPoPCall, _ expected: [Evidence], _ found: inout [Violation]) {
        guard let thumbprint = call.proof?.thumbprint,
            let other = expected.first(where: { $0.value != thumbprint })
        else { return }
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
        if let key = login.parameters.parameter("dpop_jkt"), !key.value.isEmpty {
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
