import Captures
import OAuth
import Testing

@testable import Provider

/// How often was asked before.
struct CallCountsTests {
    @Test func eachSubjectIsCountedByItself() {
        var counts = CallCounts()
        #expect(counts.count(.endpoint(.token)) == 0)
        #expect(counts.count(.endpoint(.token)) == 1)
        #expect(counts.count(.endpoint(.userInfo)) == 0)
        #expect(counts.count(.pages(clientID: "shop", isSilent: false)) == 0)
        #expect(counts.count(.pages(clientID: "shop", isSilent: true)) == 0)
        #expect(counts[.endpoint(.token)] == 2 && counts[.idToken] == 0)
    }

    @Test func loginBehindTheLastRecordedOneIsTheFirstAgain() {
        var counts = CallCounts()
        for _ in 0..<2 { counts.countLogin(of: 2) }
        _ = counts.count(.endpoint(.token))
        _ = counts.count(.idToken)
        #expect(counts[.login] == 2)
        counts.countLogin(of: 2)
        #expect(counts[.login] == 1 && counts[.endpoint(.token)] == 0)
        #expect(counts[.idToken] == 1)
    }

    /// Anybody may register, under a new name each time.
    @Test func clientWithoutRecordedPagesIsNotCounted() {
        var policy = ProviderPolicy()
        policy.isAsRecorded = true
        let context = ProviderContext(
            configuration: ProviderConfiguration(
                issuer: "https://id.example",
                clients: [],
                users: [],
                keys: []
            ),
            dialect: ProviderDialect(),
            policy: policy,
            random: { Array(repeating: 7, count: $0) },
            now: Timestamp(seconds: 1_790_000_000)
        )
        var engine = ProviderEngine(context, ProviderState())
        let login = PendingLogin(
            clientID: "registered",
            redirectURI: "https://app.example/cb",
            responseType: "code",
            scope: "openid",
            prompt: [],
            parameters: RequestParameters()
        )
        #expect(engine.chooseScript(for: login) == nil)
        #expect(engine.state.counts[.pages(clientID: "registered", isSilent: false)] == 0)
    }
}
