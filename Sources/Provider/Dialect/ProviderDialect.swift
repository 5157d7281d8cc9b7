import Captures
import Flows
import JSON
import OAuth

/// How one provider speaks: its paths, documents, the shapes and words of its answers.
///
/// Data only. What is allowed and what is refused is the engine's, and the same for all.
struct ProviderDialect: Sendable {
    /// How the token endpoint answers one kind of grant of one client.
    struct Tokens: Sendable {
        var grantType: String
        /// Nil for all clients.
        var clientID: String?
        /// Of several token endpoints the one that was asked, as it is played, with its own query (policies of Azure AD B2C).
        var endpoint: String?
        /// With the members in order; those that are made anew have any value.
        var answer: AnswerTemplate
        var accessToken: TokenForm?
        var refreshToken: TokenForm?
        var idToken: TokenForm?
        /// The refresh token is the same before and after.
        var keepsRefreshToken = false
        /// A refresh token that was replaced may be used again.
        var reusesRefreshToken = false
        /// How often the refresh token had brought tokens before.
        var earlierUses = 0
        var origin: RecordedOrigin

        init(grantType: String, answer: AnswerTemplate, origin: RecordedOrigin) {
            self.grantType = grantType
            self.answer = answer
            self.origin = origin
        }
    }

    /// How the authorization endpoint answers one client.
    struct Authorization: Sendable {
        var clientID: String?
        /// As that of ``Tokens``.
        var endpoint: String?
        var responseType: String
        /// As asked for; nil where the request named none.
        var askedMode: String?
        var mode: AuthorizationResponse.Mode
        /// Whether it travels inside a token (JARM), and how that is signed.
        var envelope: TokenTemplate?
        /// The recorded token, whose place on a page the new one takes.
        var sealed: String?
        /// In order, with the recorded values.
        var parameters: [(name: String, value: String)]
        var answer: AnswerTemplate
        var accessToken: TokenForm?
        var idToken: TokenForm?
        var origin: RecordedOrigin
    }

    /// How an endpoint answers who has a token: userinfo, introspection, a resource.
    struct Claims: Sendable {
        var clientID: String?
        var answer: AnswerTemplate
        /// Where the answer is a token.
        var token: TokenTemplate?
        var origin: RecordedOrigin
    }

    /// How a browser is told of the user that was chosen in it (Federated Credential Management, the identity assertion endpoint).
    struct IdentityAssertion: Sendable {
        /// As played, without query.
        var path: String
        /// The recorded account, by the name that it has in the accounts list.
        var accountID: String?
        var answer: AnswerTemplate
        var token: TokenForm?
        var origin: RecordedOrigin
    }

    /// A resource that is called with an access token.
    struct Resource: Sendable {
        var method: String
        /// As played, without query.
        var path: String
        var answer: AnswerTemplate
        var refused: AnswerTemplate?
        var origin: RecordedOrigin
    }

    var kind: ProviderKind = .generic
    /// Where the endpoints are played, by role: path, and the query that is part of an endpoint's URL.
    var paths: [Endpoints.Role: [String]] = [:]
    /// The metadata document, and where it is served.
    var metadata = AnswerTemplate(status: 200)
    /// With a query where that has the path.
    var metadataPaths: Set<String> = []
    /// Metadata of a provider that has several documents, told apart by the query.
    var metadataByQuery = EndpointTable<AnswerTemplate>()
    /// The same, told apart by the path.
    var metadataByPath: [String: AnswerTemplate] = [:]
    /// How the key set is served, its keys aside.
    var keySet = AnswerTemplate(status: 200)
    var tokens: [Tokens] = []
    var authorizations: [Authorization] = []
    var userInfo: [Claims] = []
    var introspections: [Claims] = []
    var inactive: AnswerTemplate?
    var resources: [Resource] = []
    var identityAssertions: [IdentityAssertion] = []
    /// Documents of protected resources (RFC 9728) and others that are the same for everybody, by path.
    var documents: [String: AnswerTemplate] = [:]
    var deviceAuthorization: (answer: AnswerTemplate, origin: RecordedOrigin)?
    /// How often a poll is answered `authorization_pending` before the user has agreed; nil where the user has to.
    var pendingPolls: Int?
    var backchannelAuthentication: AnswerTemplate?
    /// How often a poll for such a request is answered so: no device of the user's is played.
    var pendingBackchannelPolls = 1
    /// `sub` of users by the hints that clients gave of them (OpenID Connect CIBA, section 7.1).
    var hintedSubjects: [String: String] = [:]
    var pushedRequest: AnswerTemplate?
    var registration: (sent: JSONObject, answer: AnswerTemplate)?
    var revocation: AnswerTemplate?
    var refusals = RefusalDialect()
    var shapes = ValueShapes()
    /// `kid` of the recording to the one that is published in its place.
    var keyIDs: [String: String] = [:]
    /// Endpoints whose DPoP proofs need a nonce of the provider's (RFC 9449, section 8).
    var nonceRoles: Set<Endpoints.Role> = []
    var addresses = AddressMap()
    /// Hosts of the recording that are played, `https://host`.
    var origins: Set<String> = []
    /// What the user meets: pages and calls of theirs, in the order of the recording.
    var scripts: [InteractionScript] = []
    /// Names of cookies by which a browser was known again: it brought them, and nobody had to sign in.
    var sessionCookieNames: Set<String> = []
    /// What holds the password where no field is called so.
    var passwordFields = PasswordFields()
    var shelf = AssetShelf()
    /// Whether pages of clients may read every answer; else only those where the recording allows it.
    var allowsOrigins = false
    /// What the recording shows of that.
    var readable = ReadableAnswers()
    /// The built-in page at which users of devices agree; nil where the recording decides.
    var verificationPath: String?
    /// Parameters of a logout that say where to go next.
    var logoutTargets = ["post_logout_redirect_uri"]
    /// Whether an app on this machine may use any port (RFC 8252, section 7.3).
    var allowsOtherPorts = true
    /// Metadata that was asked for and refused, by path: given again where all is as recorded.
    var refusedDocuments: [String: AnswerTemplate] = [:]
    /// Whether a client that acts for itself, asks about tokens or has a user asked elsewhere has to prove who it is (RFC 6749,
    /// section 4.4), and to name the kind of its assertion.
    var needsClientProof = false
    /// Whether a logout has to name its client before it may name an address, with a token of this provider if it has one.
    var needsLogoutClient = false
    /// Whether a client was taken that proved who it is in more than one way (RFC 6749, section 2.3); the first of them counts then.
    var takesSeveralClientProofs = false
    /// Whether a client was taken whose `client_id` was another than that of its Basic credentials; those count then.
    var takesOtherClientNames = false
    /// Whether userinfo was told to a request that had its access token in more than one place (RFC 6750, section 2); the header
    /// counts then.
    var takesSeveralTokens = false
    /// Whether a token request by GET is refused (RFC 6749, section 3.2).
    var takesTokenRequestsByPostOnly = false
    /// Whether requests for an ID token are held to what OpenID Connect wants of them: the scope `openid`, a redirect URI, and a nonce
    /// where it comes by way of the browser (Core, sections 3.1.2.1, 3.2.2.1 and 3.3.2.11).
    var checksOpenIDRequests = false
    /// Whether tokens are for what a login or a token request names of a login's resources, and for no other (RFC 8707, section 2).
    var checksResources = false
    /// Whether request objects are held to the audience that they name (RFC 9101, section 4).
    var checksAudiences = false
    /// Scopes that were asked for and never granted.
    var withheldScopes: Set<String> = []
    /// Spellings of `code_challenge_method` that were taken besides those of RFC 7636.
    var challengeMethods: Set<String> = []
    /// Whether a challenge without a method, which is the verifier itself (RFC 7636, section 4.3), was taken where it is the verifier's
    /// hash; it may be either then.
    var assumesS256 = false
    /// Whether a `code_verifier` of another length or alphabet than RFC 7636, section 4.1 has was taken.
    var takesAnyVerifier = false
    /// Whether a `code_verifier` was taken for a code that was asked for without a challenge.
    var ignoresNeedlessVerifiers = false
    /// Clients that refresh tokens of another one are taken from, by the client they were issued to.
    var refreshTokenSharers: [String: Set<String>] = [:]
    /// Whether a client had another one's token revoked, which RFC 7009, section 2.1 refuses.
    var revokesTokensOfOthers = false
    /// Whether a token was revoked for a client that did not say who it is; its form may stand in the query then.
    var revokesForAnybody = false
    /// Who may speak for a client in an assertion, besides the client.
    var assertionIssuers: Set<String> = []
    /// Whether a client may have its tokens unsigned (OpenID Connect Registration, section 2).
    var allowsUnsigned = false
    /// Whether a request without `response_type` was taken for one of a code.
    var assumesCode = false
    /// Whether what stands beside a `request_uri` was taken where it had not been pushed.
    var mergesOuterParameters = false
    /// Whether a `request_uri` was taken without the `client_id` that belongs beside it.
    var takesRequestURIsAlone = false
    /// Whether a pushed request was taken again after it had been answered.
    var reusesRequestURIs = false
    /// Parameters that were taken more than once in one request.
    var repeatedParameters: Set<String> = []
    /// Whether `prompt=none` was taken with other values.
    var takesPromptsBesideNone = false
    /// Whether an authorization response, an error among them, had `iss`.
    var wasSeenToNameItself = false
    /// Whether an object of JSON was taken where the specifications have a form.
    var takesJSON = false
    /// Whether proofs of a key are passed over and tokens bound to none.
    var ignoresProofs = false
    /// Answers to be given again as recorded, by endpoint, in order; nil stands for a success.
    var recordedOutcomes: [Endpoints.Role: [AnswerTemplate?]] = [:]

    init() {}
}
