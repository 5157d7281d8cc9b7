import Captures

/// Pages on which a provider asks before it ends a session, and what they lead to at the provider (OpenID Connect RP-Initiated
/// Logout, section 2).
struct LogoutPages {
    private var flows: [Int: FlowBuilder] = [:]
    /// In order of time.
    private var latest: ArraySlice<Int> = []

    private static let most = 16
    private static let longestQuestion = Duration.seconds(600)

    /// `exchange`: a logout request, or what a page of one led to.
    mutating func insert(_ exchange: Int, of flow: FlowBuilder) {
        flows[exchange] = flow
        latest.append(exchange)
        if latest.count > Self.most { flows[latest.removeFirst()] = nil }
    }

    /// The flow whose logout goes on with an exchange: by the form of one of its pages, or by a redirect that stays at the
    /// provider.
    func flow(goingOnWith exchange: Int, in index: CaptureIndex) -> FlowBuilder? {
        guard !latest.isEmpty else { return nil }
        let request = index.capture[exchange].request
        if let source = index.redirectedFrom[exchange], let flow = flows[source],
            index.capture[source].request.url.origin == request.url.origin
        {
            return flow
        }
        guard request.method == "POST" else { return nil }
        let page = latest.last { page in
            let shown = index.capture[page]
            return index.capture[exchange].startedAt - shown.endedAt <= Self.longestQuestion
                && index.page(page)?.forms.contains {
                    $0.method == "post"
                        && shown.request.url.resolving($0.action).withoutQuery == request.url.withoutQuery
                } ?? false
        }
        return page.flatMap { flows[$0] }
    }
}
