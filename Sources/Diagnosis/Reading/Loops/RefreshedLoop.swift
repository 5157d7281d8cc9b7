import Captures
import Flows
import OAuth

/// A circle through a page that goes to the provider by itself (`<meta http-equiv="refresh">`), as Microsoft's identity for Python begins
/// a login: the app's callback leads to that page again and again.
///
/// Each round is a login of its own. Told once, of the first.
enum RefreshedLoop {
    static func violation(in flow: Flow) -> Violation? {
        guard let rounds = rounds(in: flow) else { return nil }
        let evidence = LoginRound.evidence(of: rounds, in: flow) { way(of: $0, flow) }
        return Violation(
            evidence,
            explanation: explanation,
            fix: fix,
            exchange: rounds[0].callback
        )
    }

    private static func way(of round: LoginRound, _ flow: Flow) -> [Evidence] {
        guard let callback = round.callback, let page = round.page else { return [] }
        let note = "the page that the callback led to, which goes to the provider by itself"
        let led = flow.statusEvidence(of: page, note: note)
        guard !flow.surroundings.isSanitized(at: callback) else { return [led] }
        let cookies = Evidence(
            place: Place(exchange: callback, part: .requestHeader, name: "Cookie"),
            value: CookieNames.shown(flow.capture[callback].request.cookies.map(\.name)),
            note: "cookies sent with the callback"
        )
        return [cookies, led]
    }

    /// Whether the last round of the circle that a flow began came to nothing else: to the page that goes on to the next one, or to
    /// nothing that was recorded.
    static func isEndless(in flow: Flow) -> Bool {
        guard let last = rounds(in: flow)?.last?.request else { return false }
        let index = flow.surroundings
        let answer = index.responses.first { $0.deliveredBy == last && $0.code != nil }
        guard let callback = answer?.callback else { return true }
        let end = flow.capture[FailedLoginNotice.landing(of: callback, in: index)]
        guard let response = end.response, response.location == nil else { return true }
        return Found.target(of: end)?.normalizedWithoutQuery
            == flow.capture[last].request.url.normalizedWithoutQuery
    }

    private static func rounds(in flow: Flow) -> [LoginRound]? {
        let index = flow.surroundings
        return index.derived.value { Found(in: index) }.circles.rounds(begunBy: flow)
    }

    /// In a capture, found once.
    private struct Found: Sendable {
        private(set) var circles = LoginCircles()

        init(in index: CaptureIndex) {
            // By callback: the request that was answered with a code at once.
            var requests: [Int: Int] = [:]
            for response in index.responses where response.code != nil {
                guard let callback = response.callback, let sender = response.deliveredBy else { continue }
                requests[callback] = sender
            }
            guard requests.count > 1 else { return }
            var run: [LoginRound] = []
            var last: AuthorizationRequest?
            for request in index.authorizationRequests where !request.isSilent {
                if let last, LoginRound.sameness(of: last) == LoginRound.sameness(of: request),
                    let page = Self.page(leadingTo: request, in: index),
                    let callback = Self.callback(leadingTo: page, among: requests, in: index),
                    requests[callback] == last.exchange
                {
                    run[run.count - 1].callback = callback
                    run[run.count - 1].page = page
                } else {
                    circles.add(run)
                    run = []
                }
                run.append(LoginRound(request: request.exchange))
                last = request
            }
            circles.add(run)
        }

        /// The page that went on to this very request by itself.
        private static func page(leadingTo request: AuthorizationRequest, in index: CaptureIndex) -> Int? {
            let next = index.capture[request.exchange]
            guard let state = request.state, index.redirectedFrom[request.exchange] == nil else { return nil }
            return index.order[..<index.position[request.exchange]].suffix(mostBetween).last { other in
                let page = index.capture[other]
                guard page.endedAt <= next.startedAt, next.startedAt - page.endedAt <= .seconds(3),
                    let url = target(of: page)
                else { return false }
                return url.queryItems.first("state") == state
                    && url.normalizedWithoutQuery == next.request.url.normalizedWithoutQuery
            }
        }

        /// Where a page goes by itself.
        static func target(of page: Exchange) -> RecordedURL? {
            guard page.response?.status == 200, let body = page.response?.body, body.isPage,
                (body.size ?? 0) < largest,
                let target = body.text.flatMap({ HTMLForm.refreshTarget(in: $0) })
            else { return nil }
            return page.request.url.resolving(target)
        }

        /// Where the way to a page by redirects began, at one of the callbacks; the callback itself may be the page.
        private static func callback(leadingTo page: Int, among callbacks: [Int: Int], in index: CaptureIndex)
            -> Int?
        {
            ([page] + index.redirects(leadingTo: page, atMost: 4)).first { callbacks[$0] != nil }
        }

        /// What the app's server asks of others meanwhile.
        private static let mostBetween = 8
        private static let largest: Int64 = 1 << 16
    }

    private static let explanation = """
        The provider answered with a code, and the app's callback led to a page that goes to the provider again by itself (meta refresh), several times within \
        seconds. The app did not find in its session what it had kept of the login, or does not know the session that it has just made.
        """
    private static let fix = """
        See whether the session's cookie comes with the callback as the page had set it (host, Secure on http, SameSite, a size above 4096 bytes), and whether all \
        instances of the app have one store for their sessions. Let the callback stop and say so where it knows nothing of the login.
        """
}
