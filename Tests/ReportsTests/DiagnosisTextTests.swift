import Captures
import Diagnosis
import TestSupport
import Testing

@testable import Reports

struct DiagnosisTextTests {
    /// A warning says that something may break a login, not that it did.
    @Test func warningIsNoRootCause() throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let report = ReportBuilder.report(on: capture, named: name)
        var item = try #require(report.flows.first)
        let words = "no rule that was asked found why"
        let told = DiagnosisText(item: item, showsAbstentions: false, style: .plain).text
        #expect(told.contains("← root cause") && !told.contains(words))

        item.diagnosis.findings = item.diagnosis.findings.prefix(1).map { finding in
            var finding = finding
            finding.severity = .warning
            return finding
        }
        let doubtful = DiagnosisText(item: item, showsAbstentions: false, style: .plain).text
        #expect(!doubtful.contains("root cause") && doubtful.contains(words))
    }
}
