import Captures
package import Flows
package import JSON
package import OAuth

/// How one provider speaks: its paths, documents, the shapes and words of its answers.
///
/// Data only. What is allowed and what is refused is the engine's, and the same for all.
package struct ProviderDialect: Sendable {
    /// How the token endpoint answers one kind of grant of one client.
    package struct Tokens: Sendable {
        package var grantType: String
        /// Nil for all clients.
        package var clientID: String?
        /// Of several token endpoints the one that was asked, as it is played, with its own query (policies of Azure AD B2C).
        package var endpoint: String?
        /// With the members in order; those that are made anew have any value.
        package var answer: AnswerTemplate
        package var accessToken: TokenForm?
        package var refreshToken: TokenForm?
        package var idToken: TokenForm?
        /// The refresh token is the same before and after.
        package var keepsRefreshToken = false
        /// A refresh token that was replaced may be used again.
        package var reusesRefreshToken = false
        /// How often the refresh token had brought tokens before.
        package var earlierUses = 0
        package var origin: RecordedOrigin

        package init(grantType: String, answer: AnswerTemplate, origin: RecordedOrigin) {
            self.grantType = grantType
            self.answer = answer
            self.origin = origin
        }
    }

    /// How the authorization endpoint answers one client.
    package struct Authorization: Sendable {
        package var clientID: String?
        /// As that of ``Tokens``.
        package var endpoint: String?
        package var responseType: String
        /// As asked for; nil where the request named none.
        package var askedMode: String?
        package var mode: AuthorizationResponse.Mode
        /// Whether it travels inside a token (JARM), and how that is signed.
        package var envelope: TokenTemplate?
        /// The recorded token, whose place on a page the new one takes.
        package var sealed: String?
        /// In order, with the recorded values.
        package var parameters: [(name: String, value: String)]
        package var answer: AnswerTemplate
        package var accessToken: TokenForm?
        package var idToken: TokenForm?
        package var origin: RecordedOrigin
    }

    /// How an endpoint answers who has a token: userinfo, introspection, a resource.
    package struct Claims: Sendable {
        package var clientID: String?
        package var answer: AnswerTemplate
        /// Where the answer is a token.
        package var token: TokenTemplate?
        package var origin: RecordedOrigin
    }

    /// A resource that is called with an access token.
    package struct Resource: Sendable {
        package var method: String
        /// As played, without query.
        package var path: String
        package var answer: AnswerTemplate
        package var refused: AnswerTemplate?
        package var origin: RecordedOrigin
    }

    package var kind: ProviderKind = .generic
    /// Where the endpoints are played, by role: path, and the query that is part of an endpoint's URL.
    package var paths: [Endpoints.Role: [String]] = [:]
    /// The metadata document, and where it is served.
    package var metadata = AnswerTemplate(status: 200)
    /// With a query where that has the path.
    package var metadataPaths: Set<String> = []
    /// Metadata of a provider that has several documents, told apart by the query.
    package var metadataByQuery = EndpointTable<AnswerTemplate>()
    /// The same, told apart by the path.
    package var metadataByPath: [String: AnswerTemplate] = [:]
    /// How the key set is served, its keys aside.
    package var keySet = AnswerTemplate(status: 200)
    package var tokens: [Tokens] = []
    package var authorizations: [Authorization] = []
    package var userInfo: [Claims] = []
    package var introspections: [Claims] = []
    package var inactive: AnswerTemplate?
    package var resources: [Resource] = []
    /// Documents of protected resources (RFC 9728) and others that are the same for everybody, by path.
    package var documents: [String: AnswerTemplate] = [:]
    package var deviceAuthorization: (answer: AnswerTemplate, origin: RecordedOrigin)?
    /// How often a poll is answered `authorization_pending` before the user has agreed; nil where the user has to.
    package var pendingPolls: Int?
    package var backchannelAuthentication: AnswerTemplate?
    /// How often a poll for such a request is answered so: no device of the user's is played.
    package var pendingBackchannelPolls = 1
    /// `sub` of users by the hints that clients gave of them (OpenID Connect CIBA, section 7.1).
    package var hintedSubjects: [String: String] = [:]
    package var pushedRequest: AnswerTemplate?
    package var registration: (sent: JSONObject, answer: AnswerTemplate)?
    package var revocation: AnswerTemplate?
    package var refusals = RefusalDialect()
    /// Shapes of what is made up, by the parameter that carries it: `code`, `session_state`, `device_code`.
    package var shapes: [String: ValueTemplate] = [:]
    /// `kid` of the recording to the one that is published in its place.
    package var keyIDs: [String: String] = [:]
    /// Endpoints whose DPoP proofs need a nonce of the provider's (RFC 9449, section 8).
    package var nonceRoles: Set<Endpoints.Role> = []
    package var addresses = AddressMap()
    /// Hosts of the recording that are played, `https://host`.
    package var origins: Set<String> = []
    /// What the user meets: pages and calls of theirs, in the order of the recording.
    package var scripts: [InteractionScript] = []
    /// Names of cookies by which a browser was known again: it brought them, and nobody had to sign in.
    package var sessionCookieNames: Set<String> = []
    /// What holds the password where no field is called so.
    package var passwordFields = PasswordFields()
    package var shelf = AssetShelf()
    /// Whether pages of clients may read every answer; else only those where the recording allows it.
    package var allowsOrigins = false
    /// What the recording shows of that.
    package var readable = ReadableAnswers()
    /// The built-in page at which users of devices agree; nil where the recording decides.
    package var verificationPath: String?
    /// Parameters of a logout that say where to go next.
    package var logoutTargets = ["post_logout_redirect_uri"]
    /// Whether an app on this machine may use any port (RFC 8252, section 7.3).
    package var allowsOtherPorts = true
    /// Metadata that was asked for and refused, by path: given again where all is as recorded.
    package var refusedDocuments: [String: AnswerTemplate] = [:]
    /// Whether a client that acts for itself has to prove who it is (RFC 6749, section 4.4).
    package var needsClientProof = false
    /// Whether a logout has to name its client before it may name an address, with a token of this provider if it has one.
    package var needsLogoutClient = false
    /// Whether requests for an ID token are held to what OpenID Connect wants of them: the scope `openid`, and a nonce where it comes
    /// by way of the browser (Core, sections 3.1.2.1, 3.2.2.1 and 3.3.2.11).
    package var checksOpenIDRequests = false
    /// Scopes that were asked for and never granted.
    package var withheldScopes: Set<String> = []
    /// Spellings of `code_challenge_method` that were taken besides those of RFC 7636.
    package var challengeMethods: Set<String> = []
    /// Whether a challenge without a method, which is the verifier itself (RFC 7636, section 4.3), was taken where it is the verifier's
    /// hash; it may be either then.
    package var assumesS256 = false
    /// Whether a `code_verifier` was taken for a code that was asked for without a challenge.
    package var ignoresNeedlessVerifiers = false
    /// Clients that refresh tokens of another one are taken from, by the client they were issued to.
    package var refreshTokenSharers: [String: Set<String>] = [:]
    /// Who may speak for a client in an assertion, besides the client.
    package var assertionIssuers: Set<String> = []
    /// Whether a client may have its tokens unsigned (OpenID Connect Registration, section 2).
    package var allowsUnsigned = false
    /// Whether a request without `response_type` was taken for one of a code.
    package var assumesCode = false
    /// Whether what stands beside a `request_uri` was taken where it had not been pushed.
    package var mergesOuterParameters = false
    /// Whether a pushed request was taken again after it had been answered.
    package var reusesRequestURIs = false
    /// Parameters that were taken more than once in one request.
    package var repeatedParameters: Set<String> = []
    /// Whether `prompt=none` was taken with other values.
    package var takesPromptsBesideNone = false
    /// Whether an authorization response, an error among them, had `iss`.
    package var wasSeenToNameItself = false
    /// Whether an object of JSON was taken where the specifications have a form.
    package var takesJSON = false
    /// Whether proofs of a key are passed over and tokens bound to none.
    package var ignoresProofs = false
    /// Answers to be given again as recorded, by endpoint, in order; nil stands for a success.
    package var recordedOutcomes: [Endpoints.Role: [AnswerTemplate?]] = [:]

    package init() {}
}
