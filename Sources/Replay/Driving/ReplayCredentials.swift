package import LibCrypto

/// What a replay is given besides the capture.
package struct ReplayCredentials: Sendable {
    /// A key that signs for the client.
    package struct ClientKey: Sendable {
        package var key: PrivateKey
        /// Sent as `kid`; nil keeps the recorded one.
        package var id: String?

        package init(key: PrivateKey, id: String?) {
            self.key = key
            self.id = id
        }
    }

    /// By parameter name: `password`, `client_secret`, `refresh_token`, a form field's name.
    package var values: [String: String]
    package var clientKey: ClientKey?

    package init(values: [String: String] = [:], clientKey: ClientKey? = nil) {
        self.values = values
        self.clientKey = clientKey
    }

    /// The names that are there.
    package var names: Set<String> {
        Set(values.keys).union(clientKey == nil ? [] : [SecretNames.clientKey])
    }
}
