import Captures
import Flows
import OAuth

/// A redirect to the redirect URI that brings neither a code nor an error (``CodeMissing``): what else it brings is judged like that of
/// any answer.
struct CodelessAnswer: Sendable {
    var request: AuthorizationRequest
    /// The redirect URI.
    private var asked: RecordedURL
    /// The exchange that redirects.
    var exchange: Int
    var target: RecordedURL
    /// Whether the provider put the answer behind a second question mark, in the last value of the redirect URI's own query.
    var isBehindSecondMark: Bool
    /// Whether it may have been in the fragment, which recorders leave out.
    var mayBeInFragment: Bool

    private init?(to attempt: LoginAttempt, in flow: Flow) {
        guard attempt.response == nil, let awaited = AwaitedCode(of: attempt, in: flow),
            awaited.isForAppAlone
        else { return nil }
        let redirect = flow.providerRedirects(of: awaited.request).first { page, target in
            target.normalizedWithoutQuery == awaited.address.normalizedWithoutQuery
                && Endpoints.conventionalRole(of: flow.capture[page].request.url) != .endSession
                // What has no value counts as omitted (RFC 6749, section 3.1).
                && !AuthorizationResponse.isResponse(target.queryAndFragmentItems, mode: .query)
        }
        guard let redirect else { return nil }
        request = awaited.request
        asked = awaited.address
        (exchange, target) = redirect
        isBehindSecondMark = Self.isBehindSecondMark(target, of: asked)
        mayBeInFragment =
            !isBehindSecondMark && target.fragment == nil && Self.mayBeInFragment(attempt)
    }

    /// As they stand in the redirect, without what the redirect URI has in its own query.
    var parameters: Parameters {
        let own = asked.queryItems.items.map(\.name)
        let items = target.queryItems.items.filter { !own.contains($0.name) } + target.fragmentItems.items
        return Parameters(QueryItems(items: items), of: exchange, in: .responseLocation)
    }

    /// Nil where the login has another answer, or none that is seen.
    static func of(_ attempt: LoginAttempt, in flow: Flow) -> CodelessAnswer? {
        known(in: flow).byAttempt[attempt.exchange]
    }

    /// Each redirect once, of as many logins as the finding tells, in order of time.
    static func all(in flow: Flow) -> [CodelessAnswer] { known(in: flow).told }

    private static func known(in flow: Flow) -> Known { flow.derived.value { Known(in: flow) } }

    private struct Known: Sendable {
        private(set) var byAttempt: [Int: CodelessAnswer] = [:]
        private(set) var told: [CodelessAnswer] = []

        init(in flow: Flow) {
            for attempt in flow.loginAttempts {
                byAttempt[attempt.exchange] = CodelessAnswer(to: attempt, in: flow)
            }
            let responses = Set(flow.authorizationResponses.compactMap(\.deliveredBy))
            let answers = flow.loginAttempts.compactMap { byAttempt[$0.exchange] }.filter {
                !$0.mayBeInFragment && !responses.contains($0.exchange)
            }
            for answer in answers.prefix(RepeatedViolation.most) {
                // A request that is made once more leads to the same pages: the answer is the last one's.
                told.removeAll { $0.exchange == answer.exchange }
                told.append(answer)
            }
        }
    }

    private static func isBehindSecondMark(_ target: RecordedURL, of asked: RecordedURL) -> Bool {
        guard let last = asked.queryItems.items.last else { return false }
        return target.queryItems.items.contains { item in
            item.name == last.name
                && ["code=", "error=", "state=", "response=", "iss="].contains {
                    item.value.utf8.starts(with: (last.value + "?" + $0).utf8)
                }
        }
    }

    private static func mayBeInFragment(_ attempt: LoginAttempt) -> Bool {
        guard let mode = attempt["response_mode"] else { return attempt.responseTypes.count > 1 }
        return mode.hasPrefix("fragment") || mode == "jwt" && attempt.responseTypes.count > 1
    }
}
