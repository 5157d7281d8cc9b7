import Captures
import Diagnosis
import Flows
import JSON
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
        let told = DiagnosisText(item: item, name: "login.har", showsAbstentions: false, style: .plain).text
        #expect(told.contains("← root cause") && !told.contains(words))

        item.diagnosis.findings = item.diagnosis.findings.prefix(1).map { finding in
            var finding = finding
            finding.severity = .warning
            return finding
        }
        let doubtful = DiagnosisText(item: item, name: "login.har", showsAbstentions: false, style: .plain)
            .text
        #expect(!doubtful.contains("root cause") && doubtful.contains(words))
    }

    /// Of a token request without its body, as `curl -v` prints one.
    @Test func grantThatIsNotInTheCaptureIsCalledUnknown() throws {
        let text = """
            > POST /realms/shop/protocol/openid-connect/token HTTP/1.1
            > Host: idp.example
            > Content-Length: 120
            > Content-Type: application/x-www-form-urlencoded
            >
            < HTTP/1.1 400 Bad Request
            < Content-Type: application/json
            < Content-Length: 25
            <
            {"error":"invalid_grant"}

            """
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "login.txt")
        let report = ReportBuilder.report(on: capture, named: "login.txt")
        let flow = try #require(report.flows.first)
        #expect(FlowHead.line(of: flow, style: .plain).contains(" · unknown grant · "))
        #expect(MarkdownReport.text(of: [report]).contains(", unknown grant, "))
    }

    /// A login that failed is not called one that did not finish, on no page and in no ticket.
    @Test func failureThatNothingExplainsIsCalledSoEverywhere() throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        var report = ReportBuilder.report(on: capture, named: name)
        let words = "no rule that was asked found why"
        #expect(ViewerCapture(report).heads[0]["lead"] == .null)

        report.flows[0].diagnosis.findings = report.flows[0].diagnosis.findings.prefix(1).map { finding in
            var finding = finding
            finding.severity = .warning
            return finding
        }
        let lead = "\(words); what it may have to do with:"
        #expect(ViewerCapture(report).heads[0]["lead"]?.string == lead)
        #expect(MarkdownReport.text(of: [report]).contains("\n\nNo rule that was asked found why; what"))

        report.flows[0].diagnosis.findings = []
        #expect(ViewerCapture(report).heads[0]["lead"]?.string == words)
        #expect(MarkdownReport.text(of: [report]).contains("\n\nNo rule that was asked found why."))
        #expect(ViewerCapture(report, unsettled: ["flow-1"]).heads[0]["lead"] == .null)
    }

    /// The command is not torn, so that it can be copied.
    @Test(arguments: [(60, 2), (100, 1)]) func sectionsAndWhatTellsMoreFitTheTerminal(
        columns: Int,
        lines: Int
    ) throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let item = try #require(ReportBuilder.report(on: capture, named: name).flows.first)
        let finding = try #require(item.diagnosis.findings.first)
        let told = FindingText(finding: finding, style: .plain, columns: columns).lines
        let sections = "    RFC 7636 §4.1, RFC 7636 §4.2, RFC 7636 §4.6"
        let more = "authreel explain pkce-verifier-mismatch"
        #expect(told.suffix(lines) == (lines == 1 ? ["\(sections) · \(more)"] : [sections, "    \(more)"]))
    }

    /// That no way is known in which a rule is broken tells nobody anything; JSON has it.
    @Test(arguments: [("hex", " (hex)"), ("unknown", "")]) func variantIsTold(variant: String, told: String)
        throws
    {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        var report = ReportBuilder.report(on: capture, named: name)
        report.flows[0].diagnosis.findings[0].variant = variant
        let words = "  error pkce-verifier-mismatch\(told)  ← root cause\n"
        #expect(TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain).contains(words))
        #expect(MarkdownReport.text(of: [report]).contains(" the code challenge\(told)\n"))
        #expect(JSONReport.diagnosis(of: report).contains("\"variant\": \"\(variant)\""))
        #expect(SARIFReport.text(of: [report], rules: [], version: "").contains("challenge\(told). "))
        let viewed = ViewerCapture(report).flow("flow-1")?["findings"]?.array?.first
        #expect(viewed?["variant"]?.string == (told.isEmpty ? nil : variant))
    }

    /// Who looks for what is missing begins where the capture ends.
    @Test func loginThatDidNotFinishSaysWhereItEnds() throws {
        let name = "captures/healthy/web-code-flow.har"
        let whole = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let begun = Capture(whole.indices.prefix(4).map { whole[$0] })
        let item = try #require(ReportBuilder.report(on: begun, named: name).flows.first)
        let told = DiagnosisText(item: item, name: "login.har", showsAbstentions: false, style: .plain).text
        #expect(
            told.hasSuffix(
                "nothing wrong found, but the login did not finish: its last step is [3] authorization_response"
            )
        )
        let good = try #require(ReportBuilder.report(on: whole, named: name).flows.first)
        #expect(item.isUnexplained && !good.isUnexplained)

        // A warning says what may be the reason, a note that it was left.
        let warned = try Self.told(of: "the-capture/code-never-redeemed")
        #expect(warned.contains("\n  the login did not finish: its last step is ["))
        #expect(warned.contains("; what it may have to do with:\n\n  warning code-never-redeemed"))
        #expect(!(try Self.told(of: "authorization-response/login-abandoned")).contains("did not finish:"))
    }

    /// What a browser shows of an app's login ends where the app is sent the code.
    @Test func loginWhoseAppWasNotRecordedSaysSo() throws {
        let name = "captures/healthy/native-app.har"
        let whole = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let end = try #require(
            whole.indices.first { whole[$0].response?.location?.hasPrefix("example.shop.app:") ?? false }
        )
        let begun = Capture(whole.indices.prefix { $0 <= end }.map { whole[$0] })
        let item = try #require(ReportBuilder.report(on: begun, named: name).flows.first)
        #expect(item.diagnosis.findings.isEmpty && item.diagnosis.outcome == .incomplete)
        let told = DiagnosisText.nothingFound(in: item)
        #expect(
            told.hasSuffix("authorization_response, and what the app did with the code is not in the capture")
        )
    }

    private static func told(of path: String) throws -> String {
        let name = "captures/\(path).har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let report = ReportBuilder.report(on: capture, named: name)
        return TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
    }

    /// What a broker made of a good answer is told at the login that it was for.
    @Test func loginBehindABrokerPointsAtTheOneAroundIt() throws {
        let asked =
            "https://broker.example/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
            + "&scope=openid&state=outer-state-1234567"
        let inner =
            "https://upstream.example/auth?response_type=code&client_id=broker"
            + "&redirect_uri=https%3A%2F%2Fbroker.example%2Fback&scope=openid&state=inner-state-1234567"
        let back = "https://broker.example/back?code=inner-code-12345678&state=inner-state-1234567"
        let told =
            "https://app.example/cb?error=invalid_request&error_description=PreSignUp+failed&state=outer-state-1234567"
        var capture = CaptureBuilder()
        capture.redirect(asked, to: inner)
        capture.redirect(inner, to: back)
        capture.redirect(back, to: told)
        capture.get(told, 400, body: .html("<h1>Sign-in failed</h1>"))
        let report = ReportBuilder.report(on: Capture(capture.exchanges), named: "broker.har")
        let item = try #require(report.flows.last)
        #expect(item.diagnosis.outcome == .failure)
        #expect(!item.diagnosis.findings.contains { $0.severity == .error })
        let text = DiagnosisText(item: item, name: "login.har", showsAbstentions: false, style: .plain).text
        #expect(text.contains("see flow-1, the login that it is a part of; what it may have to do with:"))
    }

    /// Beside a long name a narrow terminal has no room for anything.
    @Test func valuesStandBelowTheirPlacesInANarrowTerminal() throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let report = ReportBuilder.report(on: capture, named: name)
        let item = try #require(report.flows.first)
        let lines = DiagnosisText(
            item: item,
            name: "login.har",
            showsAbstentions: false,
            style: .plain,
            columns: 60
        ).text
            .split(separator: "\n")
        let place = try #require(lines.firstIndex(of: "      [4] response.body error"))
        #expect(lines[place + 1] == "        invalid_grant: The grant was not accepted")
        let slim = DiagnosisText(
            item: item,
            name: "login.har",
            showsAbstentions: false,
            style: .plain,
            columns: 40
        ).text
        #expect(slim.contains("    The code verifier does not belong to\n    the code challenge\n"))
        let whole = DiagnosisText(
            item: item,
            name: "login.har",
            showsAbstentions: false,
            style: .plain,
            columns: 80
        ).text
        #expect(whole.contains("[4] response.body error             invalid_grant: The grant was not"))
    }

    /// Entra's errors have three lines and more; a secret with a line break is a fault.
    @Test func linesOfAnErrorAreOneSentence() throws {
        let name = "captures/token-request/pkce-verifier-mismatch.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        let report = ReportBuilder.report(on: capture, named: name)
        var finding = try #require(report.flows.first?.diagnosis.findings.first)
        finding.evidence = ["error", "client_secret"].map { name in
            Evidence(
                place: Place(exchange: 4, part: .responseBody, name: name),
                value: "AADSTS70008: It is over.\r\nTrace ID: 5f1e",
                note: nil
            )
        }
        let lines = FindingText(finding: finding, style: .plain).lines
        #expect(lines.contains { $0.hasSuffix("AADSTS70008: It is over. Trace ID: 5f1e") })
        #expect(lines.contains { $0.contains(#"It is over.\u{d}\u{a}Trace ID"#) })
    }

    /// What a provider says in a sentence or two; an address has no place to break.
    @Test func longValuesGoOnBelow() {
        let sentence =
            "invalid_client: the client  is not allowed to authenticate in this way at this endpoint"
        #expect(
            sentence.brokenAtSpaces(to: 40)
                == [
                    "invalid_client: the client  is not", "allowed to authenticate in this way at",
                    "this endpoint",
                ]
        )
        #expect("↳ one two three".brokenAtSpaces(to: 9, hanging: 2) == ["↳ one two", "three"])
        let (dim, plain) = ("\u{1b}[2m", "\u{1b}[0m")
        #expect(
            "\(dim)↳ \(plain)one\(dim) two three\(plain)".brokenAtSpaces(to: 9, hanging: 2)
                == ["\(dim)↳ \(plain)one\(dim) two", "three\(plain)"]
        )
        #expect(sentence.brokenAtSpaces(to: 200) == [sentence])
        let address = "POST https://id.harbour.example/realms/harbour/protocol/openid-connect/token"
        #expect(address.brokenAtSpaces(to: 40) == [address])
        #expect("".brokenAtSpaces(to: 40) == [""])
    }
}
