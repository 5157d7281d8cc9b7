import Testing

@testable import Provider

/// Which of several recorded answers is played.
struct DialectChoiceTests {
    @Test(
        arguments: [
            ("alice", "shop", 202), ("alice", "other", 201), ("bob", "shop", 203), ("carol", "shop", 202),
            ("carol", "other", 201),
        ] as [(String, String, Int)]
    )
    func userInfoOfTheUserGoesBeforeThatOfTheClient(subject: String, clientID: String, status: Int) {
        var dialect = ProviderDialect()
        for (number, name) in [("alice", "app"), ("alice", "shop"), ("bob", "app")].enumerated() {
            var origin = RecordedOrigin()
            origin.subject = name.0
            let answer = AnswerTemplate(status: 201 + number)
            dialect.userInfo.append(.init(clientID: name.1, answer: answer, origin: origin))
        }
        #expect(dialect.userInfo(of: subject, clientID)?.answer.status == status)
    }
}
