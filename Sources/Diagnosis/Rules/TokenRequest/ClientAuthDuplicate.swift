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
            return .holds
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
}
