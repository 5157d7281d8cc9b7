import Captures

extension ProviderState {
    /// A user who signed in, in one browser.
    struct Session: Sendable {
        /// A client that had an ID token in it.
        struct Reader: Sendable, Hashable {
            var clientID: String
            /// The `sid` of the token.
            var sessionName: String?
        }

        var user: ProviderConfiguration.User
        var signedInAt: Timestamp
        /// What was recorded, by what stands for it.
        var values: [String: String] = [:]
        private(set) var readers: [Reader] = []

        init(user: ProviderConfiguration.User, signedInAt: Timestamp, values: [String: String] = [:]) {
            self.user = user
            self.signedInAt = signedInAt
            self.values = values
        }

        mutating func add(_ reader: Reader) {
            readers.removeAll { $0.clientID == reader.clientID }
            if readers.count < 100 { readers.append(reader) }
        }
    }
}
