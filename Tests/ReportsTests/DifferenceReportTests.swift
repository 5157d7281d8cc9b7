import Captures
import Flows
import Foundation
import JSON
import Replay
import Reports
import TestSupport
import Testing

/// The comparison of two flows as users and programs get it.
struct DifferenceReportTests {
    /// What is compared, and the name of the snapshot.
    static let pairs: [(expected: String, seen: String, name: String)] = [
        ("Tests/Recordings/login-http2.har", "Tests/Recordings/broken-client-secret.har", "client-secret"),
        ("Tests/Recordings/login-http2.har", "Tests/Recordings/key-rotated.har", "same"),
        (
            "captures/healthy/web-code-flow.har", "captures/token-request/pkce-verifier-mismatch.har",
            "verifier"
        ),
    ]

    private static func side(_ path: String) throws -> DifferenceReport.Side {
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(path), name: path)
        return DifferenceReport.Side(capture: path, flow: try #require(FlowFinder.flows(in: capture).first))
    }

    private static func report(_ expected: String, _ seen: String) throws -> DifferenceReport {
        DifferenceReport(expected: try side(expected), seen: try side(seen), options: ComparisonOptions())
    }

    @Test(arguments: pairs) func text(expected: String, seen: String, name: String) throws {
        let report = try Self.report(expected, seen)
        for showsAll in [false, true] {
            let text = DifferenceText(report, showsAll: showsAll, style: .plain).text + "\n"
            #expect(
                try Snapshot.difference(of: text, from: "diff/\(name)\(showsAll ? "-all" : "").txt") == nil
            )
        }
    }

    @Test(arguments: pairs) func json(expected: String, seen: String, name: String) throws {
        let text = DifferenceJSON.text(of: try Self.report(expected, seen)) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diff/\(name).json") == nil)
    }

    /// The tokens were delivered; what the app did with them is told by a rule.
    @Test func outcomeIsThatOfTheDiagnosis() throws {
        let report = try Self.report(
            "captures/healthy/web-code-flow.har",
            "captures/id-token/client-clock-skew.har"
        )
        #expect(report.seen.flow.ending == .success && report.seen.outcome == .failure)
        let text = DifferenceText(report, showsAll: false, style: .plain).text
        #expect(text.split(separator: "\n")[1].contains(" · failure · "))
        #expect(DifferenceMarkdown.text(of: report, showsAll: false).contains("outcome **failure**"))
    }

    /// The heads are broken between their parts, below the name of their capture.
    @Test func headsFitANarrowTerminal() throws {
        let report = try Self.report(Self.pairs[2].expected, Self.pairs[2].seen)
        for style in [TextStyle.plain, .colour] {
            let text = DifferenceText(report, showsAll: false, style: style, columns: 60).text
            let lines = text.replacing(/\x1b\[[0-9;]*m/, with: "").split(separator: "\n")
            #expect(
                lines.prefix(4) == [
                    "A  captures/healthy/web-code-flow.har#flow-1 · success",
                    "     · authorization_code · client shop-web",
                    "B  captures/token-request/pkce-verifier-mismatch.har#flow-1",
                    "     · failure · authorization_code · client shop-web",
                ]
            )
        }
    }

    @Test func junit() throws {
        let reports = try Self.pairs.map { try Self.report($0.expected, $0.seen) }
        let text = DifferenceJUnit.text(of: reports) + "\n"
        #expect(try Snapshot.difference(of: text, from: "diff/several.xml") == nil)
    }

    @Test(arguments: pairs) func markdown(expected: String, seen: String, name: String) throws {
        let text =
            DifferenceMarkdown.text(of: try Self.report(expected, seen), showsAll: name == "same") + "\n"
        #expect(try Snapshot.difference(of: text, from: "diff/\(name).md") == nil)
    }

    @Test func everyCaseOfJUnitIsAStepOrTheFlow() throws {
        let report = try Self.report(Self.pairs[0].expected, Self.pairs[0].seen)
        let text = DifferenceJUnit.text(of: [report])
        let count = text.components(separatedBy: "<testcase ").count - 1
        #expect(count == report.difference.steps.count + 1)
        let failing = report.difference.steps.count { !$0.isSame } + 1
        #expect(text.components(separatedBy: "<failure ").count - 1 == failing)
        #expect(text.contains(#"tests="\#(count)" failures="\#(failing)""#))
    }

    @Test func jsonHasTheMembersThatProgramsRelyOn() throws {
        let object = try JSONParser.parse(
            DifferenceJSON.text(of: try Self.report(Self.pairs[0].expected, Self.pairs[0].seen)).utf8
        )
        #expect(object["version"] == 1 && object["same"] == false && object["flows"] == ["flow-1", "flow-1"])
        let step = object["steps"]?.array?.first { $0["kind"] == "token_request" }
        #expect(step?["exchanges"]?.array?.count == 2)
        let difference = step?["differences"]?.array?.first
        #expect(difference?["name"] == "client_secret" && difference?["weight"] == "difference")
        #expect(difference?["place"]?["where"] == "request.header")
        #expect(difference?["expected"] != nil && difference?["seen"] != nil && difference?["note"] != nil)
    }

    // MARK: - Secrets and hostile text

    /// Neither what is sent nor what is answered stands in any form of the report.
    @Test func secretsAreMaskedInEveryForm() throws {
        let pairs = [
            ("Tests/Recordings/login-http2.har", "Tests/Recordings/broken-client-secret.har"),
            ("Tests/Recordings/login-http2.har", "Tests/Recordings/broken-password.har"),
            ("Tests/Recordings/login-http2.har", "Tests/Recordings/login-cleartext.har"),
            ("Tests/Recordings/native-app.har", "Tests/Recordings/broken-pkce-verifier.har"),
            ("Tests/Recordings/native-app.har", "Tests/Recordings/login-http2.har"),
            ("Tests/Recordings/endpoints.har", "Tests/Recordings/native-app.har"),
            ("captures/healthy/refresh.har", "captures/healthy/native-app.har"),
        ]
        for (expected, seen) in pairs {
            let sides = [try Self.side(expected), try Self.side(seen)]
            let secrets = sides.flatMap { Self.secrets(of: $0.flow) }
            #expect(secrets.count > 4)
            // Compared by value, so that every one of them could be shown.
            let options = ComparisonOptions(comparing: Array(Self.secretNames))
            let report = DifferenceReport(expected: sides[0], seen: sides[1], options: options)
            let texts = [
                DifferenceText(report, showsAll: true, style: .plain).text, DifferenceJSON.text(of: report),
                DifferenceJUnit.text(of: [report]), DifferenceMarkdown.text(of: report, showsAll: true),
            ]
            for text in texts {
                for (name, value) in secrets {
                    #expect(!text.contains(value), "\(name) of \(expected) \(seen)")
                }
            }
        }
    }

    private static let secretNames: Set<String> = [
        "code", "access_token", "refresh_token", "id_token", "code_verifier", "client_secret", "password",
        "device_code", "token",
    ]

    private static func secrets(of flow: Flow) -> [(String, String)] {
        var secrets: [(String, String)] = []
        for index in flow.exchanges {
            let exchange = flow.surroundings.capture[index]
            let items =
                exchange.request.queryAndFormItems.items
                + (exchange.response?.location.map { RecordedURL($0).queryItems.items } ?? [])
            secrets += items.filter { secretNames.contains($0.name) }.map { ($0.name, $0.value) }
            for cookie in exchange.request.cookies { secrets.append(("cookie \(cookie.name)", cookie.value)) }
            for body in [exchange.request.body, exchange.response?.body] {
                let object = body?.bytes.flatMap { try? JSONParser.parse($0) }?.object
                for member in object?.members ?? [] where secretNames.contains(member.name) {
                    if let text = member.value.string { secrets.append((member.name, text)) }
                }
            }
        }
        // Shorter ones stand in other words.
        return secrets.filter { $0.1.utf8.count >= 12 }
    }

    @Test func whatACaptureHoldsObeysNobody() throws {
        let hostile = "\u{1b}[2J\u{9b}31m\u{202e}</failure><script>|`*[x](y)\r\n"
        func capture(_ scope: String) -> Capture {
            var builder = CaptureBuilder()
            let query = FormBody.encode([
                ("response_type", "code"), ("client_id", hostile), ("scope", scope), (hostile, "1"),
                ("redirect_uri", "https://shop.example/cb"),
            ])
            builder.redirect(
                "https://idp.example/\(hostile)/authorize?\(query)",
                to: "https://shop.example/cb?error=\(scope.count)"
            )
            return builder.capture
        }
        let sides = try ["openid", "openid \(hostile)"].map { scope in
            DifferenceReport.Side(
                capture: hostile,
                flow: try #require(FlowFinder.flows(in: capture(scope)).first)
            )
        }
        let report = DifferenceReport(expected: sides[0], seen: sides[1], options: ComparisonOptions())
        #expect(!report.difference.isSame)
        let texts = [
            DifferenceText(report, showsAll: true, style: .plain).text, DifferenceJSON.text(of: report),
            DifferenceMarkdown.text(of: report, showsAll: true),
        ]
        for (index, text) in texts.enumerated() {
            let bad = text.unicodeScalars.filter { scalar in
                // Programs get the values as they are, escaped as JSON has it.
                scalar.value < 0x20 && scalar != "\n" || index != 1 && (0x7f...0x9f).contains(scalar.value)
            }
            #expect(bad.isEmpty, "\(bad.map(\.value))")
        }
        let xml = DifferenceJUnit.text(of: [report])
        #expect(!xml.contains("<script>") && !xml.contains("\u{1b}"))
        // Only inside code, where it is no markup.
        let markdown = texts[2]
        for line in markdown.split(separator: "\n")
        where line.contains("<script>") && !line.contains("\\<script") {
            #expect(line.contains("`` "), "\(line)")
        }
    }

    @Test func colourIsOnlyThereWhenAskedForAndLinesAreAsWideAsTold() throws {
        let report = try Self.report(Self.pairs[0].expected, Self.pairs[0].seen)
        #expect(DifferenceText(report, showsAll: false, style: .colour).text.contains("\u{1b}[31m"))
        for columns in [80, 100, 160] {
            let text = DifferenceText(report, showsAll: true, style: .plain, columns: columns).text
            #expect(!text.contains("\u{1b}"))
            // Values are not cut, and neither are the heads.
            let long = text.split(separator: "\n").filter { line in
                line.count > columns && !line.hasPrefix("        ") && !line.hasPrefix("A ")
                    && !line.hasPrefix("B ")
            }
            #expect(long.isEmpty, "\(columns): \(long)")
        }
    }

    /// Beside another window.
    @Test(arguments: [48, 60, 79]) func whatWasAskedStandsBelowItsStepWhereThereIsNoRoom(columns: Int) throws
    {
        let report = try Self.report(Self.pairs[0].expected, Self.pairs[0].seen)
        let lines = DifferenceText(report, showsAll: true, style: .plain, columns: columns).steps
        let places = lines.indices.filter { ["=", "≠", "+", "-"].contains(lines[$0].dropFirst(2).prefix(1)) }
        #expect(places.count == report.difference.steps.count)
        for (place, pair) in zip(places, report.difference.steps) {
            let (step, asked) = (lines[place], try #require(lines.dropFirst(place + 1).first))
            #expect(step.hasSuffix("  \(pair.kind.rawValue)") && step.count <= columns)
            let words = asked.drop { $0 == " " }
            #expect(["GET ", "POST ", "PUT "].contains(where: words.hasPrefix), "\(asked)")
            #expect(asked.count <= columns, "\(asked)")
        }
    }

    /// An app hands its code to its own server, which is no step of the protocol: how that answers makes the difference.
    @Test(arguments: [(200, true), (401, false)])
    func outcomeIsADifferenceWhereNoStepIs(status: Int, isSame: Bool) throws {
        func side(_ status: Int) throws -> DifferenceReport.Side {
            let capture = try CaptureReader.read(
                bytes: Fixtures.bytes("captures/healthy/native-app.har"),
                name: "login.har"
            )
            var exchanges = capture.indices.map { capture[$0] }.filter {
                !["/jwks", "/userinfo"].contains($0.request.url.path)
            }
            let place = try #require(exchanges.firstIndex { $0.request.url.path == "/token" })
            let code = FormBody.items(of: exchanges[place].request.body)?.first("code") ?? ""
            exchanges[place].request.url = RecordedURL("https://api.shop.example/session?code=\(code)")
            exchanges[place].request.body = nil
            exchanges[place].response = RecordedResponse(status: status)
            let flow = try #require(FlowFinder.flows(in: Capture(exchanges)).first)
            return DifferenceReport.Side(capture: "login.har", flow: flow)
        }
        let report = DifferenceReport(
            expected: try side(200),
            seen: try side(status),
            options: ComparisonOptions()
        )
        #expect(report.difference.isSame == isSame)
        if !isSame {
            #expect(report.headline == "first difference: the flow: outcome: failure instead of success")
        }
    }
}
