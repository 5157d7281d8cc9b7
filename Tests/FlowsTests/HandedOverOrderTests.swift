import Captures
import JSON
import TestSupport
import Testing

@testable import Flows

/// The steps of a login whose halves were recorded by two clocks that are known to each other only nearly.
struct HandedOverOrderTests {
    /// A login as two files tell of it, the browser's and the backend's, in the order of the recorded times.
    private func merged(files: Int = 2, _ change: (inout Exchange) -> Void) throws -> Capture {
        let path = "captures/healthy/web-code-flow.har"
        let whole = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        let exchanges = whole.indices.map { index in
            var exchange = whole[index]
            let isBrowsers = exchange.client.process == "firefox" || files < 2
            exchange.provenance.seen = [.init(file: isBrowsers ? "browser.har" : "server.har", entry: index)]
            change(&exchange)
            return exchange
        }
        var capture = Capture(exchanges.sorted { $0.startedAt < $1.startedAt })
        let clocks: [ImportStatement.Clock] = [.reference, .unknown]
        let statement = ImportStatement(
            files: zip(["browser.har", "server.har"], clocks).prefix(files).map {
                .init(name: $0, clock: $1)
            },
            isAligned: false
        )
        capture.logMembers["_authreel"] = ["imported": statement.json]
        return capture
    }

    private func kinds(_ capture: Capture) throws -> [StepKind] {
        let flows = FlowFinder.flows(in: capture)
        #expect(flows.map(\.ending) == [.success])
        return try #require(flows.first).steps.map(\.kind)
    }

    private func isLate(_ exchange: Exchange) -> Bool { exchange.request.url.text.contains("/callback?") }

    /// 40 ms lie between the callback and the token request.
    @Test(arguments: [41, 130, 500]) func callbackThatIsNotedLateStandsBeforeWhatSpendsItsCode(late: Int)
        throws
    {
        let wanted = try kinds(merged { _ in })
        #expect(wanted.contains(.tokenRequest))
        let capture = try merged { exchange in
            if isLate(exchange) { exchange.startedAt = exchange.startedAt + .milliseconds(late) }
        }
        #expect(try kinds(capture) == wanted)
    }

    /// What a busy browser noted late by the same time stays in its own order.
    @Test func redirectToItGoesUpWithIt() throws {
        let wanted = try kinds(merged { _ in })
        let capture = try merged { exchange in
            let isSignIn = exchange.request.url.text.hasSuffix("/sign-in")
            if isLate(exchange) || isSignIn { exchange.startedAt = exchange.startedAt + .milliseconds(150) }
        }
        #expect(try kinds(capture) == wanted)
    }

    @Test(arguments: [(files: 2, late: 1200), (files: 1, late: 130)])
    func whatIsFurtherApartOrOfOneClockStaysAsItIs(files: Int, late: Int) throws {
        let capture = try merged(files: files) { exchange in
            if isLate(exchange) { exchange.startedAt = exchange.startedAt + .milliseconds(late) }
        }
        #expect(EntryOrder(capture).entries == Array(capture.indices))
    }
}
