import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The signed authorization request is not one that the provider may accept.
///
/// Judged by the provider's clock and metadata (RFC 9101, sections 4 and 6.3). Of an encrypted one only the provider
/// can say what is wrong.
struct RequestObjectInvalid: Rule {
    static let info = RuleInfo(
        id: "request-object-invalid",
        title: "The signed authorization request is not acceptable",
        severity: .errorWhenRefused,
        explanation: """
            The app sends its request as a signed token. That has run out, is meant for somebody else, names another client, is signed in a \
            way the provider does not take, or is no token at all.
            """,
        fix:
            "Make the token anew for every request: aud the provider's issuer, iss and client_id the client, exp a few minutes ahead.",
        badExample: #"request: {"iss":"shop","aud":"https://id.example/authorize","client_id":"shop",…}"#,
        goodExample: #"request: {"iss":"shop","aud":"https://id.example","client_id":"shop",…}"#,
        specifications: [
            .rfc(9101, "4"), .rfc(9101, "6.3"),
            .openIDConnectCore("6", "JWTRequests"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            if let unread = unread(attempt) { return .violated(unread) }
            let object =
                RequestObject(in: attempt.ownParameters)
                ?? attempt.pushed.flatMap { RequestObject(in: $0.parameters) }
            // A page may have the name among its words.
            let isTold =
                attempt.refusal?.error.map(Self.errors.contains) ?? false
                || object != nil && attempt.refusal?.error == nil
                    && attempt.refusal?.says(["invalid_request_object"]) ?? false
            guard let object, let exchange = object.parameter.place.exchange else {
                guard isTold, let refusal = attempt.refusal else { return .holds }
                return .violated(
                    Violation(
                        [attempt.names(), refusal.evidence()],
                        severity: .error,
                        exchange: attempt.exchange
                    )
                )
            }
            let fault = fault(of: object, at: exchange, attempt, flow)
            guard fault != nil || isTold else { return .holds }
            let isOfSpan = RequestObjectTimes.spanVariants.contains(fault?.variant ?? "")
            let token = Evidence(
                place: object.parameter.place,
                value: Masking.masked(object.parameter.value, showing: 12),
                note: "a token of \(object.parameter.value.utf8.count) bytes"
            )
            return .violated(
                Violation(
                    (fault?.evidence ?? [token])
                        + (attempt.isRefused ? attempt.refusal.map { [$0.evidence()] } ?? [] : []),
                    variant: fault?.variant,
                    severity: attempt.severity,
                    explanation: isOfSpan ? RequestObjectTimes.ofSpan : nil,
                    fix: isOfSpan ? RequestObjectTimes.ofSpanFix : nil,
                    exchange: exchange
                )
            )
        }
    }

    private static let errors = ["invalid_request_object", "request_not_supported"]

    /// The provider does not take the address where the app keeps its signed request (RFC 9101, section 6.2): a pushed one has none
    /// of the app's.
    private func unread(_ attempt: LoginAttempt) -> Violation? {
        guard attempt.pushed == nil, let uri = attempt.ownParameters.parameter("request_uri"),
            RecordedURL(uri.value).isWeb, let refusal = attempt.refusal,
            ["invalid_request_uri", "request_uri_not_supported"].contains(refusal.error)
        else { return nil }
        return Violation(
            [Evidence(uri), refusal.evidence()],
            severity: .error,
            explanation: """
                The app names an address at which its signed request stands, and the provider does not take that: it reads no requests from addresses, this one is \
                not registered for the client, or it could not fetch a signed request there.
                """,
            fix: """
                See whether the metadata has request_uri_parameter_supported, register the very address (request_uris), and serve the token there as \
                application/oauth-authz-req+jwt, to the provider's network too. Pushing the request (RFC 9126) needs none of it.
                """,
            title: "The provider does not take the address of the signed request",
            exchange: attempt.exchange
        )
    }

    // MARK: - Faults

    /// What is wrong with the token.
    private typealias Fault = RequestObjectTimes.Fault

    private func fault(of object: RequestObject, at exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> Fault?
    {
        guard let token = object.token else {
            // Encrypted, whatever stands in its header.
            if object.parameter.value.utf8.count(where: { $0 == 0x2e }) == 4 { return nil }
            let value = Masking.masked(object.parameter.value, showing: 12)
            return (
                "malformed",
                [Evidence(place: object.parameter.place, value: value, note: "has not the shape of a token")]
            )
        }
        guard token.form == .signed else { return nil }
        guard token.claims != nil else {
            let value = Masking.masked(object.parameter.value, showing: 12)
            return (
                "malformed",
                [Evidence(place: object.parameter.place, value: value, note: "its claims are no JSON object")]
            )
        }
        return RequestObjectTimes.fault(of: token, exchange, attempt, flow)
            ?? client(token, exchange, attempt) ?? audienceOrAlgorithm(token, exchange, attempt, flow)
            ?? RequestObjectTimes.spanFault(of: token, exchange, attempt, flow)
    }

    private func client(_ token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt) -> Fault? {
        let outer = attempt.ownParameters.items.first { $0.name == "client_id" && !$0.value.isEmpty }
        guard let client = outer ?? attempt.pushed?.authentication.clientID else { return nil }
        for name in ["client_id", "iss"] {
            guard let value = token.claim(name)?.string, !value.equalsBytes(of: client.value) else {
                continue
            }
            let claim = Evidence.claim(
                name,
                value,
                at: exchange,
                note: Difference.note(expected: client.value, seen: value)
            )
            return (
                name == "iss" ? "issuer" : "client", [claim, Evidence(client, note: "has to be the same")]
            )
        }
        return nil
    }

    private func audienceOrAlgorithm(
        _ token: JSONWebToken,
        _ exchange: Int,
        _ attempt: LoginAttempt,
        _ flow: Flow
    )
        -> Fault?
    {
        guard let document = flow.metadata(of: attempt) else { return nil }
        let audience = token.audience
        if let issuer = document.issuer, !audience.isEmpty, !audience.contains(bytesOf: issuer) {
            let claim = Evidence.claim("aud", audience.prefix(8).joined(separator: ", "), at: exchange)
            let expected = Evidence(
                place: document.answer.place("issuer"),
                value: Masking.shown(issuer, of: "issuer")
            )
            return ("audience", [claim, expected])
        }
        let name = "request_object_signing_alg_values_supported"
        let list = document.list(name) ?? []
        guard token.algorithm == "none", !list.isEmpty, !list.contains("none") else { return nil }
        return (
            "algorithm",
            [
                Evidence(place: Place(exchange: exchange, part: .jwtHeader, name: "alg"), value: "none"),
                Evidence(
                    place: document.answer.place(name),
                    value: Masking.shown(list.prefix(12).joined(separator: ", "), of: "list")
                ),
            ]
        )
    }
}
