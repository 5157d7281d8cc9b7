import Captures
import Replay
import Synchronization
import Testing

/// What a form says of the page that it was sent from.
struct FormSenderTests {
    private func sent(recording fields: [(String, String)]) async throws -> (
        form: RecordedRequest, page: RecordedURL
    ) {
        let recorded = try ReplayWorld().record()
        let exchanges = recorded.indices.map { index in
            var exchange = recorded[index]
            // The sign-in form, and not the calls of the backend.
            guard exchange.request.method == "POST", exchange.request.headers.first("accept") == "text/html"
            else { return exchange }
            for (name, value) in fields { exchange.request.headers.append(name, value) }
            return exchange
        }
        let world = ReplayWorld(startingAt: 1_790_000_000)
        let run = try await world.replay(Capture(exchanges))
        #expect(run.isComplete, "\(run.results)")
        let asked = world.asked.withLock { $0 }
        let place = try #require(
            asked.firstIndex { $0.method == "POST" && $0.headers.first("accept") == "text/html" }
        )
        let page = try #require(
            asked[..<place].last { $0.method == "GET" && $0.headers.first("accept") == "text/html" }
        )
        return (asked[place], page.url)
    }

    /// Django and Flask refuse a form without by https.
    @Test func isThePageOfThisRun() async throws {
        let (form, page) = try await sent(recording: [
            ("Referer", ReplayWorld.issuer + "/authorize?state=of-then"), ("Origin", "https://idp.example"),
        ])
        #expect(page.query != nil)
        #expect(form.headers.all("referer") == [page.text])
        #expect(form.headers.all("origin") == ["https://idp.example"])
    }

    @Test(arguments: [
        ([("Referer", "https://idp.example/"), ("Origin", "null")], "https://idp.example/", "null"),
        ([], nil, nil), ([("Origin", "https://idp.example")], nil, "https://idp.example"),
    ])
    func saysNoMoreThanTheRecordedBrowser(fields: [(String, String)], referer: String?, origin: String?)
        async throws
    {
        let (form, _) = try await sent(recording: fields)
        #expect(form.headers.first("referer") == referer)
        #expect(form.headers.first("origin") == origin)
    }
}
