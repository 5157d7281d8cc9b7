import Captures
import Flows
import OAuth

/// A circle without redirects of the app: the page at the redirect URI is loaded, and its script goes to the provider again at once.
///
/// Each round is a login of its own. Told once, of the first.
enum ScriptedLoop {
    static func violation(in flow: Flow) -> Violation? {
        guard let first = flow.authorizationRequests.first,
            let rounds = flow.surroundings.derived.value({ Rounds(in: flow.surroundings) })
                .byFirst[first.exchange]
        else { return nil }
        let start = flow.capture[rounds[0].request].startedAt
        var evidence: [Evidence] = []
        for (number, round) in rounds.prefix(3).enumerated() {
            let request = flow.capture[round.request]
            evidence.append(
                flow.urlEvidence(
                    of: round.request,
                    note:
                        "round \(number + 1), \((request.startedAt - start).components.seconds) s after the first"
                )
            )
            guard number < 2, let callback = round.callback else { continue }
            evidence.append(
                flow.statusEvidence(
                    of: callback,
                    note: "the page at the redirect URI, whose script went to the provider again"
                )
            )
        }
        return Violation(
            evidence,
            explanation: explanation,
            fix: fix,
            exchange: rounds[0].callback
        )
    }

    /// What is alike in two requests for the same login; a step up asks for more.
    static func sameness(of request: AuthorizationRequest) -> [String?] {
        [request.clientID, request.redirectURI]
            + ["acr_values", "scope", "resource"].map { request.parameters[$0] }
    }

    private struct Round: Sendable {
        var request: Int
        /// The page that its answer came to, and from which the next round began.
        var callback: Int?
    }

    /// The circles of a capture by their first requests, found once.
    private struct Rounds: Sendable {
        private(set) var byFirst: [Int: [Round]] = [:]

        init(in index: CaptureIndex) {
            // By `state`: the page that an answer came to, and who sent it there.
            var pages: [String: (callback: Int, sender: Int?)] = [:]
            for response in index.responses {
                guard let state = response.state, response.code != nil, let callback = response.callback,
                    let answer = index.capture[callback].response, answer.isSuccessful,
                    // Who took the code has signed somebody in: logins may well follow one another then.
                    answer.setCookies.isEmpty, HandedOnCode.isCarried(response, in: index) == false
                else { continue }
                pages[state] = (callback, response.deliveredBy)
            }
            guard pages.count > 1 else { return }
            let requests = index.authorizationRequests.filter { !$0.isSilent && $0.state != nil }
                .sorted { index.position[$0.exchange] < index.position[$1.exchange] }
            let logins = Dictionary(grouping: requests, by: ScriptedLoop.sameness).values
            for login in logins where login.count > 2 {
                var run: [Round] = []
                for request in login {
                    let isRound =
                        run.last?.callback.map { Self.isLed(to: request, from: $0, in: index) } ?? false
                    let page = request.state.flatMap { pages[$0] }
                    // Somebody who types anything between two rounds is in none; the first may begin with that.
                    let isAtOnce = page?.sender == request.exchange
                    if !isRound {
                        add(run)
                        run = []
                    }
                    run.append(
                        Round(
                            request: request.exchange,
                            callback: run.isEmpty || isAtOnce ? page?.callback : nil
                        )
                    )
                }
                add(run)
            }
        }

        private mutating func add(_ run: [Round]) {
            if run.count > 2 { byFirst[run[0].request] = run }
        }

        /// Whether a page of the callback's origin began a login right after that was loaded.
        private static func isLed(
            to request: AuthorizationRequest,
            from callback: Int,
            in index: CaptureIndex
        )
            -> Bool
        {
            let page = index.capture[callback]
            let next = index.capture[request.exchange]
            guard index.redirectedFrom[request.exchange] == nil, next.startedAt >= page.endedAt,
                next.startedAt - page.endedAt <= .seconds(3)
            else { return false }
            let referer = next.request.headers.first("referer").map { RecordedURL($0) }
            return referer.map { $0.origin == page.request.url.origin } ?? true
        }
    }

    private static let explanation = """
        The provider answered with a code, the page at the redirect URI was loaded, and its script went to the provider again at once, several times \
        within seconds. The page begins a login before it has looked at the answer that it was loaded with, or does not like what it finds there.
        """
    private static let fix = """
        Start the library once, wait until it has dealt with the answer in the address, and begin a login only when it says then that nobody is signed \
        in: look for a second call in a route guard, an interceptor, or an effect that runs twice. \
        Let the page stop after a failed round and show the reason.
        """
}
