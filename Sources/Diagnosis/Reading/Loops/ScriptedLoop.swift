import Captures
import Flows
import OAuth

/// A circle without redirects of the app: the page at the redirect URI is loaded, and its script goes to the provider again at once.
///
/// Each round is a login of its own. Told once, of the first.
enum ScriptedLoop {
    static func violation(in flow: Flow) -> Violation? {
        let index = flow.surroundings
        guard let rounds = index.derived.value({ Found(in: index) }).circles.rounds(begunBy: flow) else {
            return nil
        }
        let evidence = LoginRound.evidence(of: rounds, in: flow) { round in
            round.callback.map { callback in
                let note = "the page at the redirect URI, whose script went to the provider again"
                return [flow.statusEvidence(of: callback, note: note)]
            } ?? []
        }
        return Violation(
            evidence,
            explanation: explanation,
            fix: fix,
            exchange: rounds[0].callback
        )
    }

    /// In a capture, found once.
    private struct Found: Sendable {
        private(set) var circles = LoginCircles()

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
            let logins = Dictionary(grouping: requests, by: LoginRound.sameness).values
            for login in logins where login.count >= LoginRound.fewest {
                var run: [LoginRound] = []
                for request in login {
                    let isRound =
                        run.last?.callback.map { Self.isLed(to: request, from: $0, in: index) } ?? false
                    let page = request.state.flatMap { pages[$0] }
                    // Somebody who types anything between two rounds is in none; the first may begin with that.
                    let isAtOnce = page?.sender == request.exchange
                    if !isRound {
                        circles.add(run)
                        run = []
                    }
                    run.append(
                        LoginRound(
                            request: request.exchange,
                            callback: run.isEmpty || isAtOnce ? page?.callback : nil
                        )
                    )
                }
                circles.add(run)
            }
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
