import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The client assertion names another audience than the provider it was posted to.
///
/// Issuer, token endpoint, the endpoint itself and its alias for certificates are all in use; Singpass wants
/// the issuer, MyInfo the token URL. Without metadata an audience on the provider's host is not judged, nor is one of the listed where the
/// provider refuses it (``StatedAssertionRefusal``).
struct ClientAssertionAudience: Rule {
    static let info = RuleInfo(
        id: "client-assertion-audience",
        title: "The client assertion is addressed to someone else",
        severity: .errorWhenRefused,
        explanation: """
            The aud claim of the client_assertion says for whom it was signed. It names neither this provider's issuer nor its endpoint, so \
            the provider must not take it.
            """,
        fix: """
            Set aud to the issuer of the provider that is called, character by character as its metadata has it, or to the token endpoint where \
            the provider's documents say so. Look for a setting of another environment, tenant or realm.
            """,
        badExample: """
            issuer: https://id.example
            client_assertion: {"iss":"shop","sub":"shop","aud":"https://staging.id.example",…}  → 401 invalid_client
            """,
        goodExample: """
            issuer: https://id.example
            client_assertion: {"iss":"shop","sub":"shop","aud":"https://id.example",…}  → 200
            """,
        specifications: [
            .rfc(7523, "3"),
            .openIDConnectCore("9", "ClientAuthentication"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        var found: [Violation] = []
        var isUnknown = false
        let provider = flow.providerFacts
        for call in calls {
            guard let assertion = call.assertion, assertion.token.claims != nil else { continue }
            if let federated = FederatedAssertion(of: call) {
                if federated.refusedClaim == .audience { found.append(federated.violation()) }
                continue
            }
            let audience = assertion.token.audience
            let (accepted, isComplete) = Self.accepted(by: call, provider.metadata(of: call.endpoint), flow)
            let isNamed = audience.contains { name in accepted.contains { Self.isSame(name, $0) } }
            let mayBeRight = isNamed || mayBeRight(audience, call, isComplete: isComplete, flow)
            if mayBeRight {
                isUnknown = isUnknown || !isNamed
                continue
            }
            let claim = Evidence(
                place: assertion.place(ofClaim: "aud"),
                value: audience.isEmpty
                    ? "missing" : Masking.shown(audience.joined(separator: ", "), of: "aud"),
                note: accepted.first.flatMap { first in
                    audience.first.map { Difference.note(expected: first.value, seen: $0) }
                }
            )
            found.append(
                Violation(
                    [claim] + accepted.prefix(4)
                        + [call.answer.evidence()],
                    severity: call.severity,
                    exchange: call.exchange
                )
            )
        }
        if let worst = Violation.worst(of: found) { return .violated(worst) }
        return isUnknown ? .abstains(Gap.metadata) : .holds
    }

    /// Whether an audience that is none of those known may be the provider's all the same.
    private func mayBeRight(_ audience: [String], _ call: ClientCall, isComplete: Bool, _ flow: Flow) -> Bool
    {
        if flow.capture[call.exchange].askedURL == nil {
            // At which address it was posted to is not known, but for the path.
            let isOfPath = audience.contains { RecordedURL($0).path.equalsBytes(of: call.endpoint.path) }
            return isOfPath || !isComplete && !audience.isEmpty
        }
        guard !isComplete else { return false }
        return call.answer.isSuccess && flow.issuer == nil && !audience.isEmpty
            || audience.contains { Self.isOfHost($0, call.endpoint) || isOfLogin($0, flow) }
    }

    /// To the letter, but for the spelling of the recorder, which may write the port out.
    private static func isSame(_ name: String, _ accepted: Evidence) -> Bool {
        name.equalsBytes(of: accepted.value)
            || accepted.place.part == .requestURL
                && RecordedURL(accepted.value).isEndpoint(RecordedURL(name))
    }

    /// Whether an audience is at an endpoint's host, or at that which it has for clients without a certificate (RFC 8705, section 5).
    private static func isOfHost(_ audience: String, _ endpoint: RecordedURL) -> Bool {
        guard let host = endpoint.host, let named = RecordedURL(audience).host else { return false }
        return named == host || ["matls-", "matls.", "mtls-", "mtls."].contains { $0 + named == host }
    }

    /// Whether an audience is at a host where the provider lets users sign in: its token endpoint may have another.
    private func isOfLogin(_ audience: String, _ flow: Flow) -> Bool {
        guard let named = RecordedURL(audience).host else { return false }
        return flow.authorizationRequests.contains { $0.endpoint.host == named }
    }

    /// What the audience may be, and whether that is all.
    static func accepted(by call: ClientCall, _ metadata: MetadataDocument?, _ flow: Flow) -> (
        [Evidence], isComplete: Bool
    ) {
        let named = { (name: String) -> Evidence? in
            metadata?.endpoint(name).map { Evidence(place: $0, metadata, name) }
        }
        let endpoint = Evidence(
            place: Place(exchange: call.exchange, part: .requestURL, name: ""),
            value: (flow.capture[call.exchange].askedURL ?? call.endpoint).text,
            note: "where it was posted to"
        )
        let issuer =
            named("issuer")
            ?? flow.issuer.map {
                Evidence.computed("issuer", $0, in: .jwtClaims, note: "the issuer, by its tokens")
            }
        if flow.provider == .singpass { return (issuer.map { [$0] } ?? [], issuer != nil) }
        if flow.provider == .myinfo, call.endpoint.path.utf8.firstRange(of: Array("/com/v4/".utf8)) != nil {
            return call.kind == .token ? ([endpoint], true) : ([], false)
        }
        let alias = metadata.flatMap { document in
            document.mutualTLSAlias("token_endpoint").map {
                Evidence(place: $0, document, "mtls_endpoint_aliases")
            }
        }
        return ([issuer, named("token_endpoint"), endpoint, alias].compactMap { $0 }, metadata != nil)
    }
}

extension Evidence {
    /// A value of a metadata document.
    fileprivate init(place value: String, _ document: MetadataDocument?, _ name: String) {
        self.init(
            place: document?.answer.place(name) ?? Place(exchange: nil, part: .responseBody, name: name),
            value: Masking.shown(value, of: name),
            note: "of the provider's metadata"
        )
    }
}
