import Captures
import Flows
import OAuth

/// A request carries two kinds of client credentials.
///
/// RFC 6749, section 2.3, allows one; providers may refuse the request or look at either. `client_id` beside
/// Basic credentials, an empty secret and a DPoP proof are no second kind.
struct ClientAuthDuplicate: Rule {
    static let info = RuleInfo(
        id: "client-auth-duplicate",
        title: "The client authenticated in two ways at once",
        severity: .errorWhenRefused,
        explanation: """
            The request proves the client twice: by two of an Authorization header, a client_secret in the body, and a client_assertion. Only \
            one is allowed, and which of them counts is up to the provider.
            """,
        fix: """
            Send the credentials once, by the method the client is registered for. Often a library adds the header while the app's own \
            parameters hold the secret as well.
            """,
        badExample: """
            POST /token  Authorization: Basic c2hvcDp…  grant_type=authorization_code&code=…&client_secret=…  → 400 invalid_request
            """,
        goodExample: """
            POST /token  Authorization: Basic c2hvcDp…  grant_type=authorization_code&code=…&client_id=shop  → 200
            """,
        specifications: [.rfc(6749, "2.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let calls = ClientCall.all(in: flow)
        let twice = calls.filter { $0.authentication.methods.count > 1 }
        // The one that was refused for it tells more than those before it.
        guard let call = twice.first(where: { $0.severity == .error }) ?? twice.first else {
            let named = calls.compactMap(namedTwice)
            return (named.first { $0.severity == .error } ?? named.first).map { .violated($0) } ?? .holds
        }
        var evidence: [Evidence] = []
        for method in call.authentication.methods {
            switch method {
            case .secretBasic:
                evidence.append(
                    Evidence(
                        place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
                        value: "Basic",
                        note: "client_secret_basic"
                    )
                )
            case .secretPost:
                if let secret = call.parameters.parameter("client_secret") {
                    evidence.append(Evidence(secret, note: "client_secret_post"))
                }
            case .assertion:
                if let assertion = call.authentication.assertion {
                    evidence.append(Evidence(assertion, note: "an assertion"))
                }
            case .none: break
            }
        }
        evidence.append(call.answer.evidence())
        return .violated(
            Violation(evidence, severity: call.severity, exchange: call.exchange)
        )
    }

    /// A `client_id` beside the Authorization header that a provider counts as a second method, as it says.
    ///
    /// A pushed request has to have it (RFC 9126, section 2.1), and where the two name different clients, that is another fault.
    private func namedTwice(_ call: ClientCall) -> Violation? {
        guard call.kind != .pushedRequest, call.mayBlameClient, call.authentication.methods == [.secretBasic],
            let client = call.parameters.parameter("client_id"), call.authentication.mayBe(client.value),
            Self.refusals.contains(where: call.answer.errorText.containsBytes)
        else { return nil }
        let header = Evidence(
            place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
            value: "Basic",
            note: "client_secret_basic"
        )
        return Violation(
            [header, Evidence(client, note: "beside the header"), call.answer.evidence()],
            severity: call.severity,
            explanation: Self.named,
            fix: Self.namedFix,
            title: "The provider counts client_id beside the Authorization header as a second method",
            exchange: call.exchange
        )
    }

    /// In lower case: Notion, Okta, oidc-provider.
    private static let refusals = [
        "multiple authentication methods", "multiple client authentication", "multiple client credentials",
        "more than one authentication method", "more than one client authentication",
        "only be provided using one mechanism",
    ]
    private static let named = """
        The client proves itself once, by the Authorization header, and names itself in the body as well. That is no second method (RFC 6749, section \
        2.3), and most providers take it; this one does not.
        """
    private static let namedFix = """
        Leave client_id out of the body where the Authorization header is sent. A client that keeps no secret registers with \
        token_endpoint_auth_method none, and sends client_id alone: a registration that does not say so is for client_secret_basic.
        """
}
