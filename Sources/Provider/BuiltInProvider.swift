package import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Synchronization

/// An OpenID provider as a pure responder: requests and the time in, answers out.
///
/// No socket, no clock.
///
/// Speaks the code flow with PKCE (RFC 7636, enforced to the letter), the implicit and hybrid flows of OpenID Connect, client
/// authentication by Basic, body and assertion, pushed requests, client credentials, device grants, CIBA by poll, ping and push,
/// registration, refresh with rotation, userinfo, introspection, revocation and logout; codes are single-use, and what is used
/// twice ends everything issued with it.
package final class BuiltInProvider: Sendable {
    private let configuration: ProviderConfiguration
    private let dialect: ProviderDialect
    private let policy: ProviderPolicy
    private let random: @Sendable (Int) -> [UInt8]
    private let state: Mutex<ProviderState>

    /// `random`: so many random bytes; a test gives its own.
    package init(
        _ configuration: ProviderConfiguration,
        policy: ProviderPolicy = ProviderPolicy(),
        random: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    ) {
        self.configuration = configuration
        self.policy = policy
        self.random = random
        dialect = ProviderDialect(builtIn: configuration)
        state = Mutex(ProviderState())
    }

    private init(_ other: BuiltInProvider, _ policy: ProviderPolicy) {
        configuration = other.configuration
        dialect = other.dialect
        random = other.random
        self.policy = policy
        state = Mutex(other.state.withLock { $0.begunAnew(from: ProviderState()) })
    }

    /// The same provider with the same keys and registered clients, begun anew with other faults.
    package func begunAnew(breaking faults: [Fault], probing probes: [Fault]) -> BuiltInProvider {
        BuiltInProvider(self, policy.breaking(faults, probing: probes))
    }

    package func respond(to request: RecordedRequest, at now: Timestamp) -> RecordedResponse {
        answer(to: request, at: now).response
    }

    /// The same, with what the faults had to do with it.
    package func answer(to request: RecordedRequest, at now: Timestamp) -> ProviderAnswer {
        state.withLock { state in
            let context = ProviderContext(
                configuration: configuration,
                dialect: dialect,
                policy: policy,
                random: random,
                now: now
            )
            var engine = ProviderEngine(context, ProviderState())
            // Taken out while it is worked on: two owners would be two copies.
            swap(&engine.state, &state)
            defer { swap(&engine.state, &state) }
            return engine.respond(to: request)
        }
    }
}

extension ProviderDialect {
    /// The built-in provider's own way of speaking: every endpoint below the issuer, members in the order of the
    /// specifications.
    package init(builtIn configuration: ProviderConfiguration) {
        self.init()
        let issuer = configuration.issuer
        let base = RecordedURL(issuer).path
        let names: [(Endpoints.Role, String)] = [
            (.authorization, "/authorize"), (.token, "/token"), (.userInfo, "/userinfo"), (.keys, "/jwks"),
            (.registration, "/register"), (.pushedRequest, "/par"), (.introspection, "/introspect"),
            (.revocation, "/revoke"), (.endSession, "/logout"),
            (.deviceAuthorization, "/device_authorization"),
            (.backchannelAuthentication, "/bc-authorize"),
        ]
        for (role, path) in names { paths[role] = [base + path] }
        verificationPath = base + "/device"
        metadataPaths = [
            base + "/.well-known/openid-configuration", base + "/.well-known/oauth-authorization-server",
            "/.well-known/oauth-authorization-server" + base,
        ]
        var document: JSONObject = ["issuer": .string(issuer)]
        for (role, path) in names { document[role.rawValue] = .string(issuer + path) }
        for (name, values) in Self.supported {
            document[name] = .array(values.map { .string($0) })
        }
        let algorithms = Set(configuration.keys.map(\.algorithm.rawValue)).sorted()
        for subject in ["id_token", "userinfo", "authorization"] {
            document["\(subject)_signing_alg_values_supported"] = .array(algorithms.map { .string($0) })
            document["\(subject)_encryption_alg_values_supported"] = .array(Self.keyEncryption)
            document["\(subject)_encryption_enc_values_supported"] = .array(
                ContentEncryption.allCases.map { .string($0.rawValue) }
            )
        }
        Self.addClientProofs(to: &document)
        document["claims_parameter_supported"] = true
        document["request_parameter_supported"] = true
        // What is left out is taken for true (OpenID Connect Discovery, section 3), and nothing is fetched here.
        document["request_uri_parameter_supported"] = false
        document["authorization_response_iss_parameter_supported"] = true
        for name in Self.logoutMembers { document[name] = true }
        metadata = AnswerTemplate(status: 200, headers: Self.notKept, members: document)
        keySet = AnswerTemplate(status: 200, headers: Self.notKept)
        strictness = .full
        allowsOrigins = true
        addTokens(configuration)
    }

    /// How clients prove who they are, endpoint by endpoint, and with what they sign.
    private static func addClientProofs(to document: inout JSONObject) {
        let signatures = clientSignatures.map { JSONValue.string($0) }
        // RFC 8414, section 2: where it is left out, revocation takes Basic credentials alone.
        let methods = authenticationMethods.map { JSONValue.string($0) }
        for endpoint in ["token_endpoint", "revocation_endpoint", "introspection_endpoint"] {
            let isProven = endpoint == "introspection_endpoint"
            document["\(endpoint)_auth_methods_supported"] = .array(methods + (isProven ? [] : ["none"]))
            document["\(endpoint)_auth_signing_alg_values_supported"] = .array(signatures)
        }
        document["request_object_signing_alg_values_supported"] = .array(signatures + ["none"])
    }

    /// OpenID Connect Back-Channel Logout, section 2.1; Front-Channel Logout, section 3.
    private static let logoutMembers = [
        "backchannel_logout_supported", "backchannel_logout_session_supported",
        "frontchannel_logout_supported", "frontchannel_logout_session_supported",
    ]

    fileprivate static let notKept = HeaderFields([("Cache-Control", "no-store")])

    /// How clients prove who they are, besides by nothing (OpenID Connect Core, section 9).
    private static let authenticationMethods = [
        "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt",
    ]

    /// With which clients sign assertions and request objects (RFC 8414, section 2).
    private static let clientSignatures = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "HS256",
        "HS384", "HS512",
    ]

    /// How the key of what is encrypted for a client is (RFC 7518, section 4.1).
    private static let keyEncryption: [JSONValue] = [
        "RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A256KW",
    ]

    private static let supported: [(String, [String])] = [
        (
            "response_types_supported",
            ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"]
        ),
        (
            "response_modes_supported",
            ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"]
        ),
        (
            "grant_types_supported",
            [
                "authorization_code", "implicit", "refresh_token", "client_credentials", GrantType.deviceCode,
                GrantType.ciba,
            ]
        ),
        ("backchannel_token_delivery_modes_supported", ["poll", "ping", "push"]),
        ("subject_types_supported", ["public"]),
        ("scopes_supported", ["openid", "profile", "email", "offline_access"]),
        ("code_challenge_methods_supported", ["S256", "plain"]),
        ("dpop_signing_alg_values_supported", ["ES256", "RS256", "PS256", "EdDSA"]),
    ]

    private mutating func addTokens(_ configuration: ProviderConfiguration) {
        for grant in ["authorization_code", "refresh_token", GrantType.deviceCode, GrantType.ciba] {
            var form = Tokens.standard
            form.grantType = grant
            form.answer.members?["expires_in"] = JSONValue(configuration.tokenLifetime)
            tokens.append(form)
        }
        // RFC 6749, section 4.4.3: nothing to refresh, and nobody signed in.
        var form = Tokens.standard
        form.grantType = "client_credentials"
        form.answer.members?["refresh_token"] = nil
        form.answer.members?["id_token"] = nil
        form.answer.members?["expires_in"] = JSONValue(configuration.tokenLifetime)
        tokens.append(form)
    }
}

extension ProviderDialect.Tokens {
    /// Members in the order of RFC 6749, section 5.1 and OpenID Connect Core, section 3.1.3.3.
    static let standard: ProviderDialect.Tokens = {
        var origin = RecordedOrigin()
        // An ID token is for who asks for it; a refresh token is for everybody, as with most providers, which leave
        // offline_access to those who want one beyond the session (OpenID Connect Core, section 11).
        origin.scope = "openid"
        let members: JSONObject = [
            "access_token": "", "token_type": "Bearer", "expires_in": 3600, "scope": .null,
            "refresh_token": "",
            "id_token": "",
        ]
        let answer = AnswerTemplate(status: 200, headers: ProviderDialect.notKept, members: members)
        return ProviderDialect.Tokens(grantType: "authorization_code", answer: answer, origin: origin)
    }()
}
