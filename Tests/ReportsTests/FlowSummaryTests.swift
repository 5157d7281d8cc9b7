import Captures
import Reports
import TestSupport
import Testing

/// What stands below many flows.
struct FlowSummaryTests {
    private static func report(of logins: [Bool]) -> Report {
        var builder = CaptureBuilder()
        for (number, isGood) in logins.enumerated() { builder.login(number, isGood: isGood) }
        return ReportBuilder.report(on: builder.capture, named: "day.har")
    }

    private static func texts(of report: Report) -> [String] {
        [
            TextReport.timeline(of: report, style: .plain),
            TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain),
        ]
    }

    @Test func manyFlowsEndWithThoseThatBroke() throws {
        let report = Self.report(of: [true, true, false, true, false])
        #expect(report.flows.count == 5)
        for text in Self.texts(of: report) {
            let summary = text.split(separator: "\n", omittingEmptySubsequences: false).suffix(4)
            #expect(summary.first == "")
            #expect(
                Array(summary.dropFirst()).first
                    == "5 flows: 2 failure, 3 success · --flow ID for one of them"
            )
            #expect(
                summary.dropFirst(2).allSatisfy { $0.contains("  failure     error token-invalid-client") }
            )
            #expect(summary.suffix(2).map { $0.prefix(8) } == ["  flow-3", "  flow-5"])
        }
        #expect(
            SummaryText.text(of: [report], style: .plain).contains("day.har  5 flows: 2 failure, 3 success")
        )
    }

    /// `--flow` wants one capture.
    @Test func besideOthersTheCaptureIsToBeNamedAlone() {
        let text = TextReport.diagnosis(
            of: Self.report(of: [true, true, false, true]),
            showsAbstentions: false,
            style: .plain,
            isAlone: false
        )
        #expect(
            text.contains(
                "\n4 flows: 1 failure, 3 success · with this capture alone, --flow ID for one of them\n"
            )
        )
    }

    /// What a broker says of it, and what broke it at the provider behind; a login that its user left.
    @Test func eachIsToldWithWhatBecameOfIt() throws {
        var builder = CaptureBuilder()
        let inner =
            "https://upstream.example/auth?response_type=code&client_id=broker&redirect_uri=https%3A%2F%2Fbroker.example%2Fback&scope=openid&state=inner-state-1234567"
        let back = "https://broker.example/back?error=invalid_scope&state=inner-state-1234567"
        let told = "https://app.example/cb?error=server_error&state=outer-state-1234567"
        builder.redirect(
            "https://broker.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&state=outer-state-1234567",
            to: inner
        )
        builder.redirect(inner, to: back)
        builder.redirect(back, to: told)
        builder.get(told, 400)
        builder.wait(300)
        builder.login(1)
        let left = "https://app.example/cb?error=access_denied&state=state-of-2"
        builder.redirect(
            "https://idp.example/authorize?response_type=code&client_id=shop&state=state-of-2",
            to: left
        )
        builder.get(left)
        let report = ReportBuilder.report(on: builder.capture, named: "day.har")
        for text in Self.texts(of: report) {
            #expect(
                text.split(separator: "\n").suffix(4) == [
                    "4 flows: 2 failure, 1 cancelled, 1 success · --flow ID for one of them",
                    "  flow-1  failure     error provider-server-error, effect of flow-2",
                    "  flow-2  failure     error scope-rejected", "  flow-4  cancelled   note user-cancelled",
                ],
                "\(text)"
            )
        }
    }

    @Test func fewAreSeenAtAGlance() {
        for text in Self.texts(of: Self.report(of: [true, false, true])) {
            #expect(!text.contains("3 flows"))
        }
    }
}
