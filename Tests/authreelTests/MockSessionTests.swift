import Captures
import Flows
import Testing

@testable import authreel

/// What is told on the terminal of an answer that refuses.
struct MockSessionTests {
    @Test(
        arguments: [
            (nil, nil, nil), ("invalid_client", nil, "invalid_client"), (nil, "iss is shop2", "iss is shop2"),
            ("invalid_client", "iss is shop2", "invalid_client (iss is shop2)"),
        ] as [(String?, String?, String?)]
    )
    func whatTheAnswerDoesNotSayStandsBehindIt(said: String?, explanation: String?, told: String?) {
        #expect(MockSession.words(said, explanation) == told)
    }

    /// Pings and pushes of CIBA are no message that anybody else sends.
    @Test(
        arguments: [
            (StepKind.tokenRequest, false, "token_request"), (nil, true, "client_notification"),
            (.backChannelLogoutRequest, true, "backchannel_logout_request"), (nil, false, "post"),
        ] as [(StepKind?, Bool, String)]
    )
    func whatIsSaidUnaskedHasAName(kind: StepKind?, isNotice: Bool, name: String) {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(method: "POST", url: RecordedURL("http://localhost:3000/push"))
        )
        #expect(MockSession.name(of: exchange, kind, isNotice: isNotice) == name)
    }

    /// A logout that a client is told of goes to a path of the client's, which may be one of the provider's, too.
    @Test(
        arguments: [
            (200, false, "200  /logout", false), (404, false, "404  /logout", true),
            (204, true, "204  localhost:3000/logout", false), (nil, true, "–    localhost:3000/logout", true),
        ] as [(Int?, Bool, String, Bool)]
    )
    func whatIsSaidUnaskedHasItsHost(status: Int?, isNotice: Bool, words: String, isBad: Bool) {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(method: "POST", url: RecordedURL("http://localhost:3000/logout")),
            response: status.map { RecordedResponse(status: $0) }
        )
        let outcome = MockSession.outcome(of: exchange, isNotice: isNotice)
        #expect("\(outcome.status)  \(outcome.address)" == words && outcome.isBad == isBad)
    }
}
