import Captures
import Flows
import OAuth

/// A circle of redirects alone: the app's callback sends the browser to the provider again.
enum RedirectedLoop {
    static func violation(in flow: Flow) -> Violation? {
        let requests = flow.authorizationRequests.filter { !$0.isSilent }
        guard requests.count >= LoginRound.fewest else { return nil }
        let callbacks = Set(flow.authorizationResponses.filter { $0.code != nil }.compactMap(\.callback))
        for first in 0..<(requests.count - 2) {
            let round = Array(requests[first...(first + 2)])
            guard round.allSatisfy({ LoginRound.sameness(of: $0) == LoginRound.sameness(of: round[0]) }),
                flow.capture[round[2].exchange].startedAt - flow.capture[round[0].exchange].startedAt
                    <= .seconds(60),
                let one = source(of: round[1], callbacks, flow),
                let two = source(of: round[2], callbacks, flow), one != two,
                !hasCredentials(between: round[1].exchange, round[2].exchange, flow)
            else { continue }
            let told = evidence(of: round, from: [one, two], flow)
            let cached = [one, two].compactMap { storedAnswer(at: $0, flow) }
            guard cached.count < 2 else {
                return Violation(
                    cached + told,
                    explanation: stored,
                    fix: storedFix,
                    title: "A cache in front of the app answers the callback",
                    exchange: one,
                    isCause: true
                )
            }
            let reason = LoopReason.of(round[0], at: [one, two], in: flow)
            return Violation(told + (reason?.evidence ?? []), saying: reason?.words, exchange: one)
        }
        return nil
    }

    /// The callback that a request came from by redirects alone.
    private static func source(of request: AuthorizationRequest, _ callbacks: Set<Int>, _ flow: Flow) -> Int?
    {
        flow.surroundings.redirects(leadingTo: request.exchange).first(where: callbacks.contains)
    }

    private static func hasCredentials(between first: Int, _ last: Int, _ flow: Flow) -> Bool {
        guard let start = flow.exchanges.firstIndex(of: first),
            let end = flow.exchanges.firstIndex(of: last), start < end
        else { return false }
        return flow.exchanges[start..<end].contains { flow.isCredentialPost($0) }
    }

    /// What says that a cache answered a callback, whose code nobody brought to the token endpoint.
    private static func storedAnswer(at callback: Int, _ flow: Flow) -> Evidence? {
        let code = flow.capture[callback].request.url.queryItems.first("code")
        guard let headers = flow.capture[callback].response?.headers,
            !flow.tokenRequests.contains(where: { $0.code == nil || $0.code == code })
        else { return nil }
        return StoredAnswer.header(in: headers).map { name in
            Evidence(
                place: Place(exchange: callback, part: .responseHeader, name: name),
                value: Masking.shown(headers.first(name) ?? "", of: name),
                note: "stored before, and not made for this code, which nobody exchanged"
            )
        }
    }

    private static let stored = """
        A cache between the browser and the app answered the callback with what it had stored for an earlier one. The app never saw the code, began no \
        session, and so the next page begins a login again, which the provider answers at once.
        """
    private static let storedFix = """
        Let the app answer its callback, and all that belongs to the login, with Cache-Control: no-store, and take these paths out of the cache's rules \
        (a CDN that leaves the query out of its key gives everybody the same answer). Empty the cache: what one user's callback set may be in it.
        """

    private static func evidence(
        of requests: [AuthorizationRequest],
        from callbacks: [Int],
        _ flow: Flow
    ) -> [Evidence] {
        let rounds = requests.enumerated().map { number, request in
            LoginRound(
                request: request.exchange,
                callback: number < callbacks.count ? callbacks[number] : nil
            )
        }
        var evidence = LoginRound.evidence(of: rounds, in: flow) { round in
            round.callback.map { [answer(at: $0, flow)] } ?? []
        }
        if let withheld = callbacks.first.flatMap({ WithheldSession(setBy: $0, in: flow) }) {
            evidence.append(withheld.evidence)
        }
        let code = callbacks.first.flatMap { flow.capture[$0].request.url.queryItems.first("code") }
        let token = flow.deliveredIDTokens.first {
            $0.tokenRequest?.code != nil && $0.tokenRequest?.code == code
        }
        if let others = token.flatMap(\.otherAudiences) { evidence.append(others) }
        return evidence
    }

    /// Where the callback sent the browser, and which cookies it set.
    private static func answer(at exchange: Int, _ flow: Flow) -> Evidence {
        let callback = flow.capture[exchange]
        let cookies = callback.response?.setCookies ?? []
        let names = cookies.filter { !$0.isDeletion(at: callback.endedAt) }.map(\.name)
        let oversized = LoopReason.oversized(at: exchange, flow).map {
            "; \($0.name) has \($0.size) bytes, and browsers keep none of more than \(LoopReason.mostBytes)"
        }
        return Evidence(
            place: Place(exchange: exchange, part: .responseLocation, name: ""),
            value: Masking.shown(callback.response?.location ?? "", of: "location"),
            note: names.isEmpty
                ? "the callback sets no cookie"
                : "the callback sets \(names.prefix(6).joined(separator: ", "))\(oversized ?? "")"
        )
    }
}
