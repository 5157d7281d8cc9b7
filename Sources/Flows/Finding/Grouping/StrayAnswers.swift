import Captures
import JOSE
import OAuth

/// Answers that come to where an open login awaits its own, and are none: those of logins which began before the recording did, old
/// addresses that somebody opens, a scanner's.
struct StrayAnswers {
    private let index: CaptureIndex
    private let ahead: AnswersAhead

    init(_ index: CaptureIndex, _ ahead: AnswersAhead) {
        self.index = index
        self.ahead = ahead
    }

    /// Whether an answer with another state, or without one, is none of a login whose own answer is in the capture as well.
    func isOne(_ response: AuthorizationResponse, at flow: FlowBuilder) -> Bool {
        guard let request = flow.requests.last, let sent = request.state, sent != response.state,
            ahead.answeredStates.contains(sent) || isRedeemedForAnother(response, than: request)
        else { return false }
        return (response.state.map { !Placeholder.isOne($0) } ?? true) && !isTaken(response, by: request)
    }

    /// Whether the app took an answer in the browser that it had sent on with a request: it does not look at the state then, and
    /// anybody may slip an answer in.
    private func isTaken(_ response: AuthorizationResponse, by request: AuthorizationRequest) -> Bool {
        let capture = index.capture
        guard let callback = response.callback, let answer = capture[callback].response, answer.status < 400,
            let source = request.isUnseen ? request.exchange : index.redirectedFrom[request.exchange]
        else { return false }
        let begun = capture[source]
        let known = Set(
            (begun.response?.setCookies.map(\.value) ?? []) + begun.request.cookies.map(\.value)
        ).filter { $0.utf8.count >= 8 }
        return capture[callback].request.cookies.contains { known.contains($0.value) }
    }

    /// Whether the code of an answer was exchanged with success by a verifier that a request's challenge does not go with: two
    /// values of a login that is not in the capture.
    private func isRedeemedForAnother(_ response: AuthorizationResponse, than request: AuthorizationRequest)
        -> Bool
    {
        guard let code = response.code, let challenge = request.codeChallenge,
            let exchange = ahead.exchanges[code],
            let verifier = exchange.codeVerifier, !Placeholder.isOne(verifier), !Placeholder.isOne(challenge)
        else { return false }
        return CodeChallenge.relation(of: challenge, to: verifier) == nil
    }
}
