import Captures
import JOSE
import OAuth

/// What is wrong with the authorization request of a client that is known (RFC 6749, sections 3.1.1 and 4.1.2.1; OpenID Connect Core,
/// section 3.1.2.1).
///
/// Says what to refuse it for, and not how: a page, a redirect or the answer to a pushed request.
struct AuthorizationRequestCheck {
    private let client: ProviderConfiguration.Client
    private let registration: ClientRegistration?
    private let dialect: ProviderDialect
    private let hints: IDTokenHintCheck

    /// `registration`: what the client is held to; nil where it did not register here.
    init(
        for client: ProviderConfiguration.Client,
        registration: ClientRegistration?,
        _ dialect: ProviderDialect,
        hints: IDTokenHintCheck
    ) {
        self.client = client
        self.registration = registration
        self.dialect = dialect
        self.hints = hints
    }

    // MARK: - Before anybody can be told at the redirect URI

    /// OAuth has a client with one redirect URI leave it out (RFC 6749, section 3.1.2.3), OpenID Connect does not (Core, section
    /// 3.1.2.1).
    func lacksRedirectURI(_ parameters: RequestParameters) -> Bool {
        guard dialect.strictness.checksOpenIDRequests else { return false }
        let scope = parameters["scope"] ?? ""
        return scope.spaceDelimited.contains("openid")
            && !parameters.items.contains { $0.name == "redirect_uri" && !$0.value.isEmpty }
    }

    /// Whether the client has to sign its requests and did not (RFC 9101, section 10.5).
    func lacksSignature(_ parameters: RequestParameters) -> Bool {
        guard let registration, registration.requiresSignedRequests else { return false }
        let token = parameters.value("request").flatMap { JSONWebToken.parse($0) }
        return token?.algorithm.map { $0 == "none" } ?? true
    }

    // MARK: - Told to the client

    /// What is wrong with a request whose redirect URI is right.
    func refusal(of login: PendingLogin) -> Refusal? {
        guard dialect.tolerances.assumesCode || !(login.parameters["response_type"] ?? "").isEmpty else {
            return .responseTypeMissing
        }
        let types = Set(login.responseType.spaceDelimited)
        guard !types.isEmpty, dialect.supports(responseType: login.responseType) else {
            return .responseTypeUnsupported
        }
        if let registration, !registration.allows(responseType: types) { return .responseTypeUnregistered }
        if let mode = login.responseMode {
            guard dialect.supports(responseMode: mode) else { return .responseModeUnsupported }
        }
        if let refusal = refusal(ofTokensBeforeTheCode: types, login) { return refusal }
        let isMethodNamed = login.parameters["code_challenge_method"] != nil
        if login.challenge != nil || isMethodNamed {
            // RFC 7636, section 4.3.
            guard dialect.supports(challengeMethod: login.challengeMethod ?? "plain") else {
                return .challengeMethodUnsupported
            }
        }
        if login.challenge == nil, client.requiresPKCE, types.contains("code") { return .challengeMissing }
        if dialect.strictness.checksResources,
            !login.resources.allSatisfy({ RecordedURL($0).isAbsoluteWithoutFragment })
        {
            return .resourceMalformed
        }
        // OpenID Connect Core, section 3.1.2.1.
        if login.asksForNoneAndMore, !dialect.tolerances.takesPromptsBesideNone { return .promptBesideNone }
        return dialect.strictness.checksOpenIDRequests ? refusal(ofOpenIDParametersOf: login) : nil
    }

    /// What cannot be read of what OpenID Connect adds to a request (Core, sections 3.1.2.1 and 5.5).
    private func refusal(ofOpenIDParametersOf login: PendingLogin) -> Refusal? {
        if let age = login.parameters.value("max_age"), !age.utf8.allSatisfy(\.isASCIIDigit) {
            return .maxAgeMalformed
        }
        if let hint = login.parameters.value("id_token_hint"), hints.isForged(hint) { return .hintForeign }
        let asked = login.parameters.value("claims")
        return asked != nil && login.claims == nil ? .claimsMalformed : nil
    }

    /// What is wrong with a request for tokens that come by way of the browser (OAuth 2.0 Multiple Response Types, section 5).
    private func refusal(ofTokensBeforeTheCode types: Set<String>, _ login: PendingLogin) -> Refusal? {
        guard !types.isDisjoint(with: ["token", "id_token"]) else { return nil }
        // A query is written down on its way, also where it is signed (JARM, section 2.3.1); what was seen so is answered so.
        if let mode = login.responseMode, ["query", "query.jwt"].contains(mode),
            !dialect.takesQuery(mode, for: login.responseType)
        {
            return .responseModeUnsupported
        }
        guard dialect.strictness.checksOpenIDRequests, types.contains("id_token") else { return nil }
        if !login.scope.spaceDelimited.contains("openid") { return .openIDMissing }
        return login.nonce == nil ? .nonceMissing : nil
    }
}
