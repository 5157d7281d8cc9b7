import OAuth

/// What a provider is to send of its own accord behind an answer, of which nothing is signed yet.
struct PendingNotices {
    private var pings: [BackchannelPing] = []
    private var pushes: [TokenPush] = []
    private var logouts: [LogoutNotice] = []

    mutating func append(_ ping: BackchannelPing) { pings.append(ping) }
    mutating func append(_ push: TokenPush) { pushes.append(push) }
    mutating func append(_ notice: LogoutNotice) { logouts.append(notice) }

    /// Whether tokens are among it: what brings them is the token response of such a login.
    var bringTokens: Bool { !pushes.isEmpty }

    /// Makes the tokens wrong that are on their way to clients, as those would be that answer a token request.
    ///
    /// `context`: of the request that they follow from. `counts`: of the ID tokens that faults are told of.
    mutating func alter(
        by occasions: inout FaultOccasions,
        in context: FaultContext,
        counting counts: inout CallCounts
    ) {
        for index in pushes.indices {
            var pushed = context
            pushed.role = .token
            pushed.grantType = GrantType.ciba
            if pushes[index].answer.hasIDToken { pushed.issuedIDTokens = counts.count(.idToken) }
            occasions.alterPushed(&pushes[index].answer, in: pushed)
        }
    }

    /// The requests that it is sent by.
    func requests(by renderer: inout AnswerRenderer) -> [ProviderNotice] {
        var requests = pings.map { ProviderNotice($0) }
        for push in pushes { requests.append(renderer.request(of: push)) }
        for notice in logouts { requests.append(renderer.request(of: notice)) }
        return requests
    }
}
