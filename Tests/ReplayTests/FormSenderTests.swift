import Captures
import Synchronization
import Testing

@testable import Replay

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

    /// Referrer Policy, section 3.9: nothing is told where anybody on the way could read it that could not read the page.
    @Test(
        arguments: [
            ("https://idp.example/in?a=b", "https://idp.example/go", "https://idp.example/in?a=b"),
            ("https://idp.example/in?a=b", "https://app.example/cb", "https://idp.example/"),
            ("https://idp.example/in", "http://app.example/cb", nil),
            ("https://idp.example/in", "http://127.0.0.1:3000/cb", "https://idp.example/"),
            ("http://localhost:8090/in", "http://app.example/cb", nil),
            ("http://app.example/in", "http://idp.example/", "http://app.example/"),
            ("com.example.app:/in", "https://idp.example/go", nil),
        ] as [(String, String, String?)]
    )
    func pageIsToldWhereNobodyElseHearsOfIt(page: String, target: String, referer: String?) {
        let sender = FormSender(
            page: RecordedRequest(method: "GET", url: RecordedURL(page)),
            target: RecordedURL(target),
            isPost: true
        )
        let fields = sender.fields(like: nil, isTelling: true)
        #expect(fields.first { $0.name == "Referer" }?.value == referer)
    }
}
