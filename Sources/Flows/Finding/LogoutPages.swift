import Captures

/// Pages on which a provider asks before it ends a session, and what they lead to at the provider (OpenID Connect RP-Initiated
/// Logout, section 2).
struct LogoutPages {
    private struct Page {
        var exchange: Int
        var flow: FlowBuilder
        var endedAt: Timestamp
        /// Where its forms are posted to, without queries.
        ///
        /// One that asks for a password begins a login.
        var targets: Set<String>
    }

    /// In order of time.
    private var latest: [Page] = []

    private static let most = 16
    private static let longestQuestion = Duration.seconds(600)

    /// `exchange`: a logout request, or what a page of one led to.
    mutating func insert(_ exchange: Int, of flow: FlowBuilder, in index: CaptureIndex) {
        let shown = index.capture[exchange]
        let forms = (index.page(exchange)?.forms ?? []).filter { form in
            form.method == "post" && !form.fields.contains { $0.type == "password" }
        }
        latest.append(
            Page(
                exchange: exchange,
                flow: flow,
                endedAt: shown.endedAt,
                targets: Set(forms.map { shown.request.url.resolving($0.action).withoutQuery })
            )
        )
        if latest.count > Self.most { latest.removeFirst() }
    }

    /// The flow whose logout goes on with an exchange: by the form of one of its pages, or by a redirect that stays at the
    /// provider.
    func flow(goingOnWith exchange: Int, in index: CaptureIndex) -> FlowBuilder? {
        guard !latest.isEmpty else { return nil }
        let request = index.capture[exchange].request
        if let source = index.redirectedFrom[exchange],
            let page = latest.last(where: { $0.exchange == source }),
            index.capture[source].request.url.origin == request.url.origin
        {
            return page.flow
        }
        guard request.method == "POST" else { return nil }
        let (target, time) = (request.url.withoutQuery, index.capture[exchange].startedAt)
        return latest.last { time - $0.endedAt <= Self.longestQuestion && $0.targets.contains(target) }?.flow
    }
}
