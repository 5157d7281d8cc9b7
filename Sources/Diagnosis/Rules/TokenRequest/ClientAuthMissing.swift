import Captures
import Flows
import JSON
import OAuth

/// A client called an endpoint that wants to know who it is, without any credentials, and was refused for it.
///
/// Silent where the credentials may have been taken out of the capture (what the provider misses stands with its refusal then, by
/// ``StatedClientRefusal``), where the client may have shown a
/// certificate or showed an attestation, and where the answer names another reason.
struct ClientAuthMissing: Rule {
    static let info = RuleInfo(
        id: "client-auth-missing",
        title: "The client did not authenticate at the token endpoint",
        severity: .error,
        explanation: """
            The request has no Authorization header, no client_secret and no client_assertion. This client is registered as a confidential one, \
            so the provider refused it.
            """,
        fix: """
            Send the client's credentials by the method it is registered for; check that the secret's setting is not empty where the app runs. \
            For an app that cannot keep a secret, register a public client (authentication method none) and use PKCE.
            """,
        badExample: """
            POST /token  grant_type=authorization_code&code=…&client_id=shop  → 401 invalid_client
            """,
        goodExample: """
            POST /token  Authorization: Basic c2hvcDp…  grant_type=authorization_code&code=…  → 200
            """,
        specifications: [.rfc(6749, "3.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let provider = flow.providerFacts
        return Verdict.firstViolation(among: ClientCall.all(in: flow)) { call in
            guard isBare(call, flow), isRefusedForIt(call), !mayShowCertificate(call, provider, flow),
                !AssertionOnly.applies(to: call, provider, flow),
                !ClientTypeRefusal.isSaid(in: call.answer.errorText)
            else { return .holds }
            guard !flow.surroundings.mayLackCredentials(at: call.exchange) else {
                return .abstains("credentials were taken out of the capture")
            }
            if let lost = LostCredentials(at: call.exchange, in: flow) {
                return .violated(violation(by: lost, call, flow))
            }
            if call.kind == .token {
                if isKnownAsPublic(call, flow) { return .holds }
                if call.authentication.clientID == nil, let earlier = request(acceptedBefore: call, in: flow)
                {
                    return .violated(violation(byUnnamed: call, after: earlier, flow))
                }
            }
            return .violated(violation(call, flow))
        }
    }

    // MARK: - Findings

    private func violation(_ call: ClientCall, _ flow: Flow) -> Violation {
        let client = flow.registeredClient(call.authentication.clientID?.value, before: call.exchange)
        let method = client?.answered("token_endpoint_auth_method").map {
            Evidence($0, note: "the registered method")
        }
        var secret = call.parameters.missing("client_secret", of: call.exchange)
        if call.parameters["client_secret"] == "" { secret.value = "empty" }
        return Violation(
            [
                secret,
                call.answer.evidence(note: "neither an Authorization header nor a client_assertion was sent"),
            ] + [method].compactMap(\.self),
            severity: call.isRepaired ? .note : .error,
            saying: words(for: call, in: flow),
            exchange: call.exchange
        )
    }

    /// What is said of a call without credentials, by who makes it and what it asks for.
    func words(for call: ClientCall, in flow: Flow) -> Violation.Words {
        // Whoever asks about a token is mostly the API that was shown it.
        let isQuestion = call.kind == .introspection
        let isEmpty = call.parameters["client_secret"] == ""
        let isOfApp = !isEmpty && isOfAppOnDevice(call, flow)
        let isOfPage = !isEmpty && isOfPage(call, flow)
        return Violation.Words(
            title: isOfApp || isOfPage
                ? "The provider takes the \(isOfApp ? "app" : "page") for a client with a secret"
                : call.kind == .token
                    ? nil : "The client did not authenticate at the \(call.kind.rawValue) endpoint",
            explanation: isQuestion
                ? Self.question : isOfApp ? Self.ofApp : isOfPage ? Self.ofPage : nil,
            fix: isQuestion
                ? Self.questionFix
                : flow.provider == .google
                    ? (isSentByPage(call, flow) ? Self.ofGooglesPage : Self.ofGoogle)
                    : isOfApp ? Self.ofAppFix : isOfPage ? Self.ofPageFix : isEmpty ? Self.emptyFix : nil
        )
    }

    private func violation(by lost: LostCredentials, _ call: ClientCall, _ flow: Flow) -> Violation {
        Violation(
            lost.evidence(in: flow) + [call.answer.evidence()],
            severity: call.isRepaired ? .note : .error,
            explanation: LostCredentials.explanation,
            fix: LostCredentials.fix,
            title: "The client's credentials were lost at a redirect to another origin",
            exchange: call.exchange
        )
    }

    /// `earlier`: the request by which the client was known before.
    private func violation(byUnnamed call: ClientCall, after earlier: TokenRequest, _ flow: Flow)
        -> Violation
    {
        let isPublic = PublicClients.isOne(earlier, flow.surroundings)
        return Violation(
            [
                call.parameters.missing("client_id", of: call.exchange),
                earlier.authentication.clientID.map { Evidence($0) }, call.answer.evidence(),
            ].compactMap(\.self),
            severity: call.isRepaired ? .note : .error,
            explanation: isPublic ? Self.unnamed : Self.bare,
            fix: isPublic ? Self.unnamedFix : Self.bareFix,
            title: "The token request does not say which client it is from",
            exchange: call.exchange
        )
    }

    // MARK: - Public clients

    private func isKnownAsPublic(_ call: ClientCall, _ flow: Flow) -> Bool {
        let clients = flow.surroundings.derived.value { PublicClients(in: flow.surroundings) }
        return clients.wasAccepted(before: call, in: flow.surroundings)
    }

    /// The clients whose token requests were accepted without credentials, anywhere in the capture.
    private struct PublicClients: Sendable {
        private struct Sender: Hashable {
            var endpoint: ByteText
            var client: ByteText
        }

        private var first: [Sender: Int] = [:]

        init(in surroundings: CaptureIndex) {
            for request in surroundings.tokenRequests where Self.isOne(request, surroundings) {
                guard let sender = Self.sender(request.endpoint, request.authentication.clientID),
                    first[sender] == nil
                else { continue }
                first[sender] = request.exchange
            }
        }

        /// Whether such a request of the same client was accepted before.
        func wasAccepted(before call: ClientCall, in surroundings: CaptureIndex) -> Bool {
            guard let sender = Self.sender(call.endpoint, call.authentication.clientID),
                let exchange = first[sender]
            else { return false }
            return surroundings.position[exchange] < surroundings.position[call.exchange]
        }

        /// Whether a request without credentials was answered with tokens.
        static func isOne(_ request: TokenRequest, _ surroundings: CaptureIndex) -> Bool {
            request.answer.isSuccess && request.authentication.methods == [.none]
                && !ClientAuthMissing.hasHeader(surroundings.capture[request.exchange].request)
                && !surroundings.mayLackCredentials(at: request.exchange)
        }

        private static func sender(_ endpoint: RecordedURL, _ client: Parameter?) -> Sender? {
            client.map { Sender(endpoint: ByteText(endpoint.text), client: ByteText($0.value)) }
        }
    }

    /// A request of the flow that said which client it is from and was accepted before this one, which has nothing of it.
    private func request(acceptedBefore call: ClientCall, in flow: Flow) -> TokenRequest? {
        let position = flow.surroundings.position
        return flow.tokenRequests.first { request in
            request.endpoint.text.equalsBytes(of: call.endpoint.text)
                && request.answer.isSuccess && request.authentication.clientID != nil
                && position[request.exchange] < position[call.exchange]
        }
    }

    // MARK: - Words

    private static let unnamed = """
        A client without credentials says who it is by client_id in every token request (RFC 6749, section 3.2.1). The request before had it and was \
        accepted; this one has it not, so the provider cannot tell whose token it is and takes the client for one that forgot to authenticate.
        """
    private static let unnamedFix = """
        Send client_id with refreshes, too. In AppAuth it comes from the configuration of the stored state: make the request with tokenRefreshRequest \
        instead of by hand.
        """

    private static let bare = """
        A client says who it is in every token request (RFC 6749, section 3.2.1). It did so by id and credentials in the request before, which was accepted; this one has neither, \
        so the provider cannot tell whose token it is.
        """
    private static let bareFix = """
        Send with refreshes what is sent with the code, in the same way: client_id and client_secret in the body, both as Basic credentials, or a new client_assertion. Libraries of apps take them per call: \
        give the same configuration to the refresh as to the login (AppAuth: the same ClientAuthentication for every token request).
        """

    /// PingFederate takes an empty secret for a wrong one.
    private static let emptyFix = """
        The setting with the client's secret is empty where the app runs: set it. A client that has none, registered with the method none and with PKCE, has to leave \
        client_secret out of the request: some providers take an empty one for an attempt to prove itself, and refuse that.
        """

    private static let question = """
        A server asked the provider about a token without saying who it is: no Authorization header, no client_secret, no client_assertion. Providers \
        answer such questions to clients that they know alone (RFC 7662, section 2.1).
        """
    private static let questionFix = """
        Register the API at the provider as a client of its own that may ask about tokens, and set its client_id and secret where the API runs.
        """

    private static let ofApp = """
        An app on a device asked for its tokens without a secret, as it should: what is in an app, everybody can read. The provider has this client \
        for a confidential one, which has to prove who it is, and so it refused it.
        """
    private static let ofAppFix = """
        Register the app as a public client (authentication method none), with PKCE, and put no secret into it. Entra: the redirect URI under "mobile and \
        desktop applications", and public client flows allowed. Keycloak: client authentication off. WSO2: public client. Okta and Auth0: type native. \
        Cognito: a new app client without a secret. A client that has to have a secret is one of a server, which then exchanges the code for the app.
        """

    private static let ofPage = """
        A page in a browser asked for its tokens without a secret, as it should: what is in a page, everybody can read. The provider has this client \
        for a confidential one, which has to prove who it is, and so it refused it.
        """
    private static let ofPageFix = """
        Register the page as a public client (authentication method none), with PKCE, and put no secret into it. Keycloak: client authentication off. Entra: the redirect URI under \
        "single-page application". Okta and Auth0: type single-page application. Cognito: a new app client without a secret. authentik and others: client type public. \
        A client that has to have a secret is one of a server, which then exchanges the code for the page.
        """

    /// Google asks its desktop clients for a secret that is none (Google's guide for installed apps).
    private static let ofGoogle = """
        Send the client_secret that Google shows for this client. Clients of the types web application and desktop app have one, and an installed app ships it: \
        Google does not take it for a secret there. An app on a device is better registered as Android or iOS, which have none; PKCE takes its place.
        """

    private static let ofGooglesPage = """
        Google exchanges a code of a web client with its client_secret alone, PKCE or not, and a page cannot keep one. Have the app's server exchange the code (Google Identity Services: initCodeClient); \
        or, where the page needs an access token for Google's APIs for a while, or just to know who its user is, use initTokenClient, or Sign In With Google, which need no exchange.
        """

    // MARK: - Conditions

    /// Whether an app on a device asked for itself, which waits for its answer at a scheme of its own: a server that exchanges the app's
    /// code was handed it.
    private func isOfAppOnDevice(_ call: ClientCall, _ flow: Flow) -> Bool {
        guard call.kind == .token, flow.provider != .google,
            flow.capture[call.exchange].request.isByNativeApp,
            flow.authorizationRequests.contains(where: { request in
                request.redirectURI.map { !RecordedURL($0).isWeb } ?? false
            })
        else { return false }
        return flow.logins.allSatisfy { AppHandover.relays(of: $0, in: flow).isEmpty }
    }

    /// Whether a page asked for itself, at a provider that has public clients for pages.
    private func isOfPage(_ call: ClientCall, _ flow: Flow) -> Bool {
        call.kind == .token && flow.provider != .google && isSentByPage(call, flow)
    }

    private func isSentByPage(_ call: ClientCall, _ flow: Flow) -> Bool {
        PublicAgent(of: flow.capture[call.exchange].request, at: call.exchange)?.kind == .page
    }

    private func isBare(_ call: ClientCall, _ flow: Flow) -> Bool {
        call.authentication.methods == [.none] && !call.parameters.isEmpty
            && !Self.hasHeader(flow.capture[call.exchange].request)
    }

    /// Whether a client says in a header who it is: by its credentials, or by an attestation of the app
    /// (draft-ietf-oauth-attestation-based-client-auth, section 6).
    private static func hasHeader(_ request: RecordedRequest) -> Bool {
        ["authorization", "oauth-client-attestation", "oauth-client-attestation-pop"]
            .contains(where: request.headers.contains)
    }

    private func isRefusedForIt(_ call: ClientCall) -> Bool {
        guard call.answer.isRefusal else { return false }
        let text = call.answer.errorText
        // B2C's name for it is invalid_grant.
        if text.containsBytes("aadb2c90079") { return true }
        guard call.mayBlameClient else { return false }
        if Self.demands.contains(where: text.containsBytes) { return true }
        // LinkedIn: A required parameter "client_secret" is missing.
        if text.containsBytes("\"client_secret\" is missing") { return true }
        let error = call.answer.error?.error
        // Salesforce's name for a client_id that it does not find.
        let isUnnamed = error == "invalid_client_id" && call.authentication.clientID == nil
        guard call.isClientRefused || isUnnamed || error == "unauthorized_client" else { return false }
        // Whom nobody named nobody knows.
        let isUnknown = call.isSaidToBeUnknown || Self.wordsOfUnknown.contains(where: text.containsBytes)
        return (call.namesNobody || !isUnknown) && !Self.otherReasons.contains(where: text.containsBytes)
    }

    /// Registered with a certificate, or at a provider or a host that takes nothing else.
    private func mayShowCertificate(_ call: ClientCall, _ provider: ProviderFacts, _ flow: Flow) -> Bool {
        MutualTLS.isRegistered(call, in: flow) || MutualTLS.isOnlyMethod(at: call.endpoint, provider)
            || MutualTLS.isNamed(by: call.endpoint)
    }

    /// Words that ask for credentials.
    private static let demands = [
        "client_secret is missing", "client secret is missing", "missing client_secret",
        "missing client secret", "'client_assertion' or 'client_secret'", "aadsts7000218",
        "client_secret is required", "client secret is required", "client_secret required",
        "missing parameter: client_secret", "missing required parameter: client_secret",
        "client authentication required", "client authentication is required",
        "client credentials are required", "no client authentication", "missing client authentication",
        "missing client credentials",
    ]

    /// Whether the provider itself says of a call that has none in its body that it got no secret: so it was not in a header that was
    /// taken out of the capture.
    static func isSaid(of call: ClientCall) -> Bool {
        guard call.authentication.methods == [.none], !call.parameters.isEmpty, call.mayBlameClient else {
            return false
        }
        let text = call.answer.errorText
        return demands.contains { $0.containsBytes("client_secret") && text.containsBytes($0) }
            || text.containsBytes("aadsts7000218")
    }

    /// Words of a client that is not there.
    private static let wordsOfUnknown = [
        "not found", "could not be found", "does not exist", "unknown client", "no such client",
        "invalid client_id", "invalid client id",
    ]
    /// Words that name something else than credentials.
    private static let otherReasons = [
        "disabled", "inactive", "deactivated", "deleted", "redirect", "grant",
        "verifier", "pkce", "proof key", "scope", "dpop", "origin", "certificate", "response type",
        "response_type",
    ]
}
