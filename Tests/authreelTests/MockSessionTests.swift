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
}
