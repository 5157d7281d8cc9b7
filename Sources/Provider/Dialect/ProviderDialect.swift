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
    /// What it asks of clients that a recording does not show.
    var strictness = ProviderStrictness()
    /// What it was seen to take.
    var tolerances = ProviderTolerances()
    /// Scopes that were asked for and never granted.
    var withheldScopes: Set<String> = []
    /// Whether an authorization response, an error among them, had `iss`.
    var wasSeenToNameItself = false
    /// Answers to be given again as recorded, by endpoint, in order; nil stands for a success.
    var recordedOutcomes: [Endpoints.Role: [AnswerTemplate?]] = [:]
    /// How many authorization requests were recorded, those that the provider's own pages sent once more among them.
    var recordedLogins = 0

    init() {}
}
