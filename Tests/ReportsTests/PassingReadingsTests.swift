import Captures
import Flows
import TestSupport
import Testing

@testable import Reports

/// A client that reads metadata and keys before each login leaves those of all of them in each.
struct PassingReadingsTests {
    private static let documents = [
        "https://idp.example/.well-known/openid-configuration", "https://idp.example/jwks",
    ]

    private static let metadata = Body.json(
        #"{"issuer":"https://idp.example","jwks_uri":"https://idp.example/jwks","authorization_endpoint":"https://idp.example/authorize","token_endpoint":"https://idp.example/token"}"#
    )

    private static func report(logins: Int, status: Int = 200) -> Report {
        var builder = CaptureBuilder()
        for number in 0..<logins {
            builder.get(documents[0], number == 1 ? status : 200, body: metadata)
            builder.get(documents[1], body: .json(#"{"keys":[]}"#))
            builder.login(number)
        }
        return ReportBuilder.report(on: builder.capture, named: "day.har")
    }

    @Test func thoseOfOtherLoginsAreOneLine() throws {
        let report = Self.report(logins: 4)
        #expect(report.flows.count == 4)
        let third = report.flows[2]
        #expect(third.passingReadings == [0, 1, 5, 6, 15, 16])
        #expect(third.flow.exchanges.contains(0))
        let lines = TextReport.timeline(of: report, style: .plain).split(separator: "\n")
        let shown = lines.drop { !$0.hasPrefix("flow-3") }.prefix { !$0.hasPrefix("flow-4") }
        #expect(shown.count { $0.contains(" discovery ") } == 1 && shown.count { $0.contains(" jwks ") } == 1)
        #expect(
            shown.contains(
                "  metadata and keys were read before or after it as well: [0] [1] [5] [6] [15] [16]"
            )
        )
        let rows = SequenceDiagramBuilder.diagram(of: third, in: report.capture).rows
        #expect(rows.contains(.folded([0, 1, 5, 6])) && rows.contains(.folded([15, 16])))
    }

    /// It may have been read for this one, however long before.
    @Test func theLastBeforeTheLoginIsTold() throws {
        var builder = CaptureBuilder()
        for _ in 0..<5 {
            builder.get(Self.documents[0], body: Self.metadata)
            builder.wait(300)
        }
        builder.login(0)
        let report = ReportBuilder.report(on: builder.capture, named: "day.har")
        #expect(try #require(report.flows.first).passingReadings == [0, 1, 2, 3])
    }

    @Test func fewAreToldOneByOne() {
        let flows = Self.report(logins: 2).flows
        #expect(flows.count == 2 && flows.allSatisfy { $0.passingReadings.isEmpty })
    }

    @Test func whatWasRefusedIsTold() {
        #expect(Self.report(logins: 4, status: 503).flows[2].passingReadings == [0, 1, 6, 15, 16])
    }
}
