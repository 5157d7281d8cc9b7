import Captures
import Flows
import OAuth

/// A token request that was refused while it lacked the verifier which the challenge of its login asks for (RFC 7636, section 4.5).
struct MissingVerifier: Sendable {
    /// Of the authorization request that the code belongs to.
    let challenge: Parameter
    let request: TokenRequest

    /// Nil of a login without a challenge, and where none of the requests that are certain to be its own was refused so.
    init?(of login: Login, in flow: Flow) {
        guard let challenge = Self.challenge(of: login) else { return nil }
        let certain = flow.certainTokenRequests(of: login)
        // An app may pass the code on to a back end whose own request carries the verifier.
        guard !certain.contains(where: Self.hasVerifier), let request = certain.first(where: Self.isRefused)
        else { return nil }
        self.challenge = challenge
        self.request = request
    }

    /// GoTrue's logins begin at an address of its own, with the challenge; it says itself what it misses.
    init?(statedIn flow: Flow) {
        guard let request = StatedGrantFault.ofCode(in: flow, .verifierMissing),
            let challenge = GoTrueRequest.challenge(before: request, in: flow.capture)
        else { return nil }
        self.challenge = challenge
        self.request = request
    }

    /// Nil where there is none to open.
    static func challenge(of login: Login) -> Parameter? {
        login.request.codeChallenge == nil ? nil : login.request.parameters.parameter("code_challenge")
    }

    /// Whether a token request of the flow was refused so.
    static func isOf(_ request: TokenRequest, in flow: Flow) -> Bool {
        flow.derived.value { Known(in: flow) }.exchanges.contains(request.exchange)
    }

    private struct Known: Sendable {
        let exchanges: Set<Int>

        init(in flow: Flow) {
            let found = flow.askedLogins.compactMap { MissingVerifier(of: $0, in: flow) }
            exchanges = Set(
                (found + [MissingVerifier(statedIn: flow)].compactMap(\.self)).map(\.request.exchange)
            )
        }
    }

    private static func isRefused(_ request: TokenRequest) -> Bool {
        request.isGrantRefused || request.isRefused(with: "invalid_client") && asksForVerifier(request)
    }

    private static func hasVerifier(_ request: TokenRequest) -> Bool {
        request.codeVerifier.map { !$0.isEmpty } ?? false
    }

    private static func asksForVerifier(_ request: TokenRequest) -> Bool {
        request.answer.errorText.containsBytes("verifier") || request.answer.errorText.containsBytes("pkce")
    }
}
