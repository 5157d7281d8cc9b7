/// What an engine is to do besides what its configuration and dialect say.
package struct ProviderPolicy: Sendable {
    /// Whom to sign in without any page; nil shows the pages.
    package var autoLogin: String?
    /// The outcome of the recording, too: an error stays an error.
    package var isAsRecorded = false
    /// Whether a client that nobody registered is taken for one, with any secret and any redirect URI on this machine.
    package var acceptsUnknownClients = false
    /// Further redirect URIs of clients that nobody registered.
    package var redirectURIs: [String] = []
    /// Where clients that registered none are told of a logout.
    package var logout = LogoutAddresses()
    /// In which ways it breaks.
    package var faults: [Fault] = []
    /// Faults that are only asked whether they would have found an occasion.
    package var probes: [Fault] = []

    package init() {}

    /// The same, but for the ways in which it breaks.
    func breaking(_ faults: [Fault], probing probes: [Fault]) -> ProviderPolicy {
        var policy = self
        policy.faults = faults
        policy.probes = probes
        return policy
    }
}
