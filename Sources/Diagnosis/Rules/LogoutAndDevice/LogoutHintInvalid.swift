import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The `id_token_hint` of a refused logout is no ID token that the provider issued to this client; or of one that the
/// provider went on with as if it had none, so that the browser was not sent back.
///
/// An access token, another client's ID token, or one of another issuer. An expired ID token is right: the
/// provider has to take it (OpenID Connect RP-Initiated Logout, sections 2 and 4).
struct LogoutHintInvalid: Rule {
    static let info = RuleInfo(
        id: "logout-hint-invalid",
        title: "The logout hint is not an ID token of this client",
        severity: .error,
        explanation: """
            The provider refused the logout, and what was sent as id_token_hint is not an ID token that this provider issued to this client.
            """,
        fix:
            "Send the ID token of the very login that is to end, unchanged; not the access token, and not the token of another client.",
        badExample: """
            GET /logout?id_token_hint=2YotnFZFEjr1zCsicMWpAA&post_logout_redirect_uri=…
            400 Invalid parameter: id_token_hint
            """,
        goodExample: """
            GET /logout?id_token_hint=eyJhbGciOi…&post_logout_redirect_uri=…
            302 Location: https://app.example/bye
            """,
        specifications: [RPInitiatedLogout.section2, RPInitiatedLogout.section4]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        var found: [Violation] = []
        for logout in LogoutCall.all(in: flow) {
            let isUnheeded = logout.course.isLeftAfterConfirming
            guard logout.course.isRefused || isUnheeded, let hint = logout.hint else { continue }
            var fault = fault(of: hint, logout, flow)
            if fault.isEmpty,
                isUnheeded || logout.isHintNamed || logout.refusalText.containsBytes("signature")
            {
                fault = forgery(of: hint, flow)
            }
            if fault.isEmpty, logout.refusalText.containsBytes(Self.partyMissed) {
                fault = authorizedParty(of: hint, logout)
            }
            guard !fault.isEmpty else {
                if JSONWebToken.parse(hint.value)?.form == .encrypted {
                    reason = "the logout hint is encrypted"
                }
                continue
            }
            found.append(
                Violation(
                    fault + [logout.answer(in: flow)],
                    severity: isUnheeded ? .warning : nil,
                    explanation: isUnheeded ? Self.unheeded : nil,
                    exchange: logout.call.exchange
                )
            )
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return reason.map { .abstains($0) } ?? .holds
    }

    private static let unheeded = """
        The provider asked the user before it ended the session, and did not send the browser back to the app: what was sent as id_token_hint is \
        not an ID token that it issued to this client, so it went on as if there were none.
        """

    /// The claim by which WSO2 tells whose ID token it is, where it says that it misses it.
    private func authorizedParty(of hint: Parameter, _ logout: LogoutCall) -> [Evidence] {
        guard let token = JSONWebToken.parse(hint.value), let claims = token.claims, claims["azp"] == nil
        else { return [] }
        return [claim("azp", "", logout, "where this provider looks for the client")]
    }

    private static let partyMissed = "does not contain azp"

    /// That its signature is none of the provider's.
    private func forgery(of hint: Parameter, _ flow: Flow) -> [Evidence] {
        guard let token = JSONWebToken.parse(hint.value), !token.signature.isEmpty,
            // The secret that one is made with may be another than the client's.
            !(token.algorithm?.hasPrefix("HS") ?? false),
            flow.surroundings.verification(of: token, providerHosts: flow.providerHosts).outcome == .invalid
        else { return [] }
        return [Evidence(hint, note: "its signature does not verify")]
    }

    /// What is wrong with it, each with its place; empty where nothing is.
    private func fault(of hint: Parameter, _ logout: LogoutCall, _ flow: Flow) -> [Evidence] {
        if let access = flow.tokenRequests.first(where: { $0.accessToken == hint.value }),
            access.answer.parameters["id_token"] != hint.value
        {
            return [
                Evidence(hint, note: "the access token"),
                Evidence(
                    place: access.answer.place("access_token"),
                    value: Masking.shown(hint.value, of: "access_token"),
                    note: "issued here"
                ),
            ]
        }
        guard let token = JSONWebToken.parse(hint.value) else {
            return [Evidence(hint, note: "not a JWT")]
        }
        guard token.claims != nil else { return [] }
        var evidence: [Evidence] = []
        if let client = client(of: logout, flow), !token.audience.contains(bytesOf: client.value) {
            evidence.append(
                claim("aud", token.audience.prefix(5).joined(separator: ", "), logout, "not this client")
            )
            evidence.append(Evidence(client, note: "this client"))
        }
        if let issuer = issuer(of: logout, flow), let own = token.issuer,
            !IssuerTemplate.matches(own, issuer.value)
        {
            evidence.append(claim("iss", own, logout, Difference.note(expected: issuer.value, seen: own)))
            evidence.append(Evidence(issuer, note: "this issuer"))
        }
        return evidence
    }

    private func claim(_ name: String, _ value: String, _ logout: LogoutCall, _ note: String) -> Evidence {
        Evidence(
            place: Place(exchange: logout.call.exchange, part: .jwtClaims, name: name),
            value: value.isEmpty ? "missing" : Masking.shown(value, of: name),
            note: note
        )
    }

    private func client(of logout: LogoutCall, _ flow: Flow) -> Parameter? {
        logout.client
            ?? flow.authorizationRequests.last?.parameters.parameter("client_id")
    }

    private func issuer(of logout: LogoutCall, _ flow: Flow) -> Parameter? {
        LogoutCall.metadata(of: logout.call, in: flow)?.answer.parameters.parameter("issuer")
    }
}
