import Captures
import Flows
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
        Verdict.firstViolation(among: ClientCall.all(in: flow)) { call in
            switch MissingCredentials(of: call, in: flow) {
            case nil: .holds
            case .unseen: .abstains("credentials were taken out of the capture")
            case .lost(let lost): .violated(violation(by: lost, call, flow))
            case .unnamed(let earlier): .violated(violation(byUnnamed: call, after: earlier, flow))
            case .absent: .violated(violation(call, flow))
            }
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
        let isPublic = MissingCredentials.areNotAsked(of: earlier, flow.surroundings)
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
}
