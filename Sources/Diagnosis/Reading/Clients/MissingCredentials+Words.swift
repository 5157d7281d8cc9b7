import Captures
import Flows
import OAuth

/// What is said of a call without credentials.
extension MissingCredentials {
    /// What is said of a call without credentials, by who makes it and what it asks for.
    static func words(for call: ClientCall, in flow: Flow) -> Violation.Words {
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
                ? question : isOfApp ? ofApp : isOfPage ? ofPage : nil,
            fix: isQuestion
                ? questionFix
                : flow.provider == .google
                    ? (isSentByPage(call, flow) ? ofGooglesPage : ofGoogle)
                    : isOfApp ? ofAppFix : isOfPage ? ofPageFix : isEmpty ? emptyFix : nil
        )
    }

    static let fix = """
        Send the client's credentials by the method it is registered for; check that the secret's setting is not empty where the app runs. \
        For an app that cannot keep a secret, register a public client (authentication method none) and use PKCE.
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
    private static func isOfAppOnDevice(_ call: ClientCall, _ flow: Flow) -> Bool {
        guard call.kind == .token, flow.provider != .google,
            flow.capture[call.exchange].request.isByNativeApp,
            flow.authorizationRequests.contains(where: { request in
                request.redirectURI.map { !RecordedURL($0).isWeb } ?? false
            })
        else { return false }
        return flow.logins.allSatisfy { AppHandover.relays(of: $0, in: flow).isEmpty }
    }

    /// Whether a page asked for itself, at a provider that has public clients for pages.
    private static func isOfPage(_ call: ClientCall, _ flow: Flow) -> Bool {
        call.kind == .token && flow.provider != .google && isSentByPage(call, flow)
    }

    private static func isSentByPage(_ call: ClientCall, _ flow: Flow) -> Bool {
        PublicAgent(of: flow.capture[call.exchange].request, at: call.exchange)?.kind == .page
    }
}
