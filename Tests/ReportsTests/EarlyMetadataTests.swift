import Captures
import Flows
import Reports
import TestSupport
import Testing

/// Apps read metadata and keys when they start: a login that uses them later takes as long as it takes.
struct EarlyMetadataTests {
    private static func shown(readBefore time: Duration) throws -> [Substring] {
        let name = "captures/healthy/web-code-flow.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let exchanges = capture.indices.map { index in
            var exchange = capture[index]
            let isPreparation = ["/.well-known/openid-configuration", "/jwks"].contains(
                exchange.request.url.path
            )
            if isPreparation { exchange.startedAt = exchange.startedAt - time }
            return exchange
        }
        let report = ReportBuilder.report(on: Capture(exchanges), named: name)
        return TextReport.timeline(of: report, style: .plain).split(separator: "\n")
    }

    @Test func timesCountFromTheLoginsOwnBeginning() throws {
        let lines = try Self.shown(readBefore: .seconds(7 * 3600))
        #expect(lines[1] == "  started 2026-03-15T09:15:00.060000Z, 8580 ms, exchanges in [brackets]")
        #expect(lines[2].hasPrefix("      -7 h  [0]") && lines[3].hasPrefix("      -6 h  [6]"))
        #expect(lines[4].hasPrefix("    +0.000  [1]"))
        #expect(try Self.shown(readBefore: .seconds(150))[2].hasPrefix("    -2 min  [0]"))
        #expect(try Self.shown(readBefore: .seconds(80))[2].hasPrefix("     -80 s  [0]"))
    }

    @Test func whatIsReadForTheLoginIsAPartOfIt() throws {
        let lines = try Self.shown(readBefore: .seconds(30))
        #expect(lines[1].hasPrefix("  started 2026-03-15T09:14:30.000000Z, 38"))
        #expect(lines[2].hasPrefix("    +0.000  [0]"))
    }
}
