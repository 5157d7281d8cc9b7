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

    private static func alike(_ count: Int, clients: Int) -> Report {
        var builder = CaptureBuilder()
        for number in 0..<count { builder.login(number, client: "shop-\(number % clients)", isGood: false) }
        builder.login(count)
        return ReportBuilder.report(on: builder.capture, named: "day.har")
    }

    @Test(arguments: [
        (6, 1, "  flow-6  failure     error token-invalid-client  like flow-1"),
        (8, 1, "  3 more  failure     error token-invalid-client  like flow-1: flow-6, flow-7, flow-8"),
        (
            12, 2,
            "  7 more  failure     error token-invalid-client  like flow-1, of 2 clients: flow-6, flow-7, flow-8, … flow-12"
        ),
    ])
    func ofVeryManyAlikeTheFirstAreTold(count: Int, clients: Int, last: String) throws {
        let report = Self.alike(count, clients: clients)
        let lines = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
            .split(separator: "\n").map(String.init)
        let told = lines.filter { $0.contains(" · authorization_code · ") }.map { $0.prefix { $0 != " " } }
        #expect(told == (1...5).map { "flow-\($0)" } + ["flow-\(count + 1)"])
        #expect(
            lines.contains(
                "\(count + 1) flows: \(count) failure, 1 success · --flow ID for one of them, --verbose for each"
            )
        )
        #expect(lines.suffix(6).map { $0.prefix(8) }.dropLast() == (1...5).map { "  flow-\($0)" })
        #expect(lines.last == last)
    }

    /// In a narrow terminal the others stand below what is told of them.
    @Test(arguments: [TextStyle.plain, .colour]) func othersStandBelowWhereThereIsNoRoom(style: TextStyle) {
        let report = Self.alike(12, clients: 2)
        let text = TextReport.diagnosis(of: report, showsAbstentions: false, style: style, columns: 60)
        let lines = text.replacing(/\x1b\[[0-9;]*m/, with: "").split(separator: "\n").suffix(3)
        #expect(
            lines == [
                "  7 more  failure     error token-invalid-client",
                "    like flow-1, of 2 clients: flow-6, flow-7, flow-8, …",
                "    flow-12",
            ]
        )
    }

    /// The timeline is asked for to see each, and so is what could not be decided.
    @Test func elsewhereEachIsTold() {
        let report = Self.alike(8, clients: 1)
        for text in [
            TextReport.timeline(of: report, style: .plain),
            TextReport.diagnosis(of: report, showsAbstentions: true, style: .plain),
        ] {
            #expect((1...9).allSatisfy { text.contains("flow-\($0) · ") })
            #expect(!text.contains(" more  "))
            #expect(text.hasSuffix("  flow-8  failure     error token-invalid-client"))
        }
    }

    /// What was found is not the same where only some of it is.
    @Test func whatDiffersIsTold() {
        var builder = CaptureBuilder()
        for number in 0..<12 { builder.login(number, isGood: number % 2 == 0) }
        let report = ReportBuilder.report(on: builder.capture, named: "day.har")
        let text = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
        #expect(text.contains("12 flows: 6 failure, 6 success"))
        #expect(text.contains("\n\nflow-10 · failure"))
        #expect(!text.contains("\n\nflow-12 · failure"))
    }

    @Test func fewAreSeenAtAGlance() {
        for text in Self.texts(of: Self.report(of: [true, false, true])) {
            #expect(!text.contains("3 flows"))
        }
    }
}
