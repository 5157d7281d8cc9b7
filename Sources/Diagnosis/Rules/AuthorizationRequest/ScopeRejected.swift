import Captures
import Flows
import JSON
import OAuth

/// The provider refused the scope that was asked for.
///
/// A scope it does not have, that this client may not ask for, or of another resource (RFC 6749, sections 4.1.2.1
/// and 5.2).
struct ScopeRejected: Rule {
    static let info = RuleInfo(
        id: "scope-rejected",
        title: "The provider refused the requested scope",
        severity: .error,
        explanation: RefusedScope.explanation,
        fix: RefusedScope.fix,
        badExample: """
            GET /authorize?…&scope=openid+orders.write
            302 Found, Location: https://app.example/callback?error=invalid_scope
            """,
        goodExample: """
            GET /authorize?…&scope=openid+orders.read
            302 Found, Location: https://app.example/callback?code=…
            """,
        specifications: [.rfc(6749, "4.1.2.1"), .rfc(6749, "5.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let verdict = Verdict.first(of: flow.loginAttempts) { attempt in
            guard let refusal = refusal(of: attempt, flow) else { return .holds }
            let scope = attempt.parameter("scope")
            let client = attempt.parameter("client_id")?.value
            var violation = Self.violation(
                [scope.map { RefusedScope.asked($0, in: flow) } ?? attempt.missing("scope")],
                registered: registered(scope, of: client, before: attempt.exchange, flow),
                answer: refusal.evidence(around: Self.texts),
                at: attempt.exchange,
                fix: Self.lacksService(attempt) ? Self.serviceFix : nil
            )
            if MissingOpenID.isSaid(by: refusal, to: attempt) { violation.say(MissingOpenID.ofRequest) }
            return .violated(violation)
        }
        if case .violated = verdict { return verdict }
        for message in flow.messages {
            let (parameters, client, answer): (Parameters, String?, Answer)
            switch message {
            case .token(let request):
                (parameters, client, answer) = (request.parameters, request.clientID, request.answer)
            case .deviceAuthorization(let call), .backchannelAuthentication(let call):
                (parameters, client, answer) = (
                    call.parameters, call.authentication.clientID?.value, call.answer
                )
            default: continue
            }
            guard answer.isRefusal,
                answer.error?.error == "invalid_scope"
                    || Self.texts.contains(where: answer.errorText.containsBytes)
            else { continue }
            let scope = parameters.parameter("scope") ?? flow.loginAttempts.first?.parameter("scope")
            return .violated(
                Self.violation(
                    scope.map { [RefusedScope.asked($0, in: flow)] } ?? [],
                    registered: registered(scope, of: client, before: message.exchange, flow),
                    answer: answer.evidence(),
                    at: message.exchange,
                    fix: answer.errorText.containsBytes(Self.offlineRefused) ? Self.offlineFix : nil
                )
            )
        }
        return verdict
    }

    /// Whether a request to itsme names none of the services that it has set up for the client.
    private static func lacksService(_ attempt: LoginAttempt) -> Bool {
        guard let host = attempt.request?.endpoint.host,
            [".itsme.services", ".itsme.be"].contains(where: host.hasSuffix)
        else { return false }
        return !(attempt["scope"] ?? "").spaceDelimited.contains { $0.hasPrefix("service:") }
    }

    private static let serviceFix = """
        Add the service to the scope, as service: and the code that itsme gave for it, beside openid (openid service:SHOP_LOGIN). A client may have several services, \
        for signing in, sharing data or confirming, and each login names the one that it is.
        """

    private static func violation(
        _ asked: [Evidence],
        registered: Evidence?,
        answer: Evidence,
        at exchange: Int,
        fix: String? = nil
    ) -> Violation {
        Violation(
            asked + [registered, answer].compactMap(\.self),
            fix: registered == nil
                ? fix
                : """
                Register the client with every scope that it is going to ask for, in the member scope of the registration request, or have the \
                registration changed; else ask for the registered ones alone.
                """,
            exchange: exchange
        )
    }

    /// The scopes that the client was registered for in this capture (RFC 7591, section 2), where it asks for others; nil where it
    /// does not, and where the registration names none.
    private func registered(_ scope: Parameter?, of client: String?, before exchange: Int, _ flow: Flow)
        -> Evidence?
    {
        guard let scope, let client = RegisteredClient.of(client, before: exchange, in: flow),
            let registered = client.evidence("scope")
        else { return nil }
        let allowed = Set(registered.value.spaceDelimited)
        let others = scope.value.spaceDelimited.filter { !allowed.contains($0) }
        guard !allowed.isEmpty, !others.isEmpty else { return nil }
        let shown = Excerpt.start(of: others.prefix(12).joined(separator: ", "))
        return client.evidence("scope", note: "what the client is registered for, without \(shown)")
    }

    /// At once, or on a page behind the sign-in.
    private func refusal(of attempt: LoginAttempt, _ flow: Flow) -> RequestRefusal? {
        if let refusal = attempt.refusal, isOne(refusal) { return refusal }
        guard attempt.response == nil, let request = attempt.request else { return nil }
        return ProviderPages.of(request, in: flow).lazy
            .compactMap { flow.refusal(on: [$0], redirectURI: request.redirectURI) }
            .first { $0.says(Self.texts) }
    }

    /// Cognito has one name for all, and the other in its text; LinkedIn has a name of its own.
    private func isOne(_ refusal: RequestRefusal) -> Bool {
        if ["invalid_scope", "unauthorized_scope_error"].contains(refusal.error) || refusal.says(Self.texts) {
            return true
        }
        // Another name speaks of another fault, and what the text beside it says of a scope is told with the refusal.
        return refusal.error == nil && AccessPolicy.words(in: refusal.text) == nil
            && RefusalWording.refusedScope(in: refusal.text) != nil
            || refusal.error == "invalid_request" && refusal.text.hasSuffix(": invalid_scope")
    }

    /// On pages that name no error or beside another one, in lower case: Doorkeeper's words, and Entra's numbers for a scope that is
    /// malformed, that the resource does not have, or of a resource that is not known or not among those of the client; Kakao's for
    /// one that is not set up for the app, TikTok's list of what is wrong.
    private static let texts = [
        "requested scope is invalid", "koe205", "correct the following and try again: scope",
        "aadsts70011", "aadsts28000", "aadsts28002", "aadsts28003", "aadsts650053", "aadsts650057",
        "aadsts500011", "aadb2c90117", offlineRefused,
    ]

    /// What Keycloak says where a user has no part in `offline_access`, in lower case.
    private static let offlineRefused = "offline tokens not allowed"
    private static let offlineFix = """
        At Keycloak a refresh token without an end is for users who have the realm role offline_access, and for clients with the scope of that name: give both, or \
        leave offline_access out and take the ordinary refresh token.
        """
}
