import Captures
import JOSE
import OAuth

/// Finds the ID tokens that apps were handed without a redirect: in the answers to the browser's identity assertion requests,
/// and where the app sends them to its own server.
struct CredentialFinder {
    private let capture: Capture
    private let order: [Int]
    private let messages: [Int: OAuthMessage]
    /// Of logins in the same capture: what they were given is their own.
    private let nonces: Set<String>
    private let clients: Set<String>
    private let providers: Set<String>
    private let known: Set<String>

    /// `known` are the tokens that the provider's endpoints gave out.
    init(
        capture: Capture,
        order: [Int],
        messages: [Int: OAuthMessage],
        requests: [AuthorizationRequest],
        known: Set<String>
    ) {
        self.capture = capture
        self.order = order
        self.messages = messages
        self.known = known
        nonces = Set(requests.compactMap(\.nonce))
        clients = Set(requests.compactMap(\.clientID))
        providers = Set(requests.compactMap(\.endpoint.host))
    }

    func responses(besides arrived: [AuthorizationResponse]) -> [AuthorizationResponse] {
        let callbacks = Set(arrived.compactMap(\.callback))
        var found: [AuthorizationResponse] = []
        /// By the token that the browser was given.
        var delivered: [String: Int] = [:]
        for index in order {
            if case .identityAssertion(let call) = messages[index] {
                guard let response = delivery(call) else { continue }
                if let token = response.parameters["id_token"] { delivered[token] = found.count }
                found.append(response)
            } else if messages[index] == nil, !callbacks.contains(index),
                let parameters = CredentialResponse.parameters(
                    of: capture[index].request,
                    at: index,
                    isIssued: { delivered[$0] != nil }
                ),
                // The provider's own word (CIBA), which is none of a browser's.
                !parameters.contains("auth_req_id")
            {
                let target = RecordedURL(capture[index].request.url.withoutQuery)
                let issued = parameters.items.lazy.compactMap { delivered[$0.value] }.first
                if let issued, found[issued].callback == nil {
                    found[issued].callback = index
                    found[issued].parameters = parameters.merged(with: found[issued].parameters)
                    found[issued].target = target
                } else if issued != nil || isOfNoLogin(parameters, target) {
                    found.append(
                        AuthorizationResponse(
                            mode: .credential,
                            parameters: parameters,
                            callback: index,
                            target: target
                        )
                    )
                }
            }
        }
        return found
    }

    private func delivery(_ call: EndpointCall) -> AuthorizationResponse? {
        guard let parameters = call.assertedParameters else { return nil }
        let origin = capture[call.exchange].request.headers.first("origin").map { RecordedURL($0) }
        return AuthorizationResponse(
            mode: .credential,
            parameters: parameters,
            deliveredBy: call.exchange,
            target: origin.flatMap { $0.isWeb ? $0 : nil } ?? call.endpoint
        )
    }

    /// Whether a token came to the app by no login with redirects of this capture, and goes to no page of its provider.
    private func isOfNoLogin(_ parameters: Parameters, _ target: RecordedURL) -> Bool {
        guard let token = parameters.parameter("id_token").flatMap({ IDToken($0) }),
            !known.contains(token.token.text), target.host.map({ !providers.contains($0) }) ?? true
        else { return false }
        if let nonce = token.nonce, nonces.contains(nonce) { return false }
        return !token.token.audience.contains(where: clients.contains)
    }
}
