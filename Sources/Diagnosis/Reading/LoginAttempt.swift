import Captures
import Flows
import OAuth

/// One try to log in: what the app asked for, with all the ways in which it can be asked merged, and what the
/// provider said to it.
struct LoginAttempt {
    /// Nil for a pushed request that was refused, so that none followed.
    var request: AuthorizationRequest?
    /// The exchange of the request; of the pushed one where there is no other.
    var exchange: Int
    /// Merged: query or form, pushed request, request object.
    var parameters: Parameters
    /// Of the request itself, before merging.
    var ownParameters: Parameters
    var pushed: EndpointCall?
    var response: AuthorizationResponse?
    var tokenRequests: [TokenRequest] = []
    var refusal: RequestRefusal?
    /// The provider's pages that the request led to by redirects, itself first.
    var pages: [Int] = []

    /// The parameter, where it has a value: an empty one counts as omitted (RFC 6749, section 3.1).
    func parameter(_ name: String) -> Parameter? {
        parameters.items.first { $0.name == name && !$0.value.isEmpty }
    }

    subscript(name: String) -> String? { parameter(name)?.value }

    /// All values of a parameter that may be repeated.
    func all(_ name: String) -> [Parameter] {
        parameters.items.filter { $0.name == name && !$0.value.isEmpty }
    }

    var responseTypes: [Substring] { (self["response_type"] ?? "").split(separator: " ") }

    var asksForCode: Bool { responseTypes.contains("code") }

    /// Why some of the parameters may be hidden: an encrypted request object, or one that is kept elsewhere.
    var hiddenParameters: String? {
        if let object = RequestObject(in: parameters), !object.isReadable {
            return "the request object cannot be read"
        }
        if pushed == nil, self["request_uri"] != nil {
            return "the request stands elsewhere, and was not recorded there"
        }
        if let pushed, pushed.parameters.isEmpty { return "the pushed request was saved without its body" }
        return nil
    }

    /// Whether the provider refused what was asked for: not the user, nor for want of a session.
    var isRefused: Bool { refusal?.isOfTheRequest ?? false }

    /// Severity of a fault of the request that a provider may let pass: an error where it did not.
    var severity: Severity { isRefused ? .error : .warning }

    /// The names of what was sent, as evidence.
    func names(note: String? = nil) -> Evidence {
        let own = parameters.items.first { $0.place.exchange == exchange }?.place.part
        // Of a request object the names stand in the token, which was sent in a form or in a query.
        let part =
            own.flatMap { $0 == .jwtClaims ? nil : $0 } ?? (request == nil ? .requestBody : .requestQuery)
        return Evidence(
            place: Place(exchange: exchange, part: part, name: ""),
            value: Masking.shown(parameters.shownNames, of: "names"),
            note: note
        )
    }

    /// A parameter that is missing, as evidence.
    func missing(_ name: String, note: String? = nil) -> Evidence {
        var evidence = names(note: note)
        evidence.place.name = name
        evidence.value = "missing"
        return evidence
    }
}

extension Flow {
    /// The logins of this flow as the app began them, and pushed requests that came to nothing.
    ///
    /// What the provider's own pages carry on from one to the next belongs to the first.
    var loginAttempts: [LoginAttempt] { derived.value { readLoginAttempts() } }

    private func readLoginAttempts() -> [LoginAttempt] {
        let chain = RedirectsOnward(self)
        var attempts: [LoginAttempt] = []
        var pushedCalls: [Int: EndpointCall] = [:]
        for case .pushedRequest(let call) in messages { pushedCalls[call.exchange] = call }
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
                    pushed: request.pushed.flatMap { pushedCalls[$0] },
                    response: login.response,
                    tokenRequests: login.tokenRequests,
                    pages: pages
                )
            )
        }
        let repeated = RepeatedRequests(authorizationRequests, chain)
        for index in attempts.indices {
            attempts[index].refusal = refusal(of: attempts[index])
            guard attempts[index].refusal == nil, attempts[index].response == nil else { continue }
            // What was said to the same request when the provider's own sign-in had sent the browser back to it: many look at
            // a request only when they know who asks.
            attempts[index].refusal =
                attempts[index].request.flatMap { repeated.last(of: $0) }.flatMap { refusal(of: $0, chain) }
                ?? attempts[index].request.flatMap { SignInEnd.refusal(byEndpointOf: $0, in: self) }
        }
        let used = Set(attempts.compactMap(\.request?.pushed))
        let refused = pushedCalls.values.filter { $0.answer.isRefusal && !used.contains($0.exchange) }.sorted
        { $0.exchange < $1.exchange }
        return attempts
            + refused.map { call in
                LoginAttempt(
                    exchange: call.exchange,
                    parameters: call.parameters.openingRequestObject,
                    ownParameters: call.parameters,
                    pushed: call,
                    refusal: RequestRefusal(pushed: call)
                )
            }
    }

    /// Query and form of an exchange, nothing merged.
    func sentParameters(of exchange: Int) -> Parameters {
        let request = capture[exchange].request
        let form = FormBody.items(of: request.body)
        return Parameters(
            Parameters(request.url.queryItems, of: exchange, in: .requestQuery).items
                + (form.map { Parameters($0, of: exchange, in: .requestBody).items } ?? [])
        )
    }

    /// The metadata of the provider that a request went to: the document that names its endpoint.
    func metadata(of attempt: LoginAttempt) -> MetadataDocument? {
        let name = attempt.request == nil ? "pushed_authorization_request_endpoint" : "authorization_endpoint"
        return surroundings.namedEndpoints.metadata(
            naming: attempt.request?.endpoint ?? capture[attempt.exchange].request.url,
            as: name
        )
        .last
    }

    /// How an authorization request was refused; nil where it went on or was not answered.
    func refusal(of request: AuthorizationRequest, _ chain: RedirectsOnward) -> RequestRefusal? {
        request.isUnseen
            ? nil : refusal(on: chain.pages(from: request.exchange), redirectURI: request.redirectURI)
    }

    private func refusal(of attempt: LoginAttempt) -> RequestRefusal? {
        if let delivered = RequestRefusal(delivered: attempt.response) { return delivered }
        return refusal(on: attempt.pages, redirectURI: attempt["redirect_uri"])
    }

    /// What the first of these pages that refuses says; a redirect to an error page says less than the page.
    func refusal(on pages: [Int], redirectURI: String?) -> RequestRefusal? {
        let target = redirectURI.map { RecordedURL($0).normalizedWithoutQuery }
        var first: RequestRefusal?
        for page in pages {
            // The app's answer is none of the provider's.
            if capture[page].request.url.normalizedWithoutQuery == target { break }
            guard let refusal = refusal(on: page, redirectURI: redirectURI) else { continue }
            guard capture[page].response?.location != nil else { return refusal }
            first = first ?? refusal
        }
        return first
    }

    private func refusal(on page: Int, redirectURI: String?) -> RequestRefusal? {
        let exchange = capture[page]
        guard let response = exchange.response else { return nil }
        if let location = response.location {
            let target = exchange.request.url.resolving(location)
            let callback = redirectURI.map { RecordedURL($0) }
            let isAway = target.origin != exchange.request.url.origin
            let isApps = callback.map { $0.host == target.host && $0.scheme == target.scheme } ?? isAway
            return RequestRefusal(in: target, of: page, .responseLocation, isApps ? .delivered : .page)
        }
        // A challenge that a browser takes up by itself (Kerberos), unless the endpoint says what is wrong.
        let isNegotiation =
            response.status == 401 && response.headers.contains("www-authenticate")
            && Answer(of: exchange, at: page).error == nil
        if surroundings.messages[page] == nil,
            var stated = RequestRefusal(in: exchange.request.url, of: page, .requestQuery, .page)
        {
            // The name in the URL may be a code of the provider's own; the page has the words.
            let words = response.status >= 400 ? PageText.words(of: response.body) : ""
            if !words.isEmpty { stated.text += ": " + words }
            return stated
        }
        guard response.status >= 400 && !isNegotiation || response.status == 200,
            !surroundings.quietPages.contains(page)
        else { return nil }
        // What was read as a page of HTML is no JSON.
        let answer = surroundings.page(page) == nil ? Answer(of: exchange, at: page) : nil
        guard let (error, text) = said(by: answer, on: page) else {
            surroundings.quietPages.insert(page)
            return nil
        }
        return RequestRefusal(
            channel: .page,
            exchange: page,
            status: response.status,
            error: error,
            text: text,
            alert: answer?.error == nil ? PageText.alert(of: response.body) : nil,
            place: answer?.error?.place ?? Place(exchange: page, part: .responseBody, name: ""),
            isTextRecorded: response.body?.isRecorded ?? false
        )
    }

    /// The error and the words of an answer of the provider's to the browser; nil where it is no refusal.
    private func said(by answer: Answer?, on page: Int) -> (error: String?, text: String)? {
        if let stated = answer?.error { return (stated.error.lowercased(), stated.text) }
        guard let response = capture[page].response else { return nil }
        // Error pages of some providers come with 200.
        let mayHaveCode = surroundings.page(page)?.mentions(.entra) ?? true
        if response.status == 200, !(mayHaveCode && PageText.hasEntraCode(response.body)) {
            return ErrorPage.refusal(on: page, in: surroundings)
        }
        if response.status >= 400, let stated = PageText.statedError(of: response.body) {
            return (stated.first(where: RequestRefusal.codes.contains), stated.joined(separator: ": "))
        }
        return (nil, PageText.words(of: response.body))
    }
}

/// Where redirects lead among the exchanges of a flow.
struct RedirectsOnward {
    private let flow: Flow
    private var targets: [Int: Int] = [:]
    private let callbacks: Set<Int>

    init(_ flow: Flow) {
        self.flow = flow
        callbacks = Set(flow.authorizationResponses.compactMap(\.callback))
        for exchange in flow.exchanges {
            if let source = flow.surroundings.redirectedFrom[exchange], targets[source] == nil {
                targets[source] = exchange
            }
        }
    }

    /// The exchanges that one leads to without anybody's doing, itself first, as long as they are no callback.
    func pages(from exchange: Int) -> [Int] {
        var pages = [exchange]
        while let last = pages.last, let next = targets[last], !pages.contains(next), pages.count < 20,
            !callbacks.contains(next)
        {
            pages.append(next)
        }
        return pages
    }

    /// The exchange of the provider's own that led to this one; nil where it came from elsewhere.
    func continues(_ exchange: Int) -> Int? {
        guard let source = flow.surroundings.redirectedFrom[exchange],
            flow.capture[source].request.url.origin == flow.capture[exchange].request.url.origin
        else { return nil }
        return source
    }
}

/// Authorization requests that pages of the provider sent the browser back to, by what they repeat.
private struct RepeatedRequests {
    private var latest: [[String?]: AuthorizationRequest] = [:]

    init(_ requests: [AuthorizationRequest], _ chain: RedirectsOnward) {
        for request in requests where chain.continues(request.exchange) != nil {
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

// MARK: - PKCE

extension LoginAttempt {
    /// The verifiers sent with this login's codes.
    var verifiers: [Parameter] {
        tokenRequests.compactMap { request in
            request.parameters.parameter("code_verifier").flatMap { $0.value.isEmpty ? nil : $0 }
        }
    }

    /// Nil where it is left out, or empty.
    var namedChallengeMethod: String? { self["code_challenge_method"] }

    /// The method as evidence, also where it is missing.
    func challengeMethodEvidence(note: String? = nil) -> Evidence {
        parameter("code_challenge_method").map { Evidence($0, note: note) }
            ?? missing("code_challenge_method", note: note ?? "the provider has to read it as plain")
    }

    /// Severity of a fault of the challenge: an error where request or code was refused, or where an app whose
    /// back end is not recorded failed with the code.
    func challengeSeverity(in flow: Flow) -> Severity {
        if isRefused { return .error }
        if tokenRequests.contains(where: \.answer.isSuccess) { return .warning }
        if tokenRequests.contains(where: \.isGrantRefused) { return .error }
        return tokenRequests.isEmpty && response?.code != nil && flow.ending == .failure ? .error : .warning
    }

    /// The answer that refused request or code, as evidence.
    var challengeRefusal: [Evidence] {
        if isRefused, let refusal { return [refusal.evidence()] }
        return tokenRequests.first(where: \.isGrantRefused).map { [$0.answer.evidence()] } ?? []
    }
}
