import Captures
import Flows
import OAuth

extension Flow {
    /// The logins of this flow as the app began them, and pushed requests that came to nothing.
    ///
    /// What the provider's own pages carry on from one to the next belongs to the first.
    var loginAttempts: [LoginAttempt] { derived.value { readLoginAttempts() } }

    private func readLoginAttempts() -> [LoginAttempt] {
        let chain = RedirectsOnward(self)
        var pushed: [Int: EndpointCall] = [:]
        for case .pushedRequest(let call) in messages { pushed[call.exchange] = call }
        var attempts = requestedLogins(chain, pushed)
        let repeated = RepeatedRequests(authorizationRequests, chain)
        for index in attempts.indices {
            attempts[index].refusal =
                refusal(of: attempts[index]) ?? laterRefusal(of: attempts[index], repeated, chain)
        }
        let used = Set(attempts.compactMap(\.request?.pushed))
        let refused = pushed.values.filter { $0.answer.isRefusal && !used.contains($0.exchange) }
        return attempts + refused.sorted { $0.exchange < $1.exchange }.map(LoginAttempt.init(refused:))
    }

    /// One for each request that is none of the provider's own, carried on from one of its pages to the next.
    private func requestedLogins(_ chain: RedirectsOnward, _ pushed: [Int: EndpointCall]) -> [LoginAttempt] {
        var attempts: [LoginAttempt] = []
        var owners: [Int: Int] = [:]
        for login in logins {
            let request = login.request
            if let owner = chain.continues(request.exchange).flatMap({ owners[$0] }) {
                attempts[owner].response = attempts[owner].response ?? login.response
                attempts[owner].tokenRequests += login.tokenRequests
                owners[request.exchange] = owner
                continue
            }
            owners[request.exchange] = attempts.count
            // The redirect that alone tells of a request is no page of the provider's.
            let pages = request.isUnseen ? [] : chain.pages(from: request.exchange)
            for page in pages where owners[page] == nil { owners[page] = attempts.count }
            attempts.append(
                LoginAttempt(
                    request: request,
                    exchange: request.exchange,
                    parameters: request.parameters,
                    ownParameters: request.isUnseen
                        ? request.parameters : sentParameters(of: request.exchange),
                    pushed: request.pushed.flatMap { pushed[$0] },
                    response: login.response,
                    tokenRequests: login.tokenRequests,
                    pages: pages
                )
            )
        }
        return attempts
    }

    /// What was said to the same request when the provider's own sign-in had sent the browser back to it: many look at a request
    /// only when they know who asks.
    private func laterRefusal(
        of attempt: LoginAttempt,
        _ repeated: RepeatedRequests,
        _ chain: RedirectsOnward
    )
        -> RequestRefusal?
    {
        guard attempt.response == nil, let request = attempt.request else { return nil }
        return repeated.last(of: request).flatMap { refusal(of: $0, chain) }
            ?? SignInEnd.refusal(byEndpointOf: request, in: self)
    }

    /// Query and form of an exchange, nothing merged.
    func sentParameters(of exchange: Int) -> Parameters {
        let request = capture[exchange].request
        let form = FormBody.items(of: request.body)
        let sent = Parameters(
            Parameters(request.url.queryItems, of: exchange, in: .requestQuery).items
                + (form.map { Parameters($0, of: exchange, in: .requestBody).items } ?? [])
        )
        return OtherNames.standard(sent, at: request.url)
    }

    /// The metadata of the provider that a request went to: the document that names its endpoint, as it was then.
    func metadata(of attempt: LoginAttempt) -> MetadataDocument? {
        let name = attempt.request == nil ? "pushed_authorization_request_endpoint" : "authorization_endpoint"
        let named = surroundings.namedEndpoints.metadata(
            naming: attempt.request?.endpoint ?? capture[attempt.exchange].request.url,
            as: name
        )
        return inForce(named, at: attempt.request?.exchange ?? attempt.exchange)
    }
}

extension LoginAttempt {
    /// A pushed request that was refused, so that no other followed.
    fileprivate init(refused call: EndpointCall) {
        self.init(
            exchange: call.exchange,
            parameters: call.parameters.openingRequestObject,
            ownParameters: call.parameters,
            pushed: call,
            refusal: RequestRefusal(pushed: call)
        )
    }
}

/// Authorization requests that pages of the provider sent the browser back to, by what they repeat.
private struct RepeatedRequests {
    private var latest: [[String?]: AuthorizationRequest] = [:]

    /// What the provider hands on to another host of its own (Entra, of a personal account) it may hand on by a script.
    init(_ requests: [AuthorizationRequest], _ chain: RedirectsOnward) {
        let first = requests.first?.endpoint.origin
        for request in requests
        where chain.continues(request.exchange) != nil || request.endpoint.origin != first {
            for key in Self.keys(of: request) { latest[key] = request }
        }
    }

    /// The last one that repeats a request, or carries it on.
    func last(of request: AuthorizationRequest) -> AuthorizationRequest? {
        Self.keys(of: request).lazy.compactMap { latest[$0] }.first {
            $0.exchange != request.exchange
                && ($0.carriesOn(request) || !Set($0.sameness).isDisjoint(with: request.sameness))
        }
    }

    private static func keys(of request: AuthorizationRequest) -> [[String?]] {
        request.sameness + (request.state.map { [["state", $0]] } ?? [])
    }
}
