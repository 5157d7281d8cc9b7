import Captures
import Flows
import OAuth

/// The provider refused the login request with an error that no other rule has anything to say of.
///
/// A symptom: it repeats what the provider said.
struct AuthorizationError: Rule {
    static let info = RuleInfo(
        id: "authorization-error",
        title: "The provider refused the login request",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider answered the authorization request with an error, at the redirect URI or on a page of its own. What it says is all \
            that the capture knows of the reason.
            """,
        fix: """
            Go by the error's name and text; the provider's documentation explains its own codes, and its log often says more than it tells \
            the browser.
            """,
        badExample: """
            302 Location: https://app.example/callback?error=invalid_request&error_description=…&state=…
            """,
        goodExample: """
            302 Location: https://app.example/callback?code=…&state=…
            """,
        specifications: [.rfc(6749, "4.1.2.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let attempts = flow.loginAttempts + flow.attemptsWithoutRequest
        // An app that begins anew behind every error is answered the same again.
        lazy var told = explainedAnswers(to: attempts, flow)
        for attempt in attempts {
            if let lost = MistakenEndpoint.withoutItsQuery(attempt, flow) { return .violated(lost) }
            guard let refusal = refusal(of: attempt, flow), !isExplained(refusal, of: attempt, flow),
                refusal.channel != .delivered || !told.contains([refusal.error, refusal.text])
            else { continue }
            return .violated(
                MistakenEndpoint.ofVersionOne(refusal, attempt)
                    ?? MistakenEndpoint.lostQuery(refusal, attempt, flow)
                    ?? violation(refusal, of: attempt, flow)
            )
        }
        let other =
            stoppedInFront(flow) ?? HandedRefusal.violation(in: flow)
            ?? DeviceRefusal.violation(in: flow) { isExplained($0, flow) }
            ?? LogoutRefusal.violation(in: flow) { isExplainedLogout($0, flow) }
            ?? UnrequestedRefusal.violation(in: flow) ?? ForgeRockRefusal.violation(in: flow)
        return other.map { .violated($0) } ?? .holds
    }

    private func violation(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> Violation {
        let uri = attempt.response?.parameters.parameter("error_uri").map { Evidence($0) }
        let evidence = [refusal.evidence(), uri].compactMap(\.self)
        guard attempt.request != nil else {
            let known = ProviderWords.meaning(of: refusal.text, by: flow.provider)
            return Violation(
                evidence,
                explanation: known?.explanation ?? UnrequestedRefusal.explanation,
                fix: known?.fix ?? UnrequestedRefusal.fix,
                exchange: refusal.exchange
            )
        }
        if refusal.channel == .page, refusal.exchange == attempt.exchange,
            let unset = UnsetSetting(at: attempt.exchange, in: flow)
        {
            return Violation(
                [unset.evidence, refusal.evidence()],
                saying: UnsetSetting.words,
                exchange: attempt.exchange
            )
        }
        let told = told(of: refusal, of: attempt, flow)
        return Violation(
            evidence + (told?.evidence ?? []),
            saying: told?.words,
            exchange: refusal.exchange
        )
        .toldOfFront(in: flow)
    }

    /// What is known of a refusal that says little, or says it in words of its own.
    private func told(of refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> (
        words: Violation.Words, evidence: [Evidence]
    )? {
        if refusal.channel == .delivered, let brokered = BrokeredError(in: refusal.text) {
            return (brokered.words, [])
        }
        if let told = toldByRequest(refusal, of: attempt, flow) ?? toldByAPI(refusal, flow) { return told }
        if refusal.says(RefusedWindow.texts), let agent = RefusedWindow.agent(of: attempt, in: flow) {
            var words = RefusedWindow.seenThrough
            words.title = RefusedWindow.title
            return (words, [agent])
        }
        if let text = ForgeRockStep.refusal(in: flow.capture[refusal.exchange]) {
            let step = ForgeRockRefusal(named: text, isOfAPage: true)
            let sent = ForgeRockRefusal.failureURL(of: refusal.exchange, in: flow)
            let words = Violation.Words(
                title: "ForgeRock refused the sign-in",
                explanation: step.explanation,
                fix: step.fix
            )
            return (words, [sent].compactMap(\.self))
        }
        if refusal.channel == .page,
            let assertion = BrokeredAssertion.evidence(at: refusal.exchange, in: flow)
        {
            return (BrokeredAssertion.words, [assertion])
        }
        if refusal.channel == .page, let words = ExpiredSignIn.words(in: refusal.text) {
            let age = ExpiredSignIn.age(of: attempt.exchange, at: refusal.exchange, in: flow)
            return (words, age.map { [$0] } ?? [])
        }
        let page = flow.capture[refusal.exchange].request.url
        if refusal.channel == .page, let host = page.host, host.hasSuffix(".snowflakecomputing.com"),
            refusal.text.asciiLowercased().containsBytes("invalid consent request")
        {
            let scope = attempt.parameter("scope").map { Evidence($0) } ?? attempt.missing("scope")
            return (Self.consent, [scope])
        }
        guard refusal.channel == .page, page.queryItems.first("errorId") != nil else { return nil }
        return (Violation.Words(fix: Self.identityServer), [])
    }

    /// What is known of a refusal by what the request has, or has not.
    private func toldByRequest(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> (
        words: Violation.Words, evidence: [Evidence]
    )? {
        if refusal.channel == .delivered, refusal.error == "unauthorized_client",
            ["", "unauthorized_client"].contains(refusal.text)
        {
            let type = attempt.parameter("response_type").map { Evidence($0) }
            return (Self.otherGrant, [type].compactMap(\.self))
        }
        if refusal.channel == .delivered, refusal.error == "unauthorized_client",
            refusal.says(ClientIDRefusal.texts)
        {
            let client = attempt.parameter("client_id").map { Evidence($0) }
            let words = ClientIDUnknown.special(attempt, refusal) ?? TokenInvalidClient.unknown
            return (words, [client].compactMap(\.self))
        }
        if let target = UnknownTarget(of: attempt, refusal) {
            return (target.words, [target.sent])
        }
        if let method = UnheardOfMethod.evidence(of: attempt, refused: refusal) {
            return (UnheardOfMethod.words, [method])
        }
        if let wish = UnmetAuthentication.evidence(of: attempt, refused: refusal) {
            return (UnmetAuthentication.words, [wish])
        }
        if refusal.channel == .delivered, MissingOpenID.isSaid(by: refusal, to: attempt) {
            let scope = attempt.parameter("scope").map { Evidence($0) } ?? attempt.missing("scope")
            return (MissingOpenID.ofRequest, [scope])
        }
        if let scope = ScopeRejected.evidence(of: attempt, refused: refusal, in: flow) {
            return (ScopeRejected.ofRequest, [scope])
        }
        if refusal.error == "invalid_state" {
            let state = attempt.parameter("state").map {
                Evidence($0, note: "\($0.value.unicodeScalars.count) characters")
            }
            return (Self.weakState, [state ?? attempt.missing("state")])
        }
        return nil
    }

    /// Of a sign-in by the provider's API, whose answer to the authorization request itself may say what is wrong.
    private func toldByAPI(_ refusal: RequestRefusal, _ flow: Flow) -> (
        words: Violation.Words, evidence: [Evidence]
    )? {
        guard let native = NativeSignIn.refusal(at: refusal.exchange, in: flow) else { return nil }
        let isSame = native.place == refusal.place
        guard isSame || refusal.channel == .page && refusal.place.part == .responseBody else { return nil }
        let known = ProviderWords.meaning(of: native.text, by: flow.provider)
        let words = Violation.Words(
            title: NativeSignIn.title,
            explanation: known?.explanation ?? NativeSignIn.explanation,
            fix: known?.fix ?? NativeSignIn.fix
        )
        return (words, isSame ? [] : [native.evidence()])
    }

    /// RFC 6749, section 4.1.2.1.
    private static let otherGrant = Violation.Words(
        explanation: """
            unauthorized_client in an answer to the browser says that the provider knows the client and does not let it sign users in this way: mostly it is \
            registered for another grant.
            """,
        fix: """
            Enable the authorization code grant for this client in its registration (Django OAuth Toolkit: the application's authorization grant type), and see that the \
            client is not disabled. What is there for client credentials alone is another client.
            """
    )

    /// Hydra and others that are built on Fosite.
    private static let weakState = Violation.Words(
        explanation: """
            This provider takes no request without a state of some length, so that nobody can guess it, and answers others with an error before it asks the \
            user for anything.
            """,
        fix: """
            Have the client send a random state of at least eight characters: in many libraries it is an option that is off (Passport: state: true). Compare \
            it at the callback.
            """
    )
    private static let identityServer = """
        IdentityServer tells the reason in its own log alone, at the time of this page. unauthorized_client and invalid_request stand there for a client that \
        is not known or not enabled, a redirect URI that is not among its RedirectUris to the letter, a response type that its AllowedGrantTypes do not have, \
        and a missing code_challenge.
        """

    private static let consent = Violation.Words(
        title: "Snowflake does not let the user consent",
        explanation: """
            Snowflake has this page for a request that the user may not consent to: mostly for the role that the scope names (session:role:NAME), else for \
            the user's default role.
            """,
        fix: """
            Grant the user the role, and write its name in the scope as Snowflake has it, upper and lower case included. See that the security integration does \
            not block it: BLOCKED_ROLES_LIST has ACCOUNTADMIN, ORGADMIN and SECURITYADMIN unless told otherwise.
            """
    )

    /// Some firewalls answer with a page and success: the last one that the login came to.
    private func stoppedInFront(_ flow: Flow) -> Violation? {
        guard flow.ending != .success else { return nil }
        return flow.loginAttempts.lazy.compactMap { attempt -> Violation? in
            guard attempt.response == nil, let request = attempt.request,
                let page = ProviderPages.of(request, in: flow).last,
                let response = flow.capture[page].response, response.isSuccessful,
                FrontRefusal(of: page, in: flow) != nil
            else { return nil }
            let words = PageText.start(of: response.body)
            return Violation(
                [
                    flow.statusEvidence(of: page),
                    words.isEmpty
                        ? nil
                        : Evidence(
                            place: Place(exchange: page, part: .responseBody, name: ""),
                            value: Masking.shown(words, of: "body")
                        ),
                ]
                .compactMap(\.self),
                exchange: page
            )
            .toldOfFront(in: flow)
        }.first
    }

    /// Whether a rule that knows why a provider refuses a request tells of this one.
    private func isExplained(_ exchange: Int, _ flow: Flow) -> Bool {
        OtherFindings.refusedDevices.tell(of: exchange, in: flow)
    }

    /// Whether a rule of the logout's stage tells of this one, as more than a note.
    private func isExplainedLogout(_ exchange: Int, _ flow: Flow) -> Bool {
        OtherFindings.logouts.tell(of: exchange, in: flow) { $0.severity != .note }
    }

    private func refusal(of attempt: LoginAttempt, _ flow: Flow) -> RequestRefusal? {
        if attempt.response != nil { return RequestRefusal(delivered: attempt.response) }
        guard let request = attempt.request else { return nil }
        if let refusal = attempt.refusal, isTold(refusal, request, flow) { return refusal }
        // After the user did something: only what names an error of the protocol, not a wrong password.
        let pages = ProviderPages.of(request, in: flow)
        return pages.lazy.compactMap { page in
            flow.refusal(on: [page], redirectURI: request.redirectURI)
        }.first { isTold($0, request, flow) && ($0.isOAuthError || $0.text.containsBytes("AADSTS")) }
            ?? SignInEnd.refusal(on: pages, in: flow) ?? RefusedWindow.refusal(of: attempt, in: flow)
    }

    /// Told to the user by the provider, or to the app for what it asked.
    private func isTold(_ refusal: RequestRefusal, _ request: AuthorizationRequest, _ flow: Flow) -> Bool {
        guard (refusal.status ?? 0) < 500, refusal.status != 429 else { return false }
        if refusal.isOfTheRequest { return true }
        // Where nobody knows the redirect URI, another host may be the app, told of the user's own no.
        return refusal.channel == .page
            && (request.redirectURI != nil
                || flow.capture[refusal.exchange].request.url.host == request.endpoint.host)
    }

    /// Whether a rule that knows the reason points at the same place.
    private func isExplained(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow) -> Bool {
        // What was registered is wrong in the request itself, pushed or not, whatever the refusal says.
        let asked = Set(attempt.parameters.items.map(\.place.exchange) + [attempt.exchange])
        let isRegistrations = OtherFindings.registrations.tell(of: flow) { violation in
            violation.evidence.contains { asked.contains($0.place.exchange) }
        }
        if isRegistrations { return true }
        let redirect = flow.surroundings.redirectedFrom[refusal.exchange]
        return OtherFindings.refusedRequests.tell(of: flow) { violation in
            violation.evidence.contains { evidence in
                evidence.place == refusal.place
                    || evidence.place.exchange == refusal.exchange
                        && [.responseBody, .responseStatus].contains(evidence.place.part)
                    // The text beside the error's name, in the address of the provider's page.
                    || evidence.place.exchange == refusal.exchange
                        && (refusal.exchange != attempt.exchange || refusal.place.part == .responseLocation)
                        && refusal.channel == .page
                        && evidence.place.part == refusal.place.part
                    // Told better by the page that the redirect leads to.
                    || refusal.channel == .page && refusal.place.part == .responseLocation
                        && evidence.place.exchange.flatMap { flow.surroundings.redirectedFrom[$0] }
                            == refusal.exchange
                    // Told already by the redirect to the page.
                    || redirect != nil && evidence.place.exchange == redirect
                        && evidence.place.part == .responseLocation
            }
        }
    }

    /// The answers to all attempts of which a rule that knows the reason tells.
    private func explainedAnswers(to attempts: [LoginAttempt], _ flow: Flow) -> Set<[String?]> {
        Set(
            attempts.compactMap { attempt in
                guard let answer = RequestRefusal(delivered: attempt.response),
                    isExplained(answer, of: attempt, flow)
                else { return nil }
                return [answer.error, answer.text]
            }
        )
    }
}
