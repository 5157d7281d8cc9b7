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
            SpecificationReference(
                text: "OpenID Connect Core §6",
                url: "https://openid.net/specs/openid-connect-core-1_0.html#JWTRequests"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            if let unread = unread(attempt) { return .violated(unread) }
            let isTold = ["invalid_request_object", "request_not_supported"].contains(attempt.refusal?.error)
            let object =
                RequestObject(in: attempt.ownParameters)
                ?? attempt.pushed.flatMap { RequestObject(in: $0.parameters) }
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
            let isOfSpan = Self.spanVariants.contains(fault?.variant ?? "")
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
                    explanation: isOfSpan ? Self.ofSpan : nil,
                    fix: isOfSpan ? Self.ofSpanFix : nil,
                    exchange: exchange
                )
            )
        }
    }

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

    private typealias Fault = (variant: String, evidence: [Evidence])

    private func fault(of object: RequestObject, at exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> Fault?
    {
        guard let token = object.token else {
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
        return time(token, exchange, attempt, flow) ?? client(token, exchange, attempt)
            ?? audienceOrAlgorithm(token, exchange, attempt, flow) ?? span(of: token, exchange, attempt, flow)
    }

    private func time(_ token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt, _ flow: Flow) -> Fault?
    {
        guard let now = flow.capture[exchange].serverTime else { return nil }
        // A provider that lets some seconds pass is not to be corrected.
        let leeway: Int64 = attempt.isRefused ? 0 : 30
        let clock = Evidence(
            place: Place(exchange: exchange, part: .responseHeader, name: "Date"),
            value: now.rfc3339,
            note: "the provider's clock"
        )
        func claim(_ name: String, _ seconds: Int64) -> Evidence {
            Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: name),
                value: "\(seconds)",
                note: Timestamp(statedSeconds: seconds)?.rfc3339
            )
        }
        let latest = Int64(1) << 40
        if let end = token.expiresAt, abs(end) < latest, end + leeway <= now.seconds {
            return ("expired", [claim("exp", end), clock])
        }
        if let start = token.notBefore, abs(start) < latest, start - leeway > now.seconds {
            return ("not-yet-valid", [claim("nbf", start), clock])
        }
        return nil
    }

    /// What the FAPI profile asks of the times besides (FAPI 1.0 Advanced, section 5.2.2, numbers 13 and 17), of a request that was refused
    /// as a token and has no other fault.
    private func span(of token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt, _ flow: Flow)
        -> Fault?
    {
        guard let refusal = attempt.refusal, refusal.error == "invalid_request_object",
            !refusal.says(Self.otherReasons), let now = flow.capture[exchange].serverTime
        else { return nil }
        func claim(_ name: String, _ value: String, _ note: String?) -> Evidence {
            Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: name),
                value: value,
                note: note
            )
        }
        guard let start = token.notBefore else {
            return refusal.says(["nbf"]) ? ("no-start", [claim("nbf", "missing", nil)]) : nil
        }
        let latest = Int64(1) << 40
        guard abs(start) < latest else { return nil }
        if now.seconds - start > Self.longestSpan {
            let note = "\(Span.text(now.seconds - start)) before, by the provider's clock"
            return ("old", [claim("nbf", "\(start)", note)])
        }
        guard let end = token.expiresAt, abs(end) < latest, end - start > Self.longestSpan else { return nil }
        return (
            "long",
            [
                claim("nbf", "\(start)", nil),
                claim("exp", "\(end)", "\(Span.text(end - start)) after nbf"),
            ]
        )
    }

    /// Seconds that a signed request may last, and that may have passed since its beginning.
    private static let longestSpan: Int64 = 3600

    /// What a provider that speaks of these does not refuse for its times, in lower case.
    private static let otherReasons = [
        "signature", "signed with", "key", "jwk", "algorithm", "audience", "issuer", "decrypt",
        "redirect_uri", "scope",
    ]

    private static let spanVariants = ["no-start", "old", "long"]
    private static let ofSpan = """
        The app sends its request as a signed token, and the provider holds that to the FAPI profile: it has to say from when on it holds \
        (nbf), which may not be more than 60 minutes ago, and until when (exp), which may not be more than 60 minutes after that.
        """
    private static let ofSpanFix = """
        Make the token anew for every request, with nbf the time of that, in seconds, and exp a few minutes later.
        """

    private func client(_ token: JSONWebToken, _ exchange: Int, _ attempt: LoginAttempt) -> Fault? {
        let outer = attempt.ownParameters.items.first { $0.name == "client_id" && !$0.value.isEmpty }
        guard let client = outer ?? attempt.pushed?.authentication.clientID else { return nil }
        for name in ["client_id", "iss"] {
            guard let value = token.claim(name)?.string, !value.equalsBytes(of: client.value) else {
                continue
            }
            let claim = Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: name),
                value: Masking.shown(value, of: name),
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
            let claim = Evidence(
                place: Place(exchange: exchange, part: .jwtClaims, name: "aud"),
                value: Masking.shown(audience.prefix(8).joined(separator: ", "), of: "aud")
            )
            let expected = Evidence(
                place: document.answer.place("issuer"),
                value: Masking.shown(issuer, of: "issuer")
            )
            return ("audience", [claim, expected])
        }
        let name = "request_object_signing_alg_values_supported"
        let list = document.answer.json?[name]?.array?.compactMap(\.string) ?? []
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
