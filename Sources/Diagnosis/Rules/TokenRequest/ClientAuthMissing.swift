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
        fix: MissingCredentials.fix,
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
            saying: MissingCredentials.words(for: call, in: flow),
            exchange: call.exchange
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
}
