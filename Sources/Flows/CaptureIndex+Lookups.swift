import Captures
import OAuth

extension CaptureIndex {
    /// Whether redirects alone, or nothing at all, lie between two exchanges.
    package func redirects(from start: Int, leadTo end: Int) -> Bool {
        var exchange = end
        var steps = 0
        while exchange != start {
            guard steps < 20, let source = redirectedFrom[exchange] else { return false }
            exchange = source
            steps += 1
        }
        return true
    }

    /// The 401 answers by the origin of the resource, where somebody asked for a resource's metadata.
    static func challenges(
        in capture: Capture,
        order: [Int],
        _ metadata: [MetadataDocument]
    ) -> [String: [ResourceChallenge]] {
        guard metadata.contains(where: \.isProtectedResource) else { return [:] }
        return Dictionary(
            grouping: order.compactMap { ResourceChallenge(capture[$0], at: $0) },
            by: { $0.resource.origin ?? "" }
        )
    }

    /// See ``codesByClient``.
    static func codes(
        of responses: [AuthorizationResponse],
        to requests: [AuthorizationRequest]
    ) -> [String: [Parameter]] {
        let clients = requests.reduce(into: [String: String]()) { list, request in
            if let state = request.state, let client = request.clientID { list[state] = client }
        }
        return responses.reduce(into: [:]) { list, response in
            guard let client = response.state.flatMap({ clients[$0] }),
                let code = response.parameters.parameter("code")
            else { return }
            list[client, default: []].append(code)
        }
    }

    /// See ``assertionUses``.
    static func assertionUses(in messages: [Int: OAuthMessage], order: [Int]) -> [String: [Int]] {
        order.reduce(into: [:]) { uses, index in
            let parameter: Parameter? =
                switch messages[index] {
                case .token(let request): request.authentication.assertion
                case .pushedRequest(let call), .revocation(let call), .introspection(let call):
                    call.authentication.assertion
                default: nil
                }
            guard let assertion = parameter.flatMap({ ClientAssertion($0) }) else { return }
            uses[assertion.key, default: []].append(index)
        }
    }

    /// See ``preflights``.
    static func preflights(in capture: Capture, order: [Int]) -> [String: [Int]] {
        order.reduce(into: [:]) { found, index in
            let request = capture[index].request
            guard request.method == "OPTIONS", request.headers.contains("origin") else { return }
            found[request.url.host ?? "", default: []].append(index)
        }
    }

    /// See ``openedHosts``.
    static func openedHosts(of capture: Capture) -> Set<String> {
        Set(
            capture.indices.compactMap { index in
                // A CONNECT that was answered opens a tunnel, it shows nothing of what is in it.
                !capture[index].isAnswered || capture[index].request.method == "CONNECT"
                    ? nil : capture[index].request.url.host
            }
        )
    }

    static func hasNoCredentials(_ capture: Capture) -> Bool {
        capture.indices.allSatisfy { index in
            let exchange = capture[index]
            return !exchange.request.headers.contains("cookie")
                && !exchange.request.headers.contains("authorization")
                && exchange.request.listedCookies.isEmpty
                && !(exchange.response?.headers.contains("set-cookie") ?? false)
                && (exchange.response?.listedCookies.isEmpty ?? true)
        }
    }

    static func secrets(_ tokens: [TokenRequest], _ registrations: [EndpointCall]) -> [String: String] {
        var secrets: [String: String] = [:]
        for call in registrations {
            if let id = call.answer.parameters["client_id"],
                let secret = call.answer.parameters["client_secret"]
            {
                secrets[id] = secret
            }
        }
        for request in tokens where request.answer.isSuccess {
            if let id = request.clientID, let secret = request.authentication.secret?.value,
                secrets[id] == nil
            {
                secrets[id] = secret
            }
        }
        return secrets
    }
}
