import Captures
import Flows
import Reports
import TestSupport
import Testing

/// The order of a login whose halves were recorded by two clocks is one in the text, in the JSON and in the diagram.
struct TwoClocksTests {
    private func report(callbackLateBy late: Int) throws -> Report {
        ReportBuilder.report(on: try TwoClocks.login(callbackLateBy: late), named: "login.har")
    }

    private func rows(_ report: Report) -> [Substring] {
        TextReport.timeline(of: report, style: .plain).split(separator: "\n")
    }

    @Test(arguments: [41, 130, 500]) func stepsStandInOneOrder(late: Int) throws {
        let report = try report(callbackLateBy: late)
        let item = try #require(report.flows.first)
        let steps = item.flow.steps.map(\.exchange)
        let callback = try #require(item.flow.steps.firstIndex { $0.kind == .authorizationResponse })
        let token = try #require(item.flow.steps.firstIndex { $0.kind == .tokenRequest })
        #expect(callback < token && item.flow.steps[callback].at > item.flow.steps[token].at)

        let told = rows(report).compactMap { $0.firstMatch(of: /^ +\+[0-9.]+ +\[([0-9]+)\]/)?.output.1 }
            .compactMap { Int($0) }
        #expect(told.filter(steps.contains) == steps)
        let asked = SequenceDiagramBuilder.diagram(of: item, in: report.capture).rows.compactMap { row in
            if case .message(let message) = row, message.form == .request { message.exchange } else { nil }
        }
        #expect(asked.filter(steps.contains) == steps)
    }

    /// Its redirect is late by the same time, and stands before what it led to.
    @Test func redirectStandsBeforeWhatItLedTo() throws {
        let capture = try TwoClocks.login { exchange in
            let isSignIn = exchange.request.url.text.hasSuffix("/sign-in")
            if TwoClocks.isCallback(exchange) || isSignIn {
                exchange.startedAt = exchange.startedAt + .milliseconds(150)
            }
        }
        let report = ReportBuilder.report(on: capture, named: "login.har")
        let item = try #require(report.flows.first)
        let messages = SequenceDiagramBuilder.diagram(of: item, in: capture).rows.compactMap { row in
            if case .message(let message) = row { message } else { nil }
        }
        let callback = try #require(capture.indices.first { TwoClocks.isCallback(capture[$0]) })
        let redirect = try #require(messages.firstIndex { $0.next == callback })
        #expect(messages[redirect + 1].exchange == callback && messages[redirect + 1].form == .request)
    }

    /// Times stay as they were noted, and one that goes back is told once.
    @Test func timeThatGoesBackIsTold() throws {
        let lines = rows(try report(callbackLateBy: 130))
        let token = try #require(lines.firstIndex { $0.contains("token_request") })
        let callback = try #require(lines.first { $0.contains("authorization_response") })
        #expect(lines[token].hasPrefix("    +8.280") && callback.hasPrefix("    +8.370"), "\(lines)")
        #expect(lines[token + 1].contains("noted 90 ms before [6] by another clock"), "\(lines[token + 1])")
        #expect(lines.count { $0.contains(" by another clock") } == 1)
    }

    @Test func timesThatRiseAreNotSpokenOf() throws {
        #expect(!rows(try report(callbackLateBy: 0)).contains { $0.contains("clock") })
    }
}
