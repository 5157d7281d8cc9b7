import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct DiagnosticianTests {
    /// A rule that says what it is told to.
    private struct Saying<Name: RuleName>: Rule {
        static var info: RuleInfo { Name.info }
        var verdict: Verdict = .holds
        init() {}
        init(_ verdict: Verdict) { self.verdict = verdict }
        func verdict(on flow: Flow) -> Verdict { verdict }
    }

    private protocol RuleName { static var info: RuleInfo { get } }

    private static func info(_ id: String, _ severity: RuleSeverity) -> RuleInfo {
        RuleInfo(
            id: id,
            title: id,
            severity: severity,
            explanation: "",
            fix: "",
            badExample: "",
            goodExample: "",
            specifications: []
        )
    }

    private enum Plain: RuleName { static let info = DiagnosticianTests.info("host-unreachable", .error) }
    private enum Starred: RuleName {
        static let info = DiagnosticianTests.info("redirect-uri-token-mismatch", .errorWhenRefused)
    }
    private enum MustReject: RuleName {
        static let info = DiagnosticianTests.info("id-token-expired", .error)
    }
    private enum Abandoned: RuleName { static let info = DiagnosticianTests.info("login-abandoned", .note) }
    private enum Cancelled: RuleName { static let info = DiagnosticianTests.info("user-cancelled", .note) }
    private enum Recorder: RuleName {
        static let info = DiagnosticianTests.info("tls-client-rejects-recorder", .error)
    }

    private func flow(ending: Outcome) throws -> Flow {
        var flow = try #require(Recording("healthy/web-code-flow").flows.first)
        flow.ending = ending
        return flow
    }

    private var violated: Verdict {
        .violated(Violation([Evidence(place: Place(exchange: 0, part: .requestURL, name: ""), value: "")]))
    }

    @Test func anErrorMakesAFailure() throws {
        let diagnosis = try Diagnostician.diagnose(
            flow(ending: .incomplete),
            rules: [Saying<Plain>(violated)]
        )
        #expect(diagnosis.outcome == .failure)
        #expect(diagnosis.findings.map(\.severity) == [.error])
        #expect(diagnosis.findings.map(\.isPrimary) == [true])
    }

    @Test func anErrorThatWasRepairedIsANote() throws {
        let diagnosis = try Diagnostician.diagnose(flow(ending: .success), rules: [Saying<Plain>(violated)])
        #expect(diagnosis.outcome == .success)
        #expect(diagnosis.findings.map(\.severity) == [.note])
        #expect(diagnosis.findings.map(\.isPrimary) == [false])
    }

    @Test func whatAClientHasToRejectIsAnErrorAnyway() throws {
        let diagnosis = try Diagnostician.diagnose(
            flow(ending: .success),
            rules: [Saying<MustReject>(violated)]
        )
        #expect(diagnosis.outcome == .failure)
        #expect(diagnosis.findings.map(\.severity) == [.error])
    }

    @Test(arguments: [(Outcome.success, Severity.warning), (.failure, .error), (.incomplete, .error)])
    func aStarredErrorIsAWarningWhereTheFlowWentOn(ending: Outcome, severity: Severity) throws {
        let diagnosis = try Diagnostician.diagnose(flow(ending: ending), rules: [Saying<Starred>(violated)])
        #expect(diagnosis.findings.map(\.severity) == [severity])
    }

    @Test func aLoginWithAnErrorIsNotCalledAbandoned() throws {
        let rules: [any Rule] = [Saying<Plain>(violated), Saying<Abandoned>(violated)]
        #expect(
            try Diagnostician.diagnose(flow(ending: .incomplete), rules: rules).findings.map(\.rule) == [
                "host-unreachable"
            ]
        )
        let alone = try Diagnostician.diagnose(
            flow(ending: .incomplete),
            rules: [Saying<Abandoned>(violated)]
        )
        #expect(alone.outcome == .incomplete)
        #expect(alone.findings.map(\.isPrimary) == [true])
    }

    @Test func theUsersNoIsCancelled() throws {
        let diagnosis = try Diagnostician.diagnose(
            flow(ending: .failure),
            rules: [Saying<Cancelled>(violated)]
        )
        #expect(diagnosis.outcome == .cancelled)
        #expect(diagnosis.findings.map(\.isPrimary) == [true])
    }

    @Test func aRefusedRecorderLeavesTheFlowIncomplete() throws {
        let alone = try Diagnostician.diagnose(flow(ending: .incomplete), rules: [Saying<Recorder>(violated)])
        #expect(alone.outcome == .incomplete)
        let both = try Diagnostician.diagnose(
            flow(ending: .incomplete),
            rules: [Saying<Recorder>(violated), Saying<Plain>(violated)]
        )
        #expect(both.outcome == .failure)
    }

    @Test func abstentionsKeepTheirReason() throws {
        let diagnosis = try Diagnostician.diagnose(
            flow(ending: .success),
            rules: [Saying<Plain>(.abstains("no body"))]
        )
        #expect(
            diagnosis.abstentions == [FlowDiagnosis.Abstention(rule: "host-unreachable", reason: "no body")]
        )
        #expect(diagnosis.findings.isEmpty)
    }
}
