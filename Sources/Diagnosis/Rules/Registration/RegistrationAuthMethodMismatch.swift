import Captures
import Flows
import OAuth

/// The client proves who it is in another way than its registration says, and is refused.
struct RegistrationAuthMethodMismatch: Rule {
    static let info = RuleInfo(
        id: "registration-auth-method-mismatch",
        title: "The client authenticates in another way than it was registered for",
        severity: .error,
        explanation: """
            The registration of this client names how it authenticates at the token endpoint, and the request did it in another way. Most \
            providers accept the registered way alone.
            """,
        fix: """
            Send the credentials in the registered way, in the Authorization header or in the body, or register the client with the method \
            that it uses.
            """,
        badExample: """
            POST /register → 201 {"client_id":"c1","client_secret":"…","token_endpoint_auth_method":"client_secret_basic"}
            POST /token  client_id=c1&client_secret=… → 401 invalid_client
            """,
        goodExample: """
            POST /register → 201 {"client_id":"c1","client_secret":"…","token_endpoint_auth_method":"client_secret_basic"}
            POST /token  Authorization: Basic … → 200
            """,
        specifications: [.rfc(7591, "2"), .rfc(6749, "2.3"), .rfc(9126, "2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard !flow.registrations.isEmpty else { return .holds }
        return Verdict.firstViolation(among: ClientCall.all(in: flow)) { call in
            guard Self.kinds.contains(call.kind), call.isClientRefused else { return .holds }
            guard !call.parameters.isEmpty else {
                return .abstains(
                    "the request to the \(call.kind.rawValue) endpoint was saved without its body"
                )
            }
            guard
                let client = RegisteredClient.of(
                    call.authentication.clientID?.value,
                    before: call.exchange,
                    in: flow
                )
            else { return .holds }
            let registered = client.authenticationMethods.compactMap(method)
            // Certificates of mutual TLS are not in a capture.
            guard !registered.isEmpty, registered.count == client.authenticationMethods.count,
                call.authentication.methods.allSatisfy({ !registered.contains($0) })
            else { return .holds }
            guard
                call.authentication.methods != [.none]
                    || !flow.surroundings.mayLackCredentials(at: call.exchange)
            else {
                return .abstains(Gap.strippedCredentials)
            }
            return .violated(Violation(evidence(client, call), exchange: call.exchange))
        }
    }

    /// Where a client authenticates as it does at the token endpoint (RFC 9126, section 2; RFC 8628, section 3.1; CIBA, section 7.1).
    private static let kinds: Set<ClientCall.Kind> = [
        .token, .pushedRequest, .deviceAuthorization, .backchannelAuthentication,
    ]

    private func method(_ name: String) -> ClientAuthentication.Method? {
        switch name {
        case "none": ClientAuthentication.Method.none
        case "client_secret_basic": .secretBasic
        case "client_secret_post": .secretPost
        case "private_key_jwt", "client_secret_jwt": .assertion
        default: nil
        }
    }

    private func evidence(_ client: RegisteredClient, _ call: ClientCall) -> [Evidence] {
        let registered =
            client.evidence("token_endpoint_auth_method", note: "registered")
            ?? Evidence(
                place: client.call.answer.place("token_endpoint_auth_method"),
                value: "client_secret_basic",
                note: "registered: what holds where none is named and a secret is issued"
            )
        let used = call.authentication.methods.map(\.rawValue).joined(separator: ", ")
        let place =
            call.authentication.assertion?.place ?? call.authentication.secret?.place
            ?? call.authentication.clientID?.place
            ?? Place(exchange: call.exchange, part: .requestBody, name: "client_id")
        return [registered, Evidence(place: place, value: used, note: "used"), call.answer.evidence()]
    }
}
