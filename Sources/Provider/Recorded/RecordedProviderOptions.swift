package import JOSE
package import JSON
package import LibCrypto
import OAuth

/// What a recording does not say, or is to be overruled in.
package struct RecordedProviderOptions: Sendable {
    /// A client of the user's own, or a secret for a recorded one.
    package struct Client: Sendable {
        package var id: String
        package var secret: String?

        package init(id: String, secret: String?) {
            self.id = id
            self.secret = secret
        }
    }

    /// A claim that ID tokens and userinfo show in any case.
    package struct Claim: Sendable {
        /// `NAME`, or `USER:NAME` of one of those who can sign in, by name, address or `sub`.
        package let key: String
        private let value: JSONValue

        package init(_ key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// Whether it says what belongs to each token or to its login, and not to somebody.
        package var isOfEveryToken: Bool {
            Self.ofEveryToken.contains { key == $0 || key.hasSuffix(":" + $0) }
        }

        private static let ofEveryToken = [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "at_hash", "c_hash", "s_hash",
        ]

        /// Gives it to whom it is for: the user whom it names, else everybody.
        package func give(to users: inout [ProviderConfiguration.User]) {
            for index in users.indices {
                guard let name = mention(of: users[index]) else { continue }
                users[index].givenClaims[String(key.dropFirst(name.count + 1))] = value
                return
            }
            for index in users.indices { users[index].givenClaims[key] = value }
        }

        /// Who may be meant and is none of the users: what stands before a colon, unless that is a URI's (RFC 7519, section 4.2).
        package func stranger(to users: [ProviderConfiguration.User]) -> String? {
            guard let colon = key.utf8.firstIndex(of: 0x3a),
                !users.contains(where: { mention(of: $0) != nil })
            else { return nil }
            let name = String(key[..<colon])
            return name == "urn" || key[colon...].hasPrefix("://") ? nil : name
        }

        /// The name by which the key is about a user.
        private func mention(of user: ProviderConfiguration.User) -> String? {
            [user.name, user.email, user.subject].first { !$0.isEmpty && key.hasPrefix($0 + ":") }
        }
    }

    /// What the first issuer is to be called; nil is the base URL with the recorded path.
    package var issuer: String?
    package var clients: [Client] = []
    /// Accepted for every client, besides the recorded ones.
    package var redirectURIs: [String] = []
    /// Where clients that registered nothing else are told of a logout.
    package var logout = LogoutAddresses()
    package var users: [(name: String, password: String)] = []
    package var claims: [Claim] = []
    /// Public keys of clients, by `client_id`: assertions and request objects are checked with them.
    package var clientKeys: [String: [JSONWebKey]] = [:]
    /// Signing keys to use instead of new ones, by algorithm: making one for RSA takes a tenth of a second.
    package var keys: [PrivateKey] = []
    /// Whom to sign in without any page: a name, or empty for whoever signed in in the recording; nil shows the
    /// pages.
    package var autoLogin: String?
    /// The recorded outcome, too: an error stays an error.
    package var isAsRecorded = false

    /// In which ways it breaks.
    package var faults: [Fault] = []

    package init() {}
}
