import Captures
import TestSupport
import Testing

@testable import Flows

/// What a browser's log has beside the requests that were sent.
struct UnsentEntriesTests {
    private func healthy() throws -> [Exchange] {
        let path = "captures/healthy/web-code-flow.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        return capture.indices.map { capture[$0] }
    }

    private func isBrowsers(_ exchange: Exchange) -> Bool {
        exchange.request.method == "GET"
            && exchange.request.headers.first("user-agent")?.hasPrefix("Mozilla/") == true
    }

    /// Chrome's redirect to https, with the server's redirect to http before it.
    @Test func redirectThatTheBrowserMadeUpIsNoStep() throws {
        let exchanges = try healthy()
        let more = exchanges.flatMap { exchange -> [Exchange] in
            guard isBrowsers(exchange), exchange.request.url.text.hasPrefix("https:") else {
                return [exchange]
            }
            var plain = exchange
            plain.request.url = RecordedURL("http:" + exchange.request.url.text.dropFirst(6))
            plain.response = RecordedResponse(status: 307)
            plain.response?.headers = HeaderFields([
                ("Location", exchange.request.url.text), ("Non-Authoritative-Reason", "HSTS"),
            ])
            return [plain, exchange]
        }
        #expect(more.count > exchanges.count)
        let flows = FlowFinder.flows(in: Capture(more))
        #expect(flows.map(\.ending) == [.success])
        #expect(flows.first?.steps.count == FlowFinder.flows(in: Capture(exchanges)).first?.steps.count)
    }

    @Test(arguments: [
        ("net::ERR_ABORTED", true), ("NS_BINDING_ABORTED", true), ("net::ERR_CONNECTION_RESET", false),
    ])
    func navigationThatWasGivenUpForTheSameOneIsNoStep(failure: String, isUnsent: Bool) throws {
        let exchanges = try healthy()
        let place = try #require(
            exchanges.firstIndex { isBrowsers($0) && $0.request.url.text.contains("client_id") }
        )
        var given = exchanges[place]
        given.response = nil
        given.failure = failure
        let more = Capture(exchanges[..<place] + [given] + exchanges[place...])
        #expect((UnsentEntries.sent(in: more, order: Array(more.indices)) == [place: place + 1]) == isUnsent)
        if isUnsent { #expect(FlowFinder.flows(in: more).map(\.ending) == [.success]) }
    }

    /// As a form's, it may have been taken.
    @Test func formThatWasGivenUpCounts() throws {
        var exchanges = try healthy()
        let place = try #require(exchanges.firstIndex { $0.request.method == "POST" })
        var given = exchanges[place]
        given.response = nil
        given.failure = "net::ERR_ABORTED"
        exchanges.insert(given, at: place)
        #expect(UnsentEntries.sent(in: Capture(exchanges), order: Array(exchanges.indices)).isEmpty)
    }

    /// Where times are whole seconds, a file that runs downwards is read upwards.
    @Test func newestFirstIsReadFromTheEnd() throws {
        let seconds = try healthy().map { exchange in
            var exchange = exchange
            exchange.startedAt = Timestamp(seconds: exchange.startedAt.seconds)
            return exchange
        }
        let last = seconds.count - 1
        var downwards = Array(seconds.reversed())
        downwards[last].startedAt = downwards[last].startedAt - .seconds(1)
        let steps = FlowFinder.flows(in: Capture(downwards)).first?.steps.map(\.exchange)
        #expect(steps == FlowFinder.flows(in: Capture(seconds)).first?.steps.map { last - $0.exchange })
    }

    @Test func serverThatSentTheBrowserToHTTPLedItToHTTPS() {
        var capture = CaptureBuilder()
        capture.redirect("https://idp.example/start", to: "http://idp.example/a?b=c")
        capture.get("https://idp.example/a?b=c")
        capture.get("https://idp.example:8443/a?b=c")
        #expect(CaptureIndex(Capture(capture.exchanges)).redirectedFrom == [1: 0])
    }
}
