import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The signed authorization response is not one that the app may accept.
///
/// Issuer and signature are judged where the capture has the metadata and the keys.
struct JARMInvalid: Rule {
    static let info = RuleInfo(
        id: "jarm-invalid",
        title: "The signed authorization response does not verify",
        severity: .error,
        explanation: """
            The answer came as a signed token, so that the app can tell who wrote it, for whom, and when. One of these does not hold, and the \
            app has to refuse the answer before it looks at the code in it.
            """,
        fix: """
            Read from the evidence which check fails: ask the right provider, name the client as it is registered, fetch the provider's keys \
            anew, or take the answer to the app sooner.
            """,
        badExample: """
            response = {"iss":"https://id.example","aud":"another-client","exp":…,"code":"…"}
            """,
        goodExample: """
            response = {"iss":"https://id.example","aud":"shop-web","exp":…,"code":"…"}
            """,
        specifications: [
            SpecificationReference(
                text: "JARM §2.4",
                url: "https://openid.net/specs/oauth-v2-jarm.html#section-2.4"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let response = attempt.response,
                let parameter = response.parameters.parameter("response"),
                let token = JSONWebToken.parse(parameter.value)
            else { return .holds }
            guard token.form == .signed, token.claims != nil else {
                return .abstains("the signed response is encrypted or cannot be read")
            }
            let exchange = parameter.place.exchange
            let evidence =
                claims(token, exchange, attempt, flow) + [expiry(token, response, flow)].compactMap { $0 }
                + signature(token, exchange, response, flow)
            guard !evidence.isEmpty else { return .holds }
            return .violated(Violation(evidence, exchange: response.exchange))
        }
    }

    private func claims(_ token: JSONWebToken, _ exchange: Int?, _ attempt: LoginAttempt, _ flow: Flow)
        -> [Evidence]
    {
        var evidence: [Evidence] = []
        if let client = attempt.parameter("client_id"), !token.audience.contains(bytesOf: client.value) {
            evidence.append(
                Evidence.claim(
                    "aud",
                    token.audience.prefix(6).joined(separator: ", "),
                    at: exchange,
                    note: token.audience.isEmpty ? "no audience" : "is not this client"
                )
            )
            evidence.append(Evidence(client))
        }
        if let request = attempt.request {
            let documents = flow.metadata(naming: request)
            let issuer = token.issuer ?? ""
            if let document = flow.inForce(documents, at: request.exchange), let expected = document.issuer,
                !documents.contains(where: { IssuerTemplate.matches(issuer, $0.issuer ?? "") })
            {
                evidence.append(
                    Evidence.claim(
                        "iss",
                        issuer,
                        at: exchange,
                        note: Difference.note(expected: expected, seen: issuer)
                    )
                )
                evidence.append(
                    Evidence(
                        place: document.answer.place("issuer"),
                        value: Masking.shown(expected, of: "issuer")
                    )
                )
            }
        }
        return evidence
    }

    /// Run out when it reached the app, by the provider's clock, to which seconds are left; a minute to another's.
    private func expiry(_ token: JSONWebToken, _ response: AuthorizationResponse, _ flow: Flow) -> Evidence? {
        guard let end = token.expiresAt else { return nil }
        var time = flow.capture[response.callback ?? response.exchange].startedAt
        var leeway: Int64 = 60
        if let delivered = response.deliveredBy {
            let exchange = flow.capture[delivered]
            if let date = exchange.serverTime {
                let way = time - exchange.endedAt
                time = way > .zero ? date + way : date
                leeway = 5
            }
        }
        guard end < time.seconds, time.seconds - end > leeway else { return nil }
        return Evidence(
            place: Place(
                exchange: response.parameters.parameter("response")?.place.exchange,
                part: .jwtClaims,
                name: "exp"
            ),
            value: "\(end)",
            note: "run out \(time.seconds - end) s before it reached the app"
        )
    }

    private func signature(
        _ token: JSONWebToken,
        _ exchange: Int?,
        _ response: AuthorizationResponse,
        _ flow: Flow
    ) -> [Evidence] {
        let place = Place(exchange: exchange, part: .jwtHeader, name: "alg")
        if token.algorithm?.lowercased() == "none" {
            return [Evidence(place: place, value: "none", note: "not signed")]
        }
        let verification = flow.surroundings.verification(of: token, providerHosts: flow.providerHosts)
        if verification.outcome == .unknownKey { return unknownKey(of: token, exchange, response, flow) }
        guard verification.outcome == .invalid else { return [] }
        return [
            Evidence(
                place: place,
                value: Masking.shown(token.algorithm ?? "", of: "alg"),
                note: "the signature does not verify with key \(token.keyID ?? "")"
            )
        ]
    }

    /// A key that no key set of the provider's has, where the app refused the answer: it may have known others.
    private func unknownKey(
        of token: JSONWebToken,
        _ exchange: Int?,
        _ response: AuthorizationResponse,
        _ flow: Flow
    ) -> [Evidence] {
        let sets = flow.surroundings.readableKeySets(for: token, providerHosts: flow.providerHosts)
        guard let kid = token.keyID, let set = sets.last,
            !sets.contains(where: { $0.keys?.keys.contains { $0.id == kid } ?? false }),
            RejectedCallback.all(in: flow).contains(where: { $0.exchange == response.callback })
        else { return [] }
        return [
            Evidence(
                place: Place(exchange: exchange, part: .jwtHeader, name: "kid"),
                value: Masking.shown(kid, of: "kid"),
                note: "the key that it says it is signed with"
            ), set.evidence(note: "the provider's keys: that one is not among them"),
        ]
    }
}
