import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct CodeInRefererTests {
    private let rule = "code-in-referer"
    private let broken = "security-practice/code-in-referer"

    @Test func namesWhoWasToldAndMasksTheCode() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["6 request.header Referer"])
        #expect(finding.notes == ["told to metrics.lantern.example"])
        #expect(finding.evidence[0].value.contains("code=") && finding.evidence[0].value.contains("…(32)"))
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: [
        "https://www.shop.example/pixel.gif", "https://cdn.shop.example/pixel.gif",
        "https://id.harbour.example/x",
    ])
    func leavesTheOwnSitesAlone(url: String) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/pixel.gif" { exchange.request.url = RecordedURL(url) }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAnotherCodeAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/pixel.gif" else { return }
            exchange.request.headers.replace(
                "Referer",
                with: "https://www.shop.example/voucher?code=SUMMER2026"
            )
        }
        #expect(recording.finding(rule) == nil)
    }
}
