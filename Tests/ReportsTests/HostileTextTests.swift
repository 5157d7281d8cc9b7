import Captures
import Diagnosis
import Foundation
import JSON
import TestSupport
import Testing

@testable import Reports

/// What a capture holds must not steer the terminal it is shown on.
struct HostileTextTests {
    private static let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\n\u{9b}31m\u{202e}\u{2066}\u{61c}\u{0}"

    private func report() -> Report {
        var capture = CaptureBuilder()
        let state = Self.hostile + "state-0123456789"
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", Self.hostile), ("state", state),
            ("redirect_uri", "https://shop.example/cb"),
        ])
        capture.get("https://idp.example/\(Self.hostile)/authorize?\(query)")
        capture.redirect(
            "https://shop.example/cb?" + FormBody.encode([("error", Self.hostile), ("state", state)]),
            to: "/"
        )
        var refused = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(method: "POST\u{1b}[1m", url: RecordedURL("https://idp.example/token")),
            failure: Self.hostile
        )
        refused.client.process = "sh\u{1b}[31m"
        refused.request.body = Body(
            text: FormBody.encode([("grant_type", "authorization_code"), ("client_id", Self.hostile)]),
            mediaType: FormBody.mediaType
        )
        capture.add(refused)
        return ReportBuilder.report(on: capture.capture, named: "login\u{1b}[31m.har")
    }

    @Test func textReportsCarryNoControlCharacters() {
        let report = report()
        #expect(!report.flows.isEmpty)
        let texts = [
            TextReport.timeline(of: report, style: .plain),
            TextReport.diagnosis(of: report, showsAbstentions: true, style: .plain),
        ]
        for text in texts { #expect(Self.steering(text).isEmpty) }
    }

    /// What a terminal would not print but do.
    private static func steering(_ text: String) -> [UInt32] {
        text.unicodeScalars.map(\.value).filter { value in
            value < 0x20 && value != 0x0a || (0x7f...0x9f).contains(value)
                || [0x61c, 0x202e, 0x2066].contains(value)
        }
    }

    /// SARIF 2.1.0, 3.11.5 and 3.11.6: of what a provider or an attacker wrote nothing is linked or filled in.
    @Test(arguments: [
        ("[sign in again](https://evil.example/)", #"\[sign in again\](https://evil.example/)"#),
        (#"[sign in again\](https://evil.example/)"#, #"\[sign in again\\\](https://evil.example/)"#),
        ("no {0} for you", "no {{0}} for you"), (#"[1] of C:\app"#, #"[1] of C:\app"#),
    ])
    func textOfACaptureIsTextInSARIF(words: String, expected: String) throws {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", "https://shop.example/cb"),
        ])
        let back = FormBody.encode([
            ("error", "invalid_scope"), ("error_description", words), ("state", "s-Kq2vLx7TzB4nWm8R"),
        ])
        capture.redirect("https://idp.example/authorize?\(query)", to: "https://shop.example/cb?\(back)")
        capture.get("https://shop.example/cb?\(back)")
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = SARIFReport.text(of: [report], rules: [], version: "0")
        #expect(text.contains(JSONWriter.text(of: .string(expected)).dropFirst().dropLast()))
        #expect(
            words == expected || !text.contains(JSONWriter.text(of: .string(words)).dropFirst().dropLast())
        )
    }

    @Test func whatCannotBeSeenIsWrittenOut() {
        #expect("a\u{200b}b\u{a0}c\u{feff}\u{ad}".printable == "a\\u{200b}b\\u{a0}c\\u{feff}\\u{ad}")
        // Signs that are made of several, and the space of Japanese.
        for text in ["👩\u{200d}💻", "می\u{200c}خواهم", "山\u{3000}田", "❤\u{fe0f}"] {
            #expect(text.printable == text)
        }
    }

    @Test func formatsOfProgramsDoNotSteerATerminalEither() throws {
        let report = report()
        let texts = [
            JSONReport.timeline(of: report), JSONReport.diagnosis(of: report),
            SARIFReport.text(of: [report], rules: [], version: "0"),
            JUnitReport.text(of: [report], failingOn: .note),
        ]
        for text in texts { #expect(Self.steering(text).isEmpty) }
        // XML has no escape for the others; these read as they were.
        #expect(
            texts[3].contains("&#13;") && texts[3].contains("&#155;31m&#8238;&#8294;"),
            "\(texts[3])"
        )
    }

    /// Each line of a diagram is one that we began, and nothing in it is markup.
    @Test func diagramHoldsNothingThatWeDidNotBegin() {
        var capture = CaptureBuilder()
        let hostile = "x\nP0->>P1: gone; end #60; %%{init: {}}%% <img src=x onerror=1> $$\\href{x}$$ \"`"
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", hostile), ("redirect_uri", "https://shop.example/cb"),
        ])
        capture.redirect(
            "https://idp.example/authorize?\(query)",
            to: "https://shop.example/cb?" + FormBody.encode([("error", hostile), ("state", hostile)])
        )
        let text = MermaidDiagram.text(of: ReportBuilder.report(on: capture.capture, named: hostile))
        let lines = text.split(separator: "\n").dropFirst()
        #expect(lines.count > 3)
        for line in lines {
            let begun = #/ {2}(title |actor P|participant P|Note over P|P[0-9]+(->>|-->>|--x)P[0-9]+: ).*/#
            #expect(line.wholeMatch(of: begun) != nil, "\(line)")
            // What is left of these is written as a number, which Mermaid shows and does nothing with.
            let bare = line.replacing(/#[0-9]+;/, with: "").replacing("<br/>", with: "")
            #expect(!bare.contains { "#;<%{}$`\"\\".contains($0) }, "\(line)")
        }
    }

    /// Of a login whose client, error and file have this name.
    private static func reportOfRefusal(saying hostile: String) -> Report {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", hostile), ("redirect_uri", "https://shop.example/cb"),
        ])
        capture.redirect(
            "https://idp.example/authorize?\(query)",
            to: "https://shop.example/cb?error=\(PercentEncoding.encode(hostile))"
        )
        return ReportBuilder.report(on: capture.capture, named: hostile)
    }

    @Test func markupOfACaptureIsNoMarkupOfTheReport() {
        let hostile = "</failure><script>|`*[x](javascript:1)\u{1b}"
        let report = Self.reportOfRefusal(saying: hostile)
        let xml = JUnitReport.text(of: [report], failingOn: .note)
        #expect(!xml.contains("<script>") && !xml.contains("\u{1b}"))
        #expect(xml.components(separatedBy: "</failure>").count <= 2)
        let markdown = MarkdownReport.text(of: [report])
        // Only inside code, where it is no markup.
        let all = markdown.components(separatedBy: "<script>").count
        #expect(
            all > 1 && markdown.components(separatedBy: "`` </failure><script>").count == all,
            "\(markdown)"
        )
        #expect(!markdown.contains("\u{1b}"))
    }

    /// Nobody reads a client's name of thousands of characters, and nobody is made to scroll past one.
    @Test func longNameIsShortenedInEveryForm() {
        let report = Self.reportOfRefusal(saying: "shop-" + String(repeating: "x", count: 5000))
        let suite = JUnitReport.text(of: [report], failingOn: .error)
        let heads = [
            MarkdownReport.text(of: [report]).split(separator: "\n").filter { $0.hasPrefix("## ") },
            suite.matches(of: #/ name="(flow-1 [^"]*)"/#).map(\.output.1),
            MermaidDiagram.text(of: report).split(separator: "\n").filter { $0.hasPrefix("  title ") },
        ]
        for lines in heads {
            #expect(lines.count == 1 && lines.allSatisfy { $0.count < 450 }, "\(lines)")
            #expect(lines.allSatisfy { $0.contains("shop-xxx") && $0.contains("x…") }, "\(lines)")
        }
    }

    /// `state` in the title of a rule is meant as code; a backtick that is not one of two is no markup.
    @Test(arguments: [
        ("The provider did not return `state`", "The provider did not return `state`"),
        ("`a_b` is *not* `c`.", "`a_b` is \\*not\\* `c`."), ("`a", "\\`a"), ("a `` b", "a \\`\\` b"),
        ("`a` b_c ` d", "\\`a\\` b\\_c \\` d"), ("", ""),
    ])
    func codeInARulesSentenceIsCode(text: String, markdown: String) {
        #expect(MarkdownReport.prose(text) == markdown)
    }

    /// Code hosts link such words whatever stands before them, and tell whom they name.
    @Test(arguments: [
        ("see https://a.example/x_y, (www.a.example)", "see `https://a.example/x_y`, (`www.a.example`)"),
        ("@ada and bo@shop.example", "`@ada` and `bo@shop.example`"), ("*@ada*|@bo", "\\*`@ada`\\*\\|`@bo`"),
        ("acme/shop#12, #3", "`acme/shop#12`, `#3`"), ("`@ada", "\\``@ada`"),
        ("a @ b, # 3, c#, https:// :// @", "a @ b, \\# 3, c\\#, https:// :// @"), ("a_b", "a\\_b"), ("", ""),
    ])
    func wordThatWouldBecomeALinkIsCode(text: String, markdown: String) {
        #expect(MarkdownReport.escaped(text) == markdown)
    }

    @Test func linkBesideCodeIsNone() {
        #expect(MarkdownReport.prose("at http://a/`b` or @ada `c`") == "at http://a/`b` or `@ada` `c`")
    }

    /// A bar in front of a combining accent is a bar all the same; outside of tables it ends nothing.
    @Test func barIsEscapedInTablesAlone() {
        let hostile = "a|\u{301}![x](https://evil.example/p.png)|b"
        #expect(MarkdownReport.code(hostile) == "`\(hostile)`")
        #expect(
            MarkdownReport.codeInTable(hostile) == "`a\\|\u{301}![x](https://evil.example/p.png)\\|b`"
        )
        let report = Self.reportOfRefusal(saying: hostile)
        let lines = MarkdownReport.text(of: [report]).split(separator: "\n")
        #expect(lines.first == "# Login diagnosis: `\(hostile)`")
        let rows = lines.filter { $0.hasPrefix("| entry") && $0.contains("evil.example") }
        #expect(!rows.isEmpty)
        for row in rows {
            let bytes = Array(row.utf8)
            let ends = bytes.indices.count { bytes[$0] == 0x7c && ($0 == 0 || bytes[$0 - 1] != 0x5c) }
            #expect(ends == 5, "\(row)")
        }
    }

    /// Two backslashes before a bar are one to some, and the bar ends the cell then.
    @Test(arguments: [
        ("a\\|![x](https://evil.example/p.png)", "`a\\\\u{7c}![x](https://evil.example/p.png)`"),
        ("a\\\\||b", "`a\\\\\\u{7c}\\|b`"), ("a\\", "`a\\`"),
    ])
    func barBehindABackslashEndsNoCell(text: String, markdown: String) {
        #expect(MarkdownReport.codeInTable(text) == markdown)
    }

    @Test func jsonReportsKeepTheValuesEscaped() throws {
        let text = JSONReport.timeline(of: report())
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        let parameters = try JSONParser.parse(text.utf8)["flows"]?.array?.first?["steps"]?.array?.first?[
            "parameters"
        ]
        #expect(parameters?["state"]?.string == Self.hostile + "state-0123456789")
    }

    @Test func colourIsOnlyThereWhenAskedFor() throws {
        let path = "captures/token-request/pkce-verifier-mismatch.har"
        let report = ReportBuilder.report(
            on: try CaptureReader.read(bytes: Fixtures.bytes(path), name: path),
            named: path
        )
        #expect(
            TextReport.diagnosis(of: report, showsAbstentions: false, style: .colour).contains("\u{1b}[31m")
        )
        #expect(!TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain).contains("\u{1b}"))
    }

    @Test func captureWithoutLoginsSaysSo() {
        var capture = CaptureBuilder()
        for number in 0..<22 { capture.get("https://news.example/\(number)?q=\u{1b}") }
        let report = ReportBuilder.report(on: capture.capture, named: "a.har")
        let lines = TextReport.timeline(of: report, style: .plain).split(separator: "\n")
        #expect(lines.first == "a.har: 22 exchanges, no OAuth or OpenID Connect traffic among them")
        // What there is instead; the diagnosis has nothing to say of it.
        #expect(lines.count == 22 && lines[10].hasPrefix("  [9]  GET news.example/9  200"), "\(lines)")
        #expect(lines.last == "  and 2 more; authreel view shows all of them")
        let diagnosis = TextReport.diagnosis(of: report, showsAbstentions: false, style: .plain)
        #expect(diagnosis == String(lines[0]))
        let suite = JUnitReport.text(of: [report], failingOn: .error)
        #expect(suite.contains(#" tests="0" failures="0">"#))
        #expect(suite.contains("    <system-err>\(lines[0])</system-err>\n"))
        capture.login(1)
        let healthy = ReportBuilder.report(on: capture.capture, named: "a.har")
        #expect(!JUnitReport.text(of: [healthy], failingOn: .error).contains("system-err"))
    }

    /// That there is no login is not known where connections could not be read.
    @Test func captureWithoutItsKeysSaysSo() {
        var exchanges = (0..<2).map { _ in
            Exchange(
                startedAt: Timestamp(seconds: 1_780_000_000),
                request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://idp.example"))
            )
        }
        func text() -> String {
            TextReport.diagnosis(
                of: ReportBuilder.report(on: Capture(exchanges), named: "a.har"),
                showsAbstentions: false,
                style: .plain
            )
        }
        exchanges[0].tunnel = TunnelFacts(reason: .noKeys)
        #expect(
            text()
                == "a.har: 2 exchanges, no OAuth or OpenID Connect traffic among them; 1 of them is a connection that could not be"
                + " read, as there were no keys (import --keylog FILE)"
        )
        exchanges[1].tunnel = TunnelFacts(reason: .noKeys)
        #expect(text().contains("; 2 of them are connections that could not be read"))
        // No key log would help.
        exchanges[1].tunnel = TunnelFacts(reason: .notWhole)
        #expect(
            text().hasSuffix(
                "; 1 of them is a connection that could not be read, as there were no keys (import --keylog FILE); 1 of them is a"
                    + " connection that no key opens, as not all of their packets are in the capture (tcpdump -i any -s 0, begun before"
                    + " the login)"
            )
        )
    }
}
