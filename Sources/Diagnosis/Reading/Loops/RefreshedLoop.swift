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
        let start = flow.capture[rounds[0].request.exchange].startedAt
        var evidence: [Evidence] = []
        for (number, round) in rounds.prefix(3).enumerated() {
            let asked = round.request.exchange
            let seconds = (flow.capture[asked].startedAt - start).components.seconds
            evidence.append(
                flow.urlEvidence(of: asked, note: "round \(number + 1), \(seconds) s after the first")
            )
            guard number < 2, let way = round.way else { continue }
            if !flow.surroundings.isSanitized(at: way.callback) {
                let names = flow.capture[way.callback].request.cookies.map(\.name)
                evidence.append(
                    Evidence(
                        place: Place(exchange: way.callback, part: .requestHeader, name: "Cookie"),
                        value: CookieNames.shown(names),
                        note: "cookies sent with the callback"
                    )
                )
            }
            evidence.append(
                flow.statusEvidence(
                    of: way.page,
                    note: "the page that the callback led to, which goes to the provider by itself"
                )
            )
        }
        return Violation(
            evidence,
            explanation: explanation,
            fix: fix,
            exchange: rounds[0].way?.callback
        )
    }

    /// Whether the last round of the circle that a flow began came to nothing else: to the page that goes on to the next one, or to
    /// nothing that was recorded.
    static func isEndless(in flow: Flow) -> Bool {
        guard let last = rounds(in: flow)?.last?.request else { return false }
        let index = flow.surroundings
        let answer = index.responses.first { $0.deliveredBy == last.exchange && $0.code != nil }
        guard let callback = answer?.callback else { return true }
        let end = flow.capture[FailedLoginNotice.landing(of: callback, in: index)]
        guard let response = end.response, response.location == nil else { return true }
        return Rounds.target(of: end)?.normalizedWithoutQuery
            == flow.capture[last.exchange].request.url.normalizedWithoutQuery
    }

    private static func rounds(in flow: Flow) -> [Round]? {
        guard let first = flow.authorizationRequests.first else { return nil }
        return flow.surroundings.derived.value { Rounds(in: flow.surroundings) }.byFirst[first.exchange]
    }

    private struct Round: Sendable {
        var request: AuthorizationRequest
        /// The callback that its answer came to, and the page behind it, from which the next round began.
        var way: (callback: Int, page: Int)?
    }

    /// The circles of a capture by their first requests, found once.
    private struct Rounds: Sendable {
        private(set) var byFirst: [Int: [Round]] = [:]

        init(in index: CaptureIndex) {
            // By callback: the request that was answered with a code at once.
            var requests: [Int: Int] = [:]
            for response in index.responses where response.code != nil {
                guard let callback = response.callback, let sender = response.deliveredBy else { continue }
                requests[callback] = sender
            }
            guard requests.count > 1 else { return }
            var run: [Round] = []
            for request in index.authorizationRequests.filter({ !$0.isSilent }).sorted(by: {
                index.position[$0.exchange] < index.position[$1.exchange]
            }) {
                if let last = run.last,
                    ScriptedLoop.sameness(of: last.request) == ScriptedLoop.sameness(of: request),
                    let page = Self.page(leadingTo: request, in: index),
                    let callback = Self.callback(leadingTo: page, among: requests, in: index),
                    requests[callback] == last.request.exchange
                {
                    run[run.count - 1].way = (callback, page)
                } else {
                    add(run)
                    run = []
                }
                run.append(Round(request: request))
            }
            add(run)
        }

        private mutating func add(_ run: [Round]) {
            if run.count > 2 { byFirst[run[0].request.exchange] = run }
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
            var exchange = page
            for _ in 0..<5 {
                if callbacks[exchange] != nil { return exchange }
                guard let source = index.redirectedFrom[exchange] else { return nil }
                exchange = source
            }
            return nil
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
