import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Whom a client's assertion is addressed to, held against what the provider may be called (RFC 7523, section 3 (3)).
struct AssertionAudience {
    enum Fit {
        /// It has one of the provider's names.
        case named
        /// It has none that is known, and may be right all the same.
        case unknown
        case wrong
    }

    let fit: Fit
    /// What the audience may be, as far as it is known.
    let accepted: [Evidence]

    init(of assertion: ClientAssertion, by call: ClientCall, in flow: Flow) {
        let audience = assertion.token.audience
        let (accepted, isComplete) = Self.accepted(
            by: call,
            flow.providerFacts.metadata(of: call.endpoint),
            flow
        )
        self.accepted = accepted
        if audience.contains(where: { name in accepted.contains { Self.isSame(name, $0) } }) {
            fit = .named
        } else {
            fit = Self.mayBeRight(audience, call, isComplete: isComplete, flow) ? .unknown : .wrong
        }
    }

    /// Whether an audience that is none of those known may be the provider's all the same.
    private static func mayBeRight(_ audience: [String], _ call: ClientCall, isComplete: Bool, _ flow: Flow)
        -> Bool
    {
        if flow.capture[call.exchange].askedURL == nil {
            // At which address it was posted to is not known, but for the path.
            let isOfPath = audience.contains { RecordedURL($0).path.equalsBytes(of: call.endpoint.path) }
            return isOfPath || !isComplete && !audience.isEmpty
        }
        guard !isComplete else { return false }
        return call.answer.isSuccess && flow.issuer == nil && !audience.isEmpty
            || audience.contains { isOfHost($0, call.endpoint) || isOfLogin($0, flow) }
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
    private static func isOfLogin(_ audience: String, _ flow: Flow) -> Bool {
        guard let named = RecordedURL(audience).host else { return false }
        return flow.authorizationRequests.contains { $0.endpoint.host == named }
    }

    /// What the audience may be, and whether that is all.
    private static func accepted(by call: ClientCall, _ metadata: MetadataDocument?, _ flow: Flow) -> (
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
