import Captures
import Flows
import OAuth

/// What a provider says is wrong with how a client proved itself, where the capture has nothing to hold against what was sent, or has it that this
/// is as it should be.
///
/// A rule's finding needs both sides; the refusal's own (``TokenInvalidClient``, ``TokenEndpointError``, ``PARRejected``) says what the
/// provider said.
struct StatedClientRefusal {
    let words: Violation.Words
    /// What was sent and is called wrong.
    let evidence: [Evidence]

    init(words: Violation.Words, evidence: [Evidence]) {
        self.words = words
        self.evidence = evidence
    }

    /// Nil of words that leave the reason open, and of a call that was made once more with success.
    init?(of call: ClientCall, in flow: Flow) {
        guard call.answer.isRefusal, !call.isRepaired,
            let stated = StatedAuthenticationMethod.refusal(of: call, in: flow)
                ?? StatedAssertionRefusal.refusal(of: call, in: flow) ?? Self.namedTwice(call)
                ?? Self.notEncoded(call, flow) ?? Self.publicClient(call, flow)
                ?? Self.missingSecret(call, flow) ?? Self.takenForPage(call, flow)
        else { return nil }
        self = stated
    }

    /// What the first of several is told; the others were mostly made by the same client, and are refused alike.
    static func first(of calls: [ClientCall], in flow: Flow) -> StatedClientRefusal? {
        calls.prefix(4).lazy.compactMap { StatedClientRefusal(of: $0, in: flow) }.first
    }

    // MARK: - Credentials

    /// A `client_id` beside the Authorization header that a provider counts as a second method, as it says.
    ///
    /// A pushed request has to have it (RFC 9126, section 2.1), and where the two name different clients, that is another fault.
    private static func namedTwice(_ call: ClientCall) -> StatedClientRefusal? {
        guard call.kind != .pushedRequest, call.mayBlameClient, call.authentication.methods == [.secretBasic],
            let client = call.parameters.parameter("client_id"), call.authentication.mayBe(client.value),
            severalMethods.contains(where: call.answer.errorText.containsBytes)
        else { return nil }
        return StatedClientRefusal(
            words: named,
            evidence: [
                Evidence(
                    place: Place(exchange: call.exchange, part: .requestHeader, name: "Authorization"),
                    value: "Basic",
                    note: "client_secret_basic"
                ), Evidence(client, note: "beside the header"),
            ]
        )
    }

    /// Basic credentials that a provider wants encoded, as it says, and that read alike either way.
    private static func notEncoded(_ call: ClientCall, _ flow: Flow) -> StatedClientRefusal? {
        guard call.authentication.methods.contains(.secretBasic), MisreadCredentials.isTold(by: call),
            let client = call.authentication.clientID, let secret = call.authentication.secret,
            MisreadCredentials(of: call, in: flow) == nil
        else { return nil }
        return StatedClientRefusal(
            words: Violation.Words(
                title: "The provider wants the Basic credentials form-encoded",
                explanation: MisreadCredentials.told,
                fix: MisreadCredentials.fix
            ),
            evidence: [
                Evidence(place: client.place, value: client.rawValue, note: "client id in the header"),
                Evidence(
                    place: secret.place,
                    value: Masking.masked(secret.rawValue),
                    note: "secret in the header"
                ),
            ]
        )
    }

    /// A server that sends a secret for a client which the provider has down as one without.
    private static func publicClient(_ call: ClientCall, _ flow: Flow) -> StatedClientRefusal? {
        guard let secret = call.authentication.secret, !secret.value.isEmpty,
            PublicSecret.isRefusedAsPublic(call),
            ["client is public", "secret", "credential", "client_assertion"].contains(
                where: call.answer.errorText.containsBytes
            ),
            PublicSecret(of: call, in: flow) == nil
        else { return nil }
        return StatedClientRefusal(
            words: registeredAsPublic,
            evidence: [
                Evidence(
                    place: secret.place,
                    value: Masking.masked(secret.value),
                    note: call.authentication.methods.first?.rawValue
                )
            ]
        )
    }

    /// A secret that the provider misses, of a call whose header fields were taken out of the capture.
    private static func missingSecret(_ call: ClientCall, _ flow: Flow) -> StatedClientRefusal? {
        guard MissingCredentials.isSaid(of: call), flow.surroundings.mayLackCredentials(at: call.exchange)
        else { return nil }
        let words = MissingCredentials.words(for: call, in: flow)
        return StatedClientRefusal(
            words: Violation.Words(
                title: words.title ?? "The provider says that it got no client secret",
                explanation: words.explanation ?? noSecret,
                fix: words.fix ?? MissingCredentials.fix
            ),
            evidence: [call.parameters.missing("client_secret", of: call.exchange)]
        )
    }

    // MARK: - The kind of client

    /// A program that is no browser and sent an `Origin`, for which Entra refused it as it refuses pages.
    private static func takenForPage(_ call: ClientCall, _ flow: Flow) -> StatedClientRefusal? {
        let headers = flow.capture[call.exchange].request.headers
        guard ClientTypeRefusal.keepsPagesOut(in: call.answer.errorText),
            ClientTypeRefusal.isOfProgram(headers), let origin = headers.first("origin")
        else { return nil }
        return StatedClientRefusal(
            words: page,
            evidence: [
                Evidence(
                    place: Place(exchange: call.exchange, part: .requestHeader, name: "Origin"),
                    value: Masking.shown(origin, of: "Origin"),
                    note: "sent by a program that is no browser"
                )
            ]
        )
    }

    // MARK: - Words

    /// In lower case: Notion, Okta, oidc-provider.
    private static let severalMethods = [
        "multiple authentication methods", "multiple client authentication", "multiple client credentials",
        "more than one authentication method", "more than one client authentication",
        "only be provided using one mechanism",
    ]
    private static let named = Violation.Words(
        title: "The provider counts client_id beside the Authorization header as a second method",
        explanation: """
            The client proves itself once, by the Authorization header, and names itself in the body as well. That is no second method (RFC 6749, section \
            2.3), and most providers take it; this one does not.
            """,
        fix: """
            Leave client_id out of the body where the Authorization header is sent. A client that keeps no secret registers with \
            token_endpoint_auth_method none, and sends client_id alone: a registration that does not say so is for client_secret_basic.
            """
    )

    private static let registeredAsPublic = Violation.Words(
        title: "The client is registered as a public one, and sends a client secret",
        explanation:
            "The provider has the client registered as a public one, which has no secret, and refuses it for sending one.",
        fix: """
            Register the client as a confidential one where it is a server that can keep a secret (at Entra, the redirect URI as one of the \
            platform Web); else leave the secret out and rely on PKCE.
            """
    )

    private static let noSecret = """
        The provider says that it got no client_secret, and the body of the request has none. Header fields were taken out of the capture; by the provider's words the \
        secret was not in one of them.
        """

    private static let page = Violation.Words(
        title: "The provider takes the program that asks for a page",
        explanation: """
            Entra takes a token request with an Origin header for one of a page, and lets pages exchange codes of redirect URIs of the \
            platform "single-page application" alone. This one comes from a program that is no browser, and its redirect URI is of another \
            platform.
            """,
        fix: """
            Send the token request without an Origin header: some libraries and tools add one by themselves or by a setting. Only where the \
            redirect URI is registered for a single-page application does it need one.
            """
    )
}
