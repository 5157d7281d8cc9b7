import Captures
import Flows
import OAuth

/// The app sends the browser back to the provider right after every answer, and the provider answers at
/// once: a circle.
///
/// The app forgets each time that somebody has just signed in. Why it does is the business of other rules.
struct RedirectLoop: Rule {
    static let info = RuleInfo(
        id: "redirect-loop",
        title: "The login runs in a circle",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider answered with a code, the app took it, and its next redirect led to the provider again, several times within a minute \
            and without anybody typing anything. The app does not know the session it has just made.
            """,
        fix: """
            See whether the callback sets a session cookie and whether the page it redirects to receives it (host, path, Secure, SameSite), \
            and whether the page or its API refuses the fresh token. Let the app stop after two rounds and show the reason.
            """,
        badExample: """
            /authorize → /callback?code=1 → /home → /login → /authorize → /callback?code=2 → /home → /login → /authorize …
            """,
        goodExample: """
            /authorize → /callback?code=1  (Set-Cookie: session=…) → /home 200
            """,
        specifications: [.rfc(6749, "4.1.2"), .rfc(6265, "5.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let violation =
            seen(in: flow) ?? ScriptedLoop.violation(in: flow) ?? RefreshedLoop.violation(in: flow)
            ?? StoppedLoop.violation(in: flow)
        return violation.map { .violated(StoppedLoop.following($0, in: flow)) } ?? .holds
    }

    /// By the recording itself.
    private func seen(in flow: Flow) -> Violation? {
        let requests = flow.authorizationRequests.filter { !$0.isSilent }
        guard requests.count > 2 else { return nil }
        let callbacks = Set(flow.authorizationResponses.filter { $0.code != nil }.compactMap(\.callback))
        for first in 0..<(requests.count - 2) {
            let round = Array(requests[first...(first + 2)])
            guard isSameLogin(round[0], round[1]), isSameLogin(round[0], round[2]),
                flow.capture[round[2].exchange].startedAt - flow.capture[round[0].exchange].startedAt
                    <= .seconds(60),
                let one = source(of: round[1], callbacks, flow),
                let two = source(of: round[2], callbacks, flow), one != two,
                !hasCredentials(between: round[1].exchange, round[2].exchange, flow)
            else { continue }
            let cached = [one, two].compactMap { storedAnswer(at: $0, flow) }
            guard cached.count < 2 else {
                return Violation(
                    cached + evidence(round, [one, two], flow),
                    explanation: Self.stored,
                    fix: Self.storedFix,
                    title: "A cache in front of the app answers the callback",
                    exchange: one,
                    isCause: true
                )
            }
            let reason = LoopReason.of(round[0], at: [one, two], in: flow)
            return Violation(
                evidence(round, [one, two], flow) + (reason?.evidence ?? []),
                saying: reason?.words,
                exchange: one
            )
        }
        return nil
    }

    // MARK: - Conditions

    /// The same login over again; a step up asks for more.
    private func isSameLogin(_ left: AuthorizationRequest, _ right: AuthorizationRequest) -> Bool {
        left.clientID == right.clientID && left.redirectURI == right.redirectURI
            && ["acr_values", "scope", "resource"].allSatisfy { left.parameters[$0] == right.parameters[$0] }
    }

    /// The callback that a request came from by redirects alone.
    private func source(of request: AuthorizationRequest, _ callbacks: Set<Int>, _ flow: Flow) -> Int? {
        flow.surroundings.redirects(leadingTo: request.exchange).first(where: callbacks.contains)
    }

    private func hasCredentials(between first: Int, _ last: Int, _ flow: Flow) -> Bool {
        guard let start = flow.exchanges.firstIndex(of: first),
            let end = flow.exchanges.firstIndex(of: last), start < end
        else { return false }
        return flow.exchanges[start..<end].contains { flow.isCredentialPost($0) }
    }

    /// What says that a cache answered a callback, whose code nobody brought to the token endpoint.
    private func storedAnswer(at callback: Int, _ flow: Flow) -> Evidence? {
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

    // MARK: - Evidence

    private func evidence(_ round: [AuthorizationRequest], _ callbacks: [Int], _ flow: Flow) -> [Evidence] {
        let start = flow.capture[round[0].exchange].startedAt
        var evidence: [Evidence] = []
        for (index, request) in round.enumerated() {
            let exchange = flow.capture[request.exchange]
            let seconds = (exchange.startedAt - start).components.seconds
            evidence.append(
                Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: exchange.request.url.withoutQuery,
                    note: "round \(index + 1), \(seconds) s after the first"
                )
            )
            guard index < callbacks.count else { continue }
            let callback = flow.capture[callbacks[index]]
            let cookies = callback.response?.setCookies ?? []
            let names = cookies.filter { !$0.isDeletion(at: callback.endedAt) }.map(\.name)
            let oversized = LoopReason.oversized(at: callbacks[index], flow).map {
                "; \($0.name) has \($0.size) bytes, and browsers keep none of more than \(LoopReason.mostBytes)"
            }
            evidence.append(
                Evidence(
                    place: Place(exchange: callbacks[index], part: .responseLocation, name: ""),
                    value: Masking.shown(callback.response?.location ?? "", of: "location"),
                    note: names.isEmpty
                        ? "the callback sets no cookie"
                        : "the callback sets \(names.prefix(6).joined(separator: ", "))\(oversized ?? "")"
                )
            )
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
}
