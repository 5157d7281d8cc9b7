internal import Captures

/// What a client takes us for that sends its requests in clear: what they are for follows from it, and whether they are carried out.
enum AssumedRole: Sendable {
    /// The proxy that it was told to use.
    case proxy
    /// The provider, in whose place we listen.
    case provider(ReverseListener)

    /// Whether requests come in the form for a server, and not in that for a proxy.
    var isServer: Bool {
        switch self {
        case .proxy: false
        case .provider: true
        }
    }

    /// A request with the origin that it is for.
    func addressed(_ request: ProxyRequest, _ proxy: ProxyContext, of identity: ClientIdentity)
        -> ProxyRequest
    {
        switch self {
        case .proxy: return proxy.request(request, of: identity)
        case .provider(let listener):
            var addressed = listener.played(request, defaultPort: 80)
            addressed.isVerbatim = !request.hasFormForProxies
            return addressed
        }
    }

    /// Whether a request may be carried out: who takes us for the provider knows of no proxy that could ask for a password.
    func authorizes(_ request: ProxyRequest, _ proxy: ProxyContext, of identity: ClientIdentity) -> Bool {
        isServer || proxy.authorizes(request, of: identity)
    }

    /// Whether the client may reach some addresses only; that of a provider that is played is the user's choice, not the client's.
    func isRestricted(_ proxy: ProxyContext, _ identity: ClientIdentity) -> Bool {
        !isServer && proxy.isRestricted(identity)
    }
}
