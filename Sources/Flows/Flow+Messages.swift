package import Captures
package import OAuth

/// One authorization request of a flow with what came of it.
///
/// A flow has several when the login ran in a circle.
package struct Login: Sendable {
    package var request: AuthorizationRequest
    package var response: AuthorizationResponse?
    /// Token requests with its code, in order of time.
    package var tokenRequests: [TokenRequest]
}

extension Flow {
    package var capture: Capture { surroundings.capture }

    package var authorizationRequests: [AuthorizationRequest] {
        messages.compactMap { if case .authorizationRequest(let request) = $0 { request } else { nil } }
    }

    package var authorizationResponses: [AuthorizationResponse] {
        messages.compactMap { if case .authorizationResponse(let response) = $0 { response } else { nil } }
    }

    /// All requests to the token endpoint, refreshes included.
    package var tokenRequests: [TokenRequest] {
        messages.compactMap { if case .token(let request) = $0 { request } else { nil } }
    }

    package var registrations: [EndpointCall] {
        messages.compactMap { if case .registration(let call) = $0 { call } else { nil } }
    }

    /// Every ID token delivered in this flow, with the token request that brought it (nil for the front
    /// channel).
    ///
    /// Of one that was encrypted what is inside, where the capture has the key.
    package var idTokens: [(token: IDToken, request: TokenRequest?)] {
        messages.flatMap { message -> [(token: IDToken, request: TokenRequest?)] in
            switch message {
            case .token(let request): request.idToken.map { [(surroundings.readable($0), request)] } ?? []
            case .authorizationResponse(let response):
                response.parameters.parameter("id_token").flatMap { IDToken($0) }.map {
                    [(surroundings.readable($0), nil)]
                } ?? []
            default: []
            }
        }
    }

    /// The logins of this flow.
    ///
    /// A response goes with the request whose `state` it brings back, else with the latest one before it.
    package var logins: [Login] { derived.value { readLogins() } }

    private func readLogins() -> [Login] {
        var logins = authorizationRequests.reduce(into: [Login]()) { list, request in
            // A reload of the same request is no second login, nor is the provider's own continuation of it.
            let isRepeated = list.contains { $0.request.isSame(as: request) }
            if !isRepeated { list.append(Login(request: request, response: nil, tokenRequests: [])) }
        }
        guard !logins.isEmpty else { return [] }
        for response in authorizationResponses {
            let time = capture[response.exchange].startedAt
            let byState = logins.lastIndex {
                $0.response == nil && $0.request.state != nil && $0.request.state == response.state
            }
            let byTime = logins.lastIndex {
                $0.response == nil && capture[$0.request.exchange].startedAt <= time
            }
            if let index = byState ?? byTime { logins[index].response = response }
        }
        for request in tokenRequests where request.isCodeExchange {
            let byCode = logins.lastIndex { $0.response?.code != nil && $0.response?.code == request.code }
            logins[byCode ?? logins.count - 1].tokenRequests.append(request)
        }
        return logins
    }

    /// Hosts of the provider's endpoints in this flow.
    package var providerHosts: Set<String> {
        Set(
            messages.compactMap { message in
                switch message {
                case .resource, .authorizationResponse, .backChannelLogout, .frontChannelLogout: nil
                default: capture[message.exchange].request.url.host
                }
            }
        )
    }
}
