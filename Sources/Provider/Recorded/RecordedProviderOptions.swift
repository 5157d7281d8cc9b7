package import JOSE
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

    /// What the first issuer is to be called; nil is the base URL with the recorded path.
    package var issuer: String?
    package var clients: [Client] = []
    /// Accepted for every client, besides the recorded ones.
    package var redirectURIs: [String] = []
    package var users: [(name: String, password: String)] = []
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
