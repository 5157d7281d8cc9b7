import Captures
import Flows
import JOSE
import OAuth

/// A login that was left lying because the same browser began another one for the app: a button pressed twice, a page loaded again.
struct SupersededLogin {
    /// The later request, and what became of it.
    private let evidence: Evidence

    /// Nil where no other login of the app began within a minute of `last`, the exchange at which this one was left.
    init?(_ request: AuthorizationRequest, leftAt last: Int, in flow: Flow) {
        guard let client = request.clientID else { return nil }
        let index = flow.surroundings
        let start = flow.capture[request.exchange].startedAt
        let seen = flow.capture[last].startedAt
        let later = index.authorizationRequests(after: start, within: seen - start + Self.longestPause)
        let next = later.prefix(Self.mostLater).first {
            $0.clientID == client && !$0.isSilent && $0.redirectURI == request.redirectURI
                && $0.endpoint.host == request.endpoint.host && Self.isOther($0, than: request)
                && !index.browsers.areOnTwoDevices(request.exchange, $0.exchange)
        }
        guard let next else { return nil }
        let answered = index.derived.value { AnsweredStates(in: index) }.all
        let isAnswered = next.state.map(answered.contains) ?? false
        let pause = flow.capture[next.exchange].startedAt - start
        evidence = Evidence(
            place: Place(exchange: next.exchange, part: .requestURL, name: ""),
            value: Masking.shown(flow.capture[next.exchange].request.url.withoutQuery, of: "url"),
            note: "the next login of this app in the same browser, begun \(pause.words) after this one"
                + (isAnswered ? ", which the provider answered" : "")
        )
    }

    /// Of a request that the browser broke off before it was answered.
    func violation(at request: AuthorizationRequest, in flow: Flow) -> Violation {
        let exchange = flow.capture[request.exchange]
        return Violation(
            [
                Evidence(
                    place: Place(exchange: request.exchange, part: .responseStatus, name: ""),
                    value: Masking.shown(exchange.failure ?? "none", of: "failure"),
                    note: "the browser did not wait for an answer"
                ), evidence,
            ],
            saying: Self.words,
            exchange: request.exchange
        )
    }

    /// What is said of a login that was left at a page, with what came next; `isUntouched`: nobody had entered anything there.
    func following(_ violation: Violation, isUntouched: Bool) -> Violation {
        var violation = violation
        violation.evidence.append(evidence)
        guard isUntouched else { return violation }
        violation.say(Self.words)
        return violation
    }

    /// Loaded again, a request is the same one.
    private static func isOther(_ later: AuthorizationRequest, than request: AuthorizationRequest) -> Bool {
        guard let state = later.state, let before = request.state else { return false }
        return state != before && !Placeholder.isOne(state) && !Placeholder.isOne(before)
    }

    /// Between what is seen of a login last and the next one.
    private static let longestPause = Duration.seconds(60)
    /// Who begins a login anew does so soon.
    private static let mostLater = 200

    private static let words = Violation.Words(
        title: "The login was begun anew before it was finished",
        explanation: """
            The same browser began another login of this app, with a state of its own, while this one was open. This one was left lying; what became of \
            the user is told by the later one.
            """,
        fix: """
            Nothing is wrong with this login. Where nobody pressed the button twice, look for what begins a login by itself and once more: an effect that \
            runs twice, a page that redirects before the first redirect is through, two parts of a page that both find nobody signed in.
            """
    )
}

/// The states with which providers answered without an error, read once for all logins of a capture.
private struct AnsweredStates: Sendable {
    let all: Set<String>

    init(in index: CaptureIndex) {
        all = Set(index.responses.lazy.filter { $0.error == nil }.compactMap(\.state))
    }
}
