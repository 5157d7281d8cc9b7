import Captures
import OAuth

/// What an authorization request asks for, wherever it stands: in the query, pushed, or signed.
extension ProviderEngine {
    /// The request, and its client; a page for those who cannot be told otherwise (RFC 6749, section 4.1.2.1).
    ///
    /// What was pushed (RFC 9126, section 4) or signed (RFC 9101, section 6.3) counts alone.
    mutating func readRequest(_ items: QueryItems, _ request: RecordedRequest) throws(Refused) -> (
        PendingLogin, ProviderConfiguration.Client
    ) {
        // Whom to tell would be anybody's guess.
        if let refusal = repetition(of: ["client_id", "redirect_uri", "request", "request_uri"], in: request)
        {
            throw errorPage(refusal)
        }
        var parameters = RequestParameters(items)
        let requestURI = parameters.value("request_uri")
        if let requestURI { parameters = try pushed(requestURI, beside: parameters) }
        let named = parameters["client_id"]
        guard let client = clients.client(named) else {
            let words = named.map {
                "the client \($0) is not known: --client \(ShellWord.quoted($0)) adds it"
            }
            throw errorPage(.clientUnknown, words ?? "the request names no client")
        }
        let check = requestCheck(for: client)
        // What was pushed was looked at then.
        if requestURI == nil, check.lacksSignature(parameters) { throw errorPage(.requestUnsigned) }
        if let text = parameters.value("request") {
            let claims: RequestParameters
            do throws(RequestObjectFlaw) {
                claims = try requestObjects(of: client).parameters(of: text)
            } catch {
                throw errorPage(.requestObjectInvalid, error.words)
            }
            // A request of OpenID Connect says so outside, and is put together of both (Core, section 6.3.3).
            let isOpenID = items.first("scope")?.spaceDelimited.contains("openid") ?? false
            parameters = claims.merged(with: parameters, mayAdd: isOpenID)
        }
        if check.lacksRedirectURI(parameters) {
            throw errorPage(
                .parameterMissing,
                "redirect_uri is missing, which a request with the scope openid needs"
            )
        }
        guard var login = pendingLogin(parameters, client) else {
            throw redirectRefused(parameters["redirect_uri"] ?? "", client)
        }
        login.requestURI = requestURI
        if let requestURI { state.pushedRequests.use(requestURI) }
        return (login, client)
    }

    /// What was pushed under a name, with what counts of the parameters that came with the name.
    private func pushed(_ uri: String, beside parameters: RequestParameters) throws(Refused)
        -> RequestParameters
    {
        if RecordedURL(uri).isWeb, !state.pushedRequests.contains(uri) {
            throw referenceRefused(parameters, uri)
        }
        let named = parameters.items.first { $0.name == "client_id" && !$0.value.isEmpty }?.value
        // RFC 9126, section 4, and RFC 9101, section 5.
        guard named != nil || dialect.tolerances.takesRequestURIsAlone else {
            throw errorPage(.parameterMissing, "client_id is missing beside the request_uri")
        }
        let pushed = state.pushedRequests.parameters(
            uri,
            broughtBy: named,
            at: now,
            // A reload while the user is at the pages.
            isRepeatable: dialect.tolerances.reusesRequestURIs
                || state.transactions.isUnderWay(requestURI: uri)
        )
        guard let pushed else { throw errorPage(.requestURIUnknown) }
        return pushed.merged(with: parameters, mayAdd: dialect.tolerances.mergesOuterParameters)
    }

    /// `sent`: empty where the request names none.
    private func redirectRefused(_ sent: String, _ client: ProviderConfiguration.Client) -> Refused {
        let words =
            sent.isEmpty
            ? "the request names no redirect_uri, and \(client.id) has not just one"
            : "\(sent) is no redirect URI of \(client.id): --redirect-uri adds one, compared to the letter"
        return errorPage(.redirectURIUnregistered, words)
    }

    /// Nothing is fetched here: who gives the address of its request object is told so (OpenID Connect Core, section 3.1.2.6), where
    /// what stands beside it says who that is.
    private func referenceRefused(_ parameters: RequestParameters, _ uri: String) -> Refused {
        let words = "\(uri) is not fetched: a request object can be sent (request), or pushed"
        let named = parameters["client_id"]
        guard let client = clients.client(named), let login = pendingLogin(parameters, client) else {
            return errorPage(.requestURINotSupported, words)
        }
        var answer = deliver(.requestURINotSupported, to: login)
        answer.explanation = words
        return Refused(answer: answer)
    }

    /// What the parameters of a request ask for; nil where its redirect URI is none of the client's.
    func pendingLogin(
        _ parameters: RequestParameters,
        _ client: ProviderConfiguration.Client
    ) -> PendingLogin? {
        let sent = parameters.value("redirect_uri")
        guard let redirectURI = sent ?? (client.redirectURIs.count == 1 ? client.redirectURIs[0] : nil),
            client.accepts(redirectURI: redirectURI, allowsOtherPorts: dialect.allowsOtherPorts)
        else { return nil }
        var login = PendingLogin(
            clientID: client.id,
            endpoint: askedEndpoint,
            redirectURI: redirectURI,
            responseType: parameters.value("response_type") ?? "code",
            scope: parameters.value("scope") ?? "",
            state: parameters.value("state"),
            nonce: parameters.value("nonce"),
            challenge: parameters.value("code_challenge"),
            challengeMethod: parameters.value("code_challenge_method"),
            responseMode: parameters.value("response_mode"),
            prompt: (parameters.value("prompt") ?? "").spaceDelimited,
            maxAge: parameters.value("max_age").map { Int64($0) }
                ?? state.registrations[client.id]?.defaultMaxAge,
            claims: parameters.value("claims").flatMap { ClaimsRequest($0) },
            acrValues: parameters.value("acr_values"),
            boundKey: parameters.value("dpop_jkt"),
            parameters: parameters
        )
        login.resource = login.resources.first
        return login
    }

    /// `explanation`: for whoever runs the provider, where more is known than the page says.
    private func errorPage(_ refusal: Refusal, _ explanation: String? = nil) -> Refused {
        Refused(answer: dialect.refusals.page(refusing: refusal, explanation))
    }
}
