import Captures
import Flows
import OAuth

/// What is known of a refusal of an authorization request that says little, or says it in words of its own.
struct ToldRefusal {
    var words: Violation.Words
    var evidence: [Evidence]

    /// Nil where nothing more is known than the refusal itself says.
    static func of(_ refusal: RequestRefusal, of attempt: LoginAttempt, in flow: Flow) -> ToldRefusal? {
        if refusal.channel == .delivered, let brokered = BrokeredError(in: refusal.text) {
            return ToldRefusal(words: brokered.words, evidence: [])
        }
        if let told = byRequest(refusal, of: attempt, flow) ?? byAPI(refusal, flow) { return told }
        if refusal.says(RefusedWindow.texts), let agent = RefusedWindow.agent(of: attempt, in: flow) {
            var words = RefusedWindow.seenThrough
            words.title = RefusedWindow.title
            return ToldRefusal(words: words, evidence: [agent])
        }
        if let text = ForgeRockStep.refusal(in: flow.capture[refusal.exchange]) {
            let step = ForgeRockRefusal(named: text, isOfAPage: true)
            let sent = ForgeRockRefusal.failureURL(of: refusal.exchange, in: flow)
            let words = Violation.Words(
                title: "ForgeRock refused the sign-in",
                explanation: step.explanation,
                fix: step.fix
            )
            return ToldRefusal(words: words, evidence: [sent].compactMap(\.self))
        }
        if refusal.channel == .page,
            let assertion = BrokeredAssertion.evidence(at: refusal.exchange, in: flow)
        {
            return ToldRefusal(words: BrokeredAssertion.words, evidence: [assertion])
        }
        if refusal.channel == .page, let words = ExpiredSignIn.words(in: refusal.text) {
            let age = ExpiredSignIn.age(of: attempt.exchange, at: refusal.exchange, in: flow)
            return ToldRefusal(words: words, evidence: age.map { [$0] } ?? [])
        }
        let page = flow.capture[refusal.exchange].request.url
        if refusal.channel == .page, let host = page.host, host.hasSuffix(".snowflakecomputing.com"),
            refusal.text.asciiLowercased().containsBytes("invalid consent request")
        {
            let scope = attempt.parameter("scope").map { Evidence($0) } ?? attempt.missing("scope")
            return ToldRefusal(words: consent, evidence: [scope])
        }
        guard refusal.channel == .page, page.queryItems.first("errorId") != nil else { return nil }
        return ToldRefusal(words: Violation.Words(fix: identityServer), evidence: [])
    }

    /// By what the request has, or has not.
    private static func byRequest(_ refusal: RequestRefusal, of attempt: LoginAttempt, _ flow: Flow)
        -> ToldRefusal?
    {
        if refusal.channel == .delivered, refusal.error == "unauthorized_client",
            ["", "unauthorized_client"].contains(refusal.text)
        {
            let type = attempt.parameter("response_type").map { Evidence($0) }
            return ToldRefusal(words: otherGrant, evidence: [type].compactMap(\.self))
        }
        if refusal.channel == .delivered, refusal.error == "unauthorized_client",
            refusal.says(ClientIDRefusal.texts)
        {
            let client = attempt.parameter("client_id").map { Evidence($0) }
            let words = ClientIDRefusal.special(attempt, refusal) ?? ClientIDRefusal.unknown
            return ToldRefusal(words: words, evidence: [client].compactMap(\.self))
        }
        if let target = UnknownTarget(of: attempt, refusal) {
            return ToldRefusal(words: target.words, evidence: [target.sent])
        }
        if let method = UnheardOfMethod.evidence(of: attempt, refused: refusal) {
            return ToldRefusal(words: UnheardOfMethod.words, evidence: [method])
        }
        if let wish = UnmetAuthentication.evidence(of: attempt, refused: refusal) {
            return ToldRefusal(words: UnmetAuthentication.words, evidence: [wish])
        }
        if refusal.channel == .delivered, MissingOpenID.isSaid(by: refusal, to: attempt) {
            let scope = attempt.parameter("scope").map { Evidence($0) } ?? attempt.missing("scope")
            return ToldRefusal(words: MissingOpenID.ofRequest, evidence: [scope])
        }
        if let scope = RefusedScope.evidence(of: attempt, refused: refusal, in: flow) {
            return ToldRefusal(words: RefusedScope.ofRequest, evidence: [scope])
        }
        if refusal.error == "invalid_state" {
            let state = attempt.parameter("state").map {
                Evidence($0, note: "\($0.value.unicodeScalars.count) characters")
            }
            return ToldRefusal(words: weakState, evidence: [state ?? attempt.missing("state")])
        }
        return nil
    }

    /// Of a sign-in by the provider's API, whose answer to the authorization request itself may say what is wrong.
    private static func byAPI(_ refusal: RequestRefusal, _ flow: Flow) -> ToldRefusal? {
        guard let native = NativeSignIn.refusal(at: refusal.exchange, in: flow) else { return nil }
        let isSame = native.place == refusal.place
        guard isSame || refusal.channel == .page && refusal.place.part == .responseBody else { return nil }
        let known = ProviderWords.meaning(of: native.text, by: flow.provider)
        let words = Violation.Words(
            title: NativeSignIn.title,
            explanation: known?.explanation ?? NativeSignIn.explanation,
            fix: known?.fix ?? NativeSignIn.fix
        )
        return ToldRefusal(words: words, evidence: isSame ? [] : [native.evidence()])
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
}
