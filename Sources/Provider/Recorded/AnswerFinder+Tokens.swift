import Captures
import Flows
import JOSE
import JSON
import OAuth

/// How the token endpoint answered.
extension AnswerFinder {
    /// More answers to one refresh token than anybody needs to tell them apart.
    private static let maximumUses = 8

    func learn(
        _ request: TokenRequest,
        _ flow: Flow,
        _ history: RefreshTokenHistory,
        _ dialect: inout ProviderDialect
    ) {
        let exchange = flow.capture[request.exchange]
        guard request.answer.isSuccess, request.accessToken != nil, let response = exchange.response else {
            return
        }
        learnTolerance(of: request, flow, &dialect)
        let earlierUses = history.earlierUses(by: request, in: flow.surroundings)
        let endpoint = played(request.endpoint)
        let isKnown = dialect.tokens.contains {
            $0.grantType == request.grantType && $0.clientID == flow.client(named: request.authentication)
                && $0.endpoint == endpoint && $0.earlierUses == earlierUses
        }
        guard !isKnown, earlierUses < Self.maximumUses else { return }
        var form = tokens(of: request, response, flow, dialect)
        form.endpoint = endpoint
        form.reusesRefreshToken = history.showsReuse(by: request.clientID)
        form.earlierUses = earlierUses
        dialect.tokens.append(form)
        note("code", request.code, &dialect)
        note("access_token", request.accessToken, &dialect)
        note("refresh_token", request.issuedRefreshToken ?? request.refreshToken, &dialect)
    }

    /// How a request was answered, to answer others like it.
    private func tokens(
        of request: TokenRequest,
        _ response: RecordedResponse,
        _ flow: Flow,
        _ dialect: ProviderDialect
    ) -> ProviderDialect.Tokens {
        let index = flow.surroundings
        let at = flow.capture[request.exchange].endedAt.seconds
        let asked = askedScope(of: request, flow)
        let client = flow.client(named: request.authentication)
        var origin = origin(flow, clientID: client, scope: asked, issuedAt: at, dialect)
        origin.nonces = nonces(of: flow)
        var form = ProviderDialect.Tokens(
            grantType: request.grantType,
            answer: AnswerTemplate(response),
            origin: origin
        )
        form.clientID = client
        form.accessToken = request.accessToken.flatMap { tokenForm($0, index, origin) }
        form.refreshToken = request.issuedRefreshToken.flatMap { refreshForm($0, index, origin) }
        form.idToken = request.answer.parameters["id_token"].flatMap { tokenForm($0, index, origin) }
        form.keepsRefreshToken = request.issuedRefreshToken == request.refreshToken
        return form
    }

    /// The scope that the client named, here or where it asked for its user elsewhere; nil where the login did.
    private func askedScope(of request: TokenRequest, _ flow: Flow) -> String? {
        if !request.isCodeExchange, let scope = request.parameters["scope"] { return scope }
        return flow.messages.lazy.compactMap { message -> String? in
            switch message {
            case .deviceAuthorization(let call), .backchannelAuthentication(let call):
                call.parameters["scope"]
            default: nil
            }
        }.first
    }

    /// What of a request was taken though the specifications do not want it taken.
    private func learnTolerance(of request: TokenRequest, _ flow: Flow, _ dialect: inout ProviderDialect) {
        let sent = flow.capture[request.exchange].request
        dialect.tolerances.repeatedParameters.formUnion(sent.repeatedParameters)
        if request.authentication.methods.count > 1 { dialect.tolerances.takesSeveralClientProofs = true }
        if request.authentication.namesOtherClient(than: request.parameters) {
            dialect.tolerances.takesOtherClientNames = true
        }
        if sent.headers.contains("dpop"),
            request.answer.parameters["token_type"]?.lowercased() != "dpop"
        {
            dialect.tolerances.ignoresProofs = true
        }
        Self.learnProof(of: request, flow, &dialect)
        let assertion = request.authentication.assertion.flatMap { ClientAssertion($0) }
        if let name = assertion?.token.issuer { dialect.tolerances.assertionIssuers.insert(name) }
    }

    /// What was taken for the proof of a code (RFC 7636, section 4.6) and is none by the specification.
    private static func learnProof(
        of request: TokenRequest,
        _ flow: Flow,
        _ dialect: inout ProviderDialect
    ) {
        if let verifier = request.codeVerifier, !CodeChallenge.isVerifier(verifier) {
            dialect.tolerances.takesAnyVerifier = true
        }
        guard let code = request.code,
            let asked = flow.wholeLogins.first(where: { $0.response?.code == code })?.request
        else { return }
        guard let challenge = asked.codeChallenge, !challenge.isEmpty else {
            // Pushed or in a request object it would not show.
            let isWhole = !asked.parameters.contains("request") && !asked.parameters.contains("request_uri")
            if request.codeVerifier != nil, isWhole { dialect.tolerances.ignoresNeedlessVerifiers = true }
            return
        }
        if asked.parameters["code_challenge_method"] == nil,
            request.codeVerifier.map({ CodeChallenge.s256(of: $0) }) == challenge
        {
            dialect.tolerances.assumesS256 = true
        }
    }

    /// Those that logins asked for, and those of their first ID tokens; nil where no login was recorded.
    private func nonces(of flow: Flow) -> Set<String>? {
        let first = flow.idTokens.filter { !($0.request?.isRefresh ?? false) }
        let logins = flow.wholeLogins
        guard !logins.isEmpty || !first.isEmpty else { return nil }
        return Set(
            logins.compactMap(\.request.nonce) + first.compactMap { $0.token.token.claim("nonce")?.string }
        )
    }
}
