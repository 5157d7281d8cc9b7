import Captures
import OAuth

/// Logins that may await their tokens, in order: to one of them a token request may belong that nothing in it ties to any.
///
/// Those that got them are dropped when they are met first.
struct AwaitingLogins {
    private var logins: ArraySlice<FlowBuilder> = []

    /// Of more at the same time nobody can tell which one a request belongs to.
    static let mostAtATime = 50

    /// Of the logins before a code that nobody knows only so many are looked at: a capture of a load test has thousands of both.
    static let mostToTry = 1000

    mutating func append(_ flow: FlowBuilder) { logins.append(flow) }

    /// Whether any login at a host still awaits its tokens.
    func areAny(at host: String) -> Bool {
        logins.suffix(Self.mostAtATime).contains { $0.awaitsToken && $0.providerHosts.contains(host) }
    }

    /// The login whose callback its app had not answered yet when it sent a request that was saved without its body: a server
    /// that answers a request before it has read it leaves none.
    ///
    /// Nil where it may be one of several.
    func login(atWorkDuring request: TokenRequest, _ host: String?, in capture: Capture) -> FlowBuilder? {
        guard request.parameters.isEmpty, let host else { return nil }
        let flows = logins.suffix(Self.mostAtATime).filter { flow in
            guard flow.awaitsToken, flow.providerHosts.contains(host),
                flow.mayBe(ofClient: request.clientID),
                let callback = flow.responses.last?.callback
            else { return false }
            return capture[callback].startedAt <= request.startedAt
                && request.startedAt < capture[callback].endedAt
        }
        return flows.count == 1 ? flows.first : nil
    }

    // MARK: - Codes that no answer in the capture has

    /// The login that a code is likely to be of which no answer in the capture has: one with the request's client and redirect URI
    /// that awaits its tokens, else the last of all flows.
    mutating func login(ofUnknownCodeIn request: TokenRequest, _ host: String?, among flows: [FlowBuilder])
        -> FlowBuilder?
    {
        while let first = logins.first, !first.awaitsToken { logins.removeFirst() }
        let isTiedByProviderAlone = Self.isTiedByProviderAlone(request)
        let isCandidate = { (flow: FlowBuilder) in
            !flow.requests.isEmpty && (!isTiedByProviderAlone || Self.isProvider(host, of: flow))
                && flow.mayBe(ofClient: request.clientID) && Self.isRedirected(flow, asIn: request)
        }
        return logins.suffix(Self.mostToTry).first { isCandidate($0) && $0.awaitsToken }
            // A login that has its tokens gets no more of them for another code.
            ?? flows.suffix(Self.mostToTry).last {
                isCandidate($0) && !($0.hasTokens && request.answer.isSuccess)
            }
            ?? sameClient(request, host)
    }

    /// A code that was changed on the way, with a redirect URI that was changed, too: the client is what is
    /// left.
    private func sameClient(_ request: TokenRequest, _ host: String?) -> FlowBuilder? {
        guard let host else { return nil }
        return logins.suffix(Self.mostToTry).last { flow in
            flow.awaitsToken && flow.providerHosts.contains(host)
                && flow.mayBe(ofClient: request.clientID)
        }
    }

    /// Whether a code exchange names neither its client nor where the login came back to.
    ///
    /// GoTrue's, which does so as well, is sent to another server than the provider of the login.
    private static func isTiedByProviderAlone(_ request: TokenRequest) -> Bool {
        request.clientID == nil && request.redirectURI == nil && !GoTrueRequest.isExchange(request)
    }

    /// Whether a login may have come back to where a code exchange says that it did.
    private static func isRedirected(_ flow: FlowBuilder, asIn request: TokenRequest) -> Bool {
        guard let uri = request.redirectURI else { return true }
        return flow.requests.contains { $0.redirectURI == uri || $0.isRelayed }
    }

    /// Whether a host is one of a flow's provider, or of the same site.
    private static func isProvider(_ host: String?, of flow: FlowBuilder) -> Bool {
        guard let host else { return true }
        let site = Site.of(host)
        return flow.providerHosts.contains { $0 == host || Site.of($0) == site }
    }
}
