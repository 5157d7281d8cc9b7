package import OAuth

/// What a capture tells of its clients in the logins of others: their secrets, registrations, codes and assertions.
package struct CapturedClients: Sendable {
    /// By `client_id`: issued by a registration, or accepted by a token endpoint; the one that was issued last, last.
    package let allSecrets: [String: [String]]
    /// The last one of each.
    let secrets: [String: String]
    /// By the `client_id` they gave out, oldest first.
    package let registrations: [String: [EndpointCall]]
    /// By the client whose login they answer, as far as `state` shows it; oldest first.
    package let codes: [String: [Parameter]]
    /// Exchanges that carry a client assertion, by what tells it from others (``ClientAssertion/key``), in the order of
    /// time.
    package let assertionUses: [String: [Int]]

    init(_ index: CaptureIndex) {
        allSecrets = Self.secrets(index.tokenRequests, index.registrations)
        secrets = allSecrets.compactMapValues(\.last)
        registrations = index.registrations.reduce(into: [:]) { list, call in
            if let client = call.answer.parameters["client_id"] { list[client, default: []].append(call) }
        }
        codes = Self.codes(of: index.responses, to: index.authorizationRequests)
        assertionUses = Self.assertionUses(in: index.messages, order: index.order)
    }

    private static func secrets(_ tokens: [TokenRequest], _ registrations: [EndpointCall])
        -> [String: [String]]
    {
        var secrets: [String: [String]] = [:]
        for call in registrations {
            if let id = call.answer.parameters["client_id"],
                let secret = call.issuedSecret?.value
            {
                // With each answer about its registration a client may get another one.
                if secrets[id]?.last != secret { secrets[id, default: []].append(secret) }
            }
        }
        for request in tokens where request.answer.isSuccess {
            if let id = request.clientID, let secret = request.authentication.secret?.value,
                secrets[id] == nil
            {
                secrets[id] = [secret]
            }
        }
        return secrets
    }

    private static func codes(
        of responses: [AuthorizationResponse],
        to requests: [AuthorizationRequest]
    ) -> [String: [Parameter]] {
        let clients = requests.reduce(into: [String: String]()) { list, request in
            if let state = request.state, let client = request.clientID { list[state] = client }
        }
        return responses.reduce(into: [:]) { list, response in
            guard let client = response.state.flatMap({ clients[$0] }),
                let code = response.parameter("code")
            else { return }
            list[client, default: []].append(code)
        }
    }

    private static func assertionUses(in messages: [Int: OAuthMessage], order: [Int]) -> [String: [Int]] {
        order.reduce(into: [:]) { uses, index in
            let parameter: Parameter? =
                switch messages[index] {
                case .token(let request): request.authentication.assertion
                case .pushedRequest(let call), .revocation(let call), .introspection(let call),
                    .deviceAuthorization(let call), .backchannelAuthentication(let call):
                    call.authentication.assertion
                default: nil
                }
            guard let assertion = parameter.flatMap({ ClientAssertion($0) }) else { return }
            uses[assertion.key, default: []].append(index)
        }
    }
}
