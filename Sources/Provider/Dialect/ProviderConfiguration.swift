import Captures
package import JOSE
package import JSON
package import LibCrypto

/// What a built-in provider is told before it answers: who it is, whom it knows, how long things last.
package struct ProviderConfiguration: Sendable {
    /// A registered client (RFC 7591, section 2).
    package struct Client: Sendable {
        package var id: String
        /// Nil for a public client.
        package var secret: String?
        /// Compared as strings (RFC 9700, section 2.1).
        package var redirectURIs: [String]
        package var postLogoutRedirectURIs: [String]
        /// Whether a request without a code challenge is refused.
        package var requiresPKCE: Bool
        package var idTokenAlgorithm: SignatureAlgorithm
        /// With which userinfo is signed for it; nil where it gets an object.
        package var userInfoAlgorithm: SignatureAlgorithm?
        /// With which authorization responses are signed for it (JARM); nil where as ID tokens are.
        package var authorizationAlgorithm: SignatureAlgorithm?
        /// The header of what is encrypted for it, by what that is: `id_token`, `userinfo`, `authorization`.
        package var envelopes: [String: JSONObject] = [:]
        /// Ways of authentication, as the metadata names them (`client_secret_basic`); empty where any will do
        /// that the secret fits.
        package var authenticationMethods: [String] = []
        /// Whether any secret is taken, since the right one is not known.
        package var acceptsAnySecret = false
        /// Whether any address is taken to send the user back to that does not leave this machine: a loopback one, or one of
        /// an app's own scheme.
        package var acceptsLocalRedirects = false
        /// Whether any address of the redirect URIs' own origins is taken to send the user back to after a logout.
        package var acceptsOwnOriginsAfterLogout = false
        /// Where it registered to be told of a logout.
        package var logout = LogoutAddresses()
        /// Keys that its assertions and request objects are signed with; without any, signatures are not checked.
        package var keys: [JSONWebKey] = []
        /// The recorded client in whose place it was registered: it is answered in the same way.
        package var standsFor: String?
        /// Allows the client to read and change its registration (RFC 7592, section 3).
        package var registrationToken: String?

        package init(
            id: String,
            secret: String? = nil,
            redirectURIs: [String],
            postLogoutRedirectURIs: [String] = [],
            requiresPKCE: Bool = true,
            idTokenAlgorithm: SignatureAlgorithm = .rs256
        ) {
            self.id = id
            self.secret = secret
            self.redirectURIs = redirectURIs
            self.postLogoutRedirectURIs = postLogoutRedirectURIs
            self.requiresPKCE = requiresPKCE
            self.idTokenAlgorithm = idTokenAlgorithm
        }
    }

    /// Somebody who can sign in.
    package struct User: Sendable {
        package var name: String
        package var password: String
        package var subject: String
        package var fullName: String
        package var email: String
        /// Whether any password is taken, since the right one is not known.
        package var acceptsAnyPassword = false
        /// Whether the password is one that was given, and not a recorded one.
        package var isPasswordGiven = false
        /// Further claims, as ID tokens and the userinfo endpoint show them.
        package var claims = JSONObject()
        /// Claims that ID tokens and the userinfo endpoint show in any case, whatever the scope and the recording.
        package var givenClaims = JSONObject()

        package init(name: String, password: String, subject: String, fullName: String, email: String) {
            self.name = name
            self.password = password
            self.subject = subject
            self.fullName = fullName
            self.email = email
        }

        /// All that is known of the user besides `sub`, by the names of OpenID Connect Core, section 5.1.
        var ownClaims: JSONObject {
            var all = JSONObject()
            if !fullName.isEmpty { all["name"] = .string(fullName) }
            if !email.isEmpty { all["email"] = .string(email) }
            for member in claims.members where all[member.name] == nil { all[member.name] = member.value }
            return all
        }
    }

    /// A key that signs tokens, with the `kid` under which it is published.
    package struct SigningKeyEntry: Sendable {
        package var id: String
        package var algorithm: SignatureAlgorithm
        package var key: PrivateKey

        /// `id`: nil for the key's thumbprint (RFC 7638), which no other key has: who keeps keys by their names does not take a
        /// new one for an old one.
        package init(id: String? = nil, algorithm: SignatureAlgorithm, key: PrivateKey) {
            self.id = id ?? JSONWebKey(key.publicKey, id: nil).thumbprint ?? algorithm.rawValue
            self.algorithm = algorithm
            self.key = key
        }
    }

    /// Without a final slash; every endpoint lies below it.
    package var issuer: String
    /// Whether the identifier that is told has a final slash: clients compare it to the letter (OpenID Connect Core,
    /// section 3.1.3.7).
    package var endsWithSlash = false
    package var clients: [Client]
    package var users: [User]
    package var keys: [SigningKeyEntry]
    /// Seconds.
    package var codeLifetime: Int64 = 60
    package var tokenLifetime: Int64 = 300

    /// The issuer identifier as it is told.
    package var issuerIdentifier: String { issuer + (endsWithSlash ? "/" : "") }

    /// Whether the provider is reached over TLS.
    var isSecure: Bool { RecordedURL(issuer).scheme?.lowercased() == "https" }

    /// The keys by which others verify what is signed here.
    var publicKeys: [JSONWebKey] {
        keys.map { JSONWebKey($0.key.publicKey, id: $0.id, algorithm: $0.algorithm) }
    }

    package init(issuer: String, clients: [Client], users: [User], keys: [SigningKeyEntry]) {
        self.issuer = issuer
        self.clients = clients
        self.users = users
        self.keys = keys
    }
}
