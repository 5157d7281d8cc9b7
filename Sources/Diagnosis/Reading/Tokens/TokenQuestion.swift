import Captures
import Flows
import OAuth

/// What an API asked the provider about a token that it then refused (RFC 7662): token introspection behind a call.
struct TokenQuestion {
    private let introspection: EndpointCall

    /// Nil where the API asked nothing during the call, or was told that the token is good.
    init?(during call: BearerCall, in flow: Flow) {
        let asked = flow.capture[call.call.exchange]
        let found = flow.messages.lazy.compactMap { message -> EndpointCall? in
            guard case .introspection(let question) = message,
                question.parameters["token"] == call.token.value
            else { return nil }
            let exchange = flow.capture[question.exchange]
            return exchange.startedAt >= asked.startedAt && exchange.endedAt <= asked.endedAt ? question : nil
        }.first
        guard let found, !found.answer.isSuccess || found.saysInactive else { return nil }
        introspection = found
    }

    private init(_ introspection: EndpointCall) { self.introspection = introspection }

    /// A token that the provider gave out and then called inactive, to whoever asked on behalf of a server that does not speak
    /// HTTP, or was not recorded; nil where there is none.
    static func denied(in flow: Flow) -> Violation? {
        guard let call = DeniedToken.introspections(among: flow.messages, in: flow.capture).first else {
            return nil
        }
        return TokenQuestion(call).violation([], call.exchange)
    }

    /// - Parameters:
    ///   - refusal: of the call, and what it was called with.
    ///   - exchange: of the call.
    /// - Returns: what there is to say of the call, or of the token.
    func violation(_ refusal: [Evidence], _ exchange: Int) -> Violation {
        var evidence = refusal
        let address = Evidence(
            place: Place(exchange: introspection.exchange, part: .requestURL, name: ""),
            value: Masking.shown(introspection.endpoint.text, of: "url"),
            note: refusal.isEmpty
                ? "asked about the token by a server that was shown it"
                : "asked about the token by the API, before it answered"
        )
        guard introspection.saysInactive else {
            evidence += [address, introspection.answer.evidence()]
            return Violation(
                evidence,
                explanation: Self.unanswered,
                fix: Self.unansweredFix,
                title: "The API could not ask the provider about the access token",
                exchange: exchange
            )
        }
        evidence.insert(
            contentsOf: [
                Evidence(
                    place: Place(exchange: introspection.exchange, part: .responseBody, name: "active"),
                    value: "false",
                    note: "what the provider says of the token"
                ), address,
            ],
            at: 0
        )
        return Violation(
            evidence,
            explanation: Self.inactive,
            fix: Self.inactiveFix,
            title: "The provider says that the access token is not active",
            exchange: introspection.exchange,
            isCause: true
        )
    }

    private static let inactive = """
        A server that was shown the access token of this login asked the provider about it, and the provider answered that it is not active. That is \
        all it says of a token that it does not know, that was revoked or has run out, or that whoever asks may not be told of (RFC 7662, section 2.2).
        """
    private static let inactiveFix = """
        See that the server asks the very provider, realm and environment that gave the token out, and as a client that may ask about tokens of \
        this one: some providers call tokens of other audiences inactive. Then look at the token's lifetime, the provider's clock, and whether a \
        new login or a logout revokes older tokens.
        """
    private static let unanswered = """
        The API asked the provider about the access token, and got no answer that it could use; so it refused the token, which may well be good.
        """
    private static let unansweredFix = """
        Compare the API's introspection address with introspection_endpoint of the provider's metadata, and its client and secret with what the \
        provider has registered; where the provider broke down, its log says why.
        """
}
