import Captures
import Diagnosis
import Reports
import TestSupport
import Testing

/// The reports as a whole, as users and programs get them.
struct SnapshotTests {
    private static let captures = [
        "healthy/web-code-flow", "token-request/pkce-verifier-mismatch", "user-agent/state-cookie-lost",
        "transport/tls-client-rejects-recorder",
        "id-token/id-token-kid-unknown",
    ]

    private func report(_ name: String) throws -> Report {
        let path = "captures/\(name).har"
        return ReportBuilder.report(
            on: try CaptureReader.read(bytes: Fixtures.bytes(path), name: path),
            named: path
        )
    }

    @Test(arguments: captures) func timelineAsText(name: String) throws {
        let text = TextReport.timeline(of: try report(name), style: .plain) + "\n"
        #expect(try Snapshot.difference(of: text, from: "show/\(name).txt") == nil)
    }

    @Test(arguments: captures) func timelineAsJSON(name: String) throws {
        let text = JSONReport.timeline(of: try report(name)) + "\n"
        #expect(try Snapshot.difference(of: text, from: "show/\(name).json") == nil)
    }

    @Test(arguments: captures) func diagnosisAsText(name: String) throws {
        let text = TextReport.diagnosis(of: try report(name), showsAbstentions: true, style: .plain) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/\(name).txt") == nil)
    }

    @Test(arguments: captures) func diagnosisAsJSON(name: String) throws {
        let text = JSONReport.diagnosis(of: try report(name)) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/\(name).json") == nil)
    }

    @Test(arguments: captures + ["healthy/native-app", "logout-and-device/device-code-expired"])
    func timelineAsMermaid(name: String) throws {
        let text = MermaidDiagram.text(of: try report(name)) + "\n"
        #expect(try Snapshot.difference(of: text, from: "show/\(name).mmd") == nil)
    }

    @Test func junit() throws {
        let reports = try Self.captures.map(report)
        let text = JUnitReport.text(of: reports, failingOn: .error) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/several.xml") == nil)
    }

    @Test func sarif() throws {
        let reports = try Self.captures.map(report)
        let rules = ["pkce-verifier-mismatch", "state-cookie-lost"].compactMap(RuleCatalog.info)
        let text = SARIFReport.text(of: reports, rules: rules, version: "0.0.0") + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/several.sarif") == nil)
    }

    @Test func markdown() throws {
        let text = MarkdownReport.text(of: try Self.captures.map(report)) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/several.md") == nil)
    }

    @Test func summary() throws {
        let text = SummaryText.text(of: try Self.captures.map(report), style: .plain) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diagnose/summary.txt") == nil)
    }

    /// As a terminal of so many columns shows it: no word is torn, and values are not cut.
    @Test(arguments: [40, 72, 300])
    func runningTextFitsTheTerminal(columns: Int) throws {
        let most = min(columns, 100)
        let info = try #require(RuleCatalog.info(of: "state-cookie-lost"))
        let explained = TextReport.explanation(of: info, style: .plain, columns: columns)
            .split(separator: "\n")
        let prose = explained.prefix { $0 != "Breaks it" }
        #expect(prose.allSatisfy { $0.count <= most } && prose.contains { $0.count > most - 15 })
        let whole = TextReport.explanation(of: info, style: .plain)
        #expect(prose.joined(separator: " ").contains(info.fix) && whole.contains("\n\(info.fix)\n"))
        let report = try report("user-agent/state-cookie-lost")
        let finding = try #require(report.flows.first?.diagnosis.findings.first)
        let diagnosis = TextReport.diagnosis(
            of: report,
            showsAbstentions: false,
            style: .plain,
            columns: columns
        )
        let lines = diagnosis.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines.joined(separator: " ").contains("→ \(finding.fix)"))
        for word in [finding.explanation, finding.fix].flatMap({ $0.split(separator: " ") }) {
            #expect(lines.contains { $0.split(separator: " ").contains(word) }, "\(word)")
        }
        let first = try #require(diagnosis.split(separator: "\n").first { $0.contains("→ ") })
        #expect(first.count <= most && first.count > most - 15, "\(first)")
    }

    /// What reads a file has each rule on one line.
    @Test(arguments: [48, 60, 80, 120]) func listOfRulesFitsTheTerminal(columns: Int) {
        func lines(_ columns: Int?) -> [Substring] {
            TextReport.rules(RuleCatalog.infos, style: .plain, columns: columns).split(separator: "\n")
        }
        func words(_ columns: Int?) -> [Substring] { lines(columns).flatMap { $0.split(separator: " ") } }
        #expect(lines(nil).contains { $0.count > 120 })
        let wide = lines(columns).filter { $0.count > columns }
        #expect(wide.isEmpty, "\(wide)")
        #expect(words(columns) == words(nil))
    }

    @Test func explanation() throws {
        let info = try #require(RuleCatalog.info(of: "redirect-uri-token-mismatch"))
        let text = TextReport.explanation(of: info, style: .plain) + "\n"
        #expect(try Snapshot.difference(of: text, from: "explain/redirect-uri-token-mismatch.txt") == nil)
    }
}
