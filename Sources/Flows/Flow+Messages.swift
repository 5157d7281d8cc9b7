package import Captures
package import OAuth

/// One authorization request of a flow with what came of it.
///
/// A flow has several when the login ran in a circle.
package struct Login: Sendable {
    /// How it was begun.
    package var request: AuthorizationRequest
    /// Nil where none came.
    package var response: AuthorizationResponse?
    /// Token requests with its code, in order of time.
    package var tokenRequests: [TokenRequest]
}

extension Flow {
    /// The whole one, of which the flow is a part.
    package var capture: Capture { surroundings.capture }

    /// Those that the capture has as the browser sent them.
    package var sentAuthorizationRequests: [AuthorizationRequest] {
        authorizationRequests.filter { !$0.isUnseen }
    }

    /// Those that are known by an app's redirect alone included.
    package var authorizationRequests: [AuthorizationRequest] { byKind.requests }

    /// In order of time, of all rounds of a circle.
    package var authorizationResponses: [AuthorizationResponse] { byKind.responses }

    /// All requests to the token endpoint, refreshes included.
    package var tokenRequests: [TokenRequest] { byKind.tokens }

    /// All that was asked about clients' registrations, reading, changing and deleting them included.
    package var registrations: [EndpointCall] { byKind.registrations }

    private var byKind: MessagesByKind { derived.value { MessagesByKind(messages) } }

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

    /// The logins of this flow as far as the capture shows what they asked for: those that a browser took to the provider, and
    /// where none was recorded, those whose request the app's server pushed (RFC 9126).
    ///
    /// The request of such a one stands at its push.
    package var askedLogins: [Login] {
        authorizationRequests.isEmpty ? derived.value { PushedLogins(of: self) }.list : logins
    }

    private func readLogins() -> [Login] {
        var logins = begunLogins
        guard !logins.isEmpty else { return [] }
        var open = OpenLogins(logins, in: capture)
        for response in authorizationResponses {
            guard let place = open.take(answeredBy: response, at: capture[response.exchange].startedAt) else {
                continue
            }
            logins[place].response = response
        }
        var byCode: [String: Int] = [:]
        for (place, login) in logins.enumerated() {
            if let code = login.response?.code { byCode[code] = place }
        }
        for request in tokenRequests where request.isCodeExchange {
            let place = request.code.flatMap { byCode[$0] }
            logins[place ?? logins.count - 1].tokenRequests.append(request)
        }
        return logins
    }

    /// One for each request that is neither a reload nor the provider's own continuation of an earlier one; of one that was sent again
    /// with a nonce, as it was sent last.
    private var begunLogins: [Login] {
        var logins: [Login] = []
        var seen: Set<[String?]> = []
        for request in authorizationRequests {
            let sameness = request.sameness
            guard !sameness.contains(where: seen.contains),
                !(logins.last.map { request.carriesOn($0.request) } ?? false)
            else {
                if let last = logins.last, NonceChallenge.isAnswer(to: capture[last.request.exchange]) {
                    logins[logins.count - 1].request = request
                }
                continue
            }
            seen.formUnion(sameness)
            logins.append(Login(request: request, response: nil, tokenRequests: []))
        }
        return logins
    }
}

/// The logins of a flow without an answer so far, by their places in order of time.
private struct OpenLogins {
    private var places: [Int]
    /// Of a state, the last one last.
    private var byState: [String: [Int]] = [:]
    private let starts: [Timestamp]
    private var isAnswered: [Bool]

    init(_ logins: [Login], in capture: Capture) {
        places = Array(logins.indices)
        starts = logins.map { capture[$0.request.exchange].startedAt }
        isAnswered = Array(repeating: false, count: logins.count)
        for (place, login) in logins.enumerated() {
            if let state = login.request.state { byState[state, default: []].append(place) }
        }
    }

    /// The login whose `state` a response brings back, else the latest one that began before it; it is open no more.
    mutating func take(answeredBy response: AuthorizationResponse, at time: Timestamp) -> Int? {
        let place = response.state.flatMap { take(withState: $0) } ?? takeLatest(before: time)
        if let place { isAnswered[place] = true }
        return place
    }

    private mutating func take(withState state: String) -> Int? {
        while let last = byState[state]?.popLast() {
            if !isAnswered[last] { return last }
        }
        return nil
    }

    private mutating func takeLatest(before time: Timestamp) -> Int? {
        // The answered ones are left out when they are met.
        var place = places.partitionPoint { starts[$0] > time } - 1
        while place >= 0, isAnswered[places[place]] {
            places.remove(at: place)
            place -= 1
        }
        return place >= 0 ? places.remove(at: place) : nil
    }
}

/// The logins of a server's half, in which no browser is seen.
private struct PushedLogins: Sendable {
    var list: [Login] = []

    init(of flow: Flow) {
        for case .pushedRequest(let call) in flow.messages where call.answer.isSuccess {
            var request = AuthorizationRequest(
                exchange: call.exchange,
                request: flow.capture[call.exchange].request,
                parameters: Parameters(),
                status: nil
            )
            request.merge(pushed: call)
            list.append(Login(request: request, response: nil, tokenRequests: []))
        }
        guard !list.isEmpty else { return }
        list[list.count - 1].tokenRequests = flow.tokenRequests.filter(\.isCodeExchange)
    }
}

/// The messages of a flow that are asked for most.
private struct MessagesByKind {
    var requests: [AuthorizationRequest] = []
    var responses: [AuthorizationResponse] = []
    var tokens: [TokenRequest] = []
    var registrations: [EndpointCall] = []

    init(_ messages: [OAuthMessage]) {
        for message in messages {
            switch message {
            case .authorizationRequest(let request): requests.append(request)
            case .authorizationResponse(let response): responses.append(response)
            case .token(let request): tokens.append(request)
            case .registration(let call), .clientConfiguration(let call): registrations.append(call)
            default: break
            }
        }
    }
}
