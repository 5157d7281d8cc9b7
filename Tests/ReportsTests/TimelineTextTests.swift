import Captures
import Foundation
import Reports
import TestSupport
import Testing

struct TimelineTextTests {
    private func timeline(of bytes: [UInt8]) throws -> String {
        let capture = try CaptureReader.read(bytes: bytes, name: "login.har")
        return TextReport.timeline(of: ReportBuilder.report(on: capture, named: "login.har"), style: .plain)
    }

    @Test func bodyOfARequestThatWasNotSavedIsTold() throws {
        let words = "the request's body is not in the capture"
        let whole = try Fixtures.bytes("captures/healthy/native-app.har")
        #expect(!(try timeline(of: whole)).contains(words))
        // As a browser writes it whose developer tools were opened late.
        let without = try #require(
            String(bytes: whole, encoding: .utf8)?.replacing("\"postData\":", with: "\"_postData\":")
        )
        let lines = try timeline(of: Array(without.utf8)).split(separator: "\n")
        let step = try #require(lines.firstIndex { $0.contains("token_request") })
        #expect(lines[step + 1].contains(words), "\(lines[step + 1])")
        #expect(
            lines.count { $0.contains(words) }
                == lines.count { $0.contains("  POST ") && $0.contains("token_request") }
        )
    }
}
