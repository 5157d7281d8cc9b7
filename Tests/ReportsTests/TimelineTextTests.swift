import Captures
import Foundation
import Reports
import TestSupport
import Testing

struct TimelineTextTests {
    private func timeline(of bytes: [UInt8]) throws -> String {
        let capture = try CaptureReader.read(bytes: bytes, name: "login.har")
        return TextReport.timeline(of: ReportBuilder.report(on: capture, named: "login.har"), style: .plain)
    }

    /// A password in an address is on no screen, nor in what is pasted into a ticket.
    @Test func userInformationIsNotShown() throws {
        let address = "id.harbour.example/authorize"
        let text = String(decoding: try Fixtures.bytes("captures/healthy/web-code-flow.har"), as: UTF8.self)
            .replacing("https://\(address)", with: "https://ada:S3cret@\(address)")
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
        let report = ReportBuilder.report(on: capture, named: "login.har")
        let timeline = TextReport.timeline(of: report, style: .plain)
        #expect(timeline.contains("GET id.harbour.example/authorize") && !timeline.contains("S3cret"))
        let diagram = MermaidDiagram.text(of: report)
        // Both addresses are one server's.
        let lanes = diagram.components(separatedBy: "<br/>id.harbour.example\n").count - 1
        #expect(lanes == 1 && !diagram.contains("S3cret"), "\(diagram)")
    }

    /// Who takes part, the kind and the answer stand on one line of eighty columns, and the request below them.
    @Test(arguments: [(80, true), (60, false)])
    func stepsFitIntoATerminal(columns: Int, isBesides: Bool) throws {
        let bytes = try Fixtures.bytes("captures/healthy/web-code-flow.har")
        let report = ReportBuilder.report(
            on: try CaptureReader.read(bytes: bytes, name: "login.har"),
            named: "login.har"
        )
        let text = TextReport.timeline(of: report, style: .plain, columns: columns)
        let lines = text.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains("authorization_request") })
        let heads = lines.filter { $0.contains(/\[[0-9]+\].*_(request|response)/) && $0.hasPrefix("    +") }
        #expect(heads.count > 3 && heads.allSatisfy { $0.count <= columns }, "\(text)")
        #expect(lines[first].contains("firefox → provider") == isBesides)
        let below = lines[first + (isBesides ? 1 : 2)]
        #expect(below.hasSuffix("GET id.harbour.example/authorize") && below.count <= columns, "\(text)")
        // What a step makes and uses is told all the same, and nothing of it elsewhere.
        let marks = { (text: String) in
            text.split(separator: "\n").filter { $0.contains("▸ ") || $0.contains("◂ ") }
        }
        let wide = TextReport.timeline(of: report, style: .plain, columns: 200)
        #expect(wide == TextReport.timeline(of: report, style: .plain))
        #expect(marks(text).allSatisfy { $0.count <= columns }, "\(text)")
        let joined = text.replacing(/\n {19}(?=\S)/, with: " ")
        #expect(marks(joined) == marks(wide), "\(joined)")
    }

    /// The page that a login begins with is no protocol message; who asked whom for it is told by the steps around it.
    @Test(arguments: [(nil, 0), (80, 0), (60, 1)])
    func partiesOfAPageAreTold(columns: Int?, below: Int) throws {
        let bytes = try Fixtures.bytes("captures/healthy/web-code-flow.har")
        let report = ReportBuilder.report(
            on: try CaptureReader.read(bytes: bytes, name: "login.har"),
            named: "login.har"
        )
        let lines = TextReport.timeline(of: report, style: .plain, columns: columns)
            .split(separator: "\n").map(String.init)
        let page = try #require(lines.firstIndex { $0.contains("  [1]  ") })
        #expect(lines[page + below].contains(" firefox → backend"), "\(lines)")
        if columns == 60 { #expect(lines[page].hasSuffix("  [1]  302 40 ms"), "\(lines)") }
    }

    /// A host of the client's other than that of its redirect URI, the same client, and one that the capture does not tell of.
    @Test(arguments: [("Mozilla/5.0", "browser → backend"), ("curl/8.5", ""), (nil, "")])
    func partiesOfAPageAreKnownAndNotGuessed(agent: String?, parties: String) throws {
        var capture = CaptureBuilder()
        let browser = [("User-Agent", "Mozilla/5.0")]
        let login =
            "https://idp.example/authorize?response_type=code&client_id=shop&state=state-7Hq2vLx7TzB4"
            + "&redirect_uri=https%3A%2F%2Fapi.shop.example%2Fcb"
        capture.redirect(
            "https://www.shop.example/login",
            to: login,
            headers: agent.map { [("User-Agent", $0)] } ?? []
        )
        let back = "https://api.shop.example/cb?code=code-7Hq2vLx7TzB4nWm8&state=state-7Hq2vLx7TzB4"
        capture.redirect(login, to: back, headers: browser)
        capture.get(back, headers: browser)
        capture.post(
            "https://idp.example/token",
            [("grant_type", "authorization_code"), ("code", "code-7Hq2vLx7TzB4nWm8")],
            headers: [("User-Agent", "shop/1.0")],
            body: .json(#"{"access_token":"access-7Hq2vLx7TzB4","token_type":"Bearer"}"#)
        )
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = TextReport.timeline(of: report, style: .plain)
        let line = try #require(text.split(separator: "\n").first { $0.contains("  [0]  ") })
        let cell = line.firstMatch(of: /\[0\]  (.*?) *GET www/)?.output.1
        #expect(cell.map { String($0) } == parties, "\(text)")
    }

    /// A library calls itself by the long name of a class of its own (openid_connect for Ruby).
    @Test(arguments: [nil, 90]) func longNameOfAProgramLeavesTheColumnsAsTheyAre(columns: Int?) throws {
        var capture = CaptureBuilder()
        let login =
            "https://idp.example/authorize?response_type=code&client_id=shop&state=state-7Hq2vLx7TzB4"
            + "&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcb"
        let back = "https://www.shop.example/cb?code=code-7Hq2vLx7TzB4nWm8&state=state-7Hq2vLx7TzB4"
        capture.redirect(login, to: back, headers: [("User-Agent", "Mozilla/5.0")])
        capture.get(back, headers: [("User-Agent", "Mozilla/5.0")])
        capture.post(
            "https://idp.example/token",
            [("grant_type", "authorization_code"), ("code", "code-7Hq2vLx7TzB4nWm8")],
            headers: [("User-Agent", "OpenIDConnect::AccessToken (2.3.1)")],
            body: .json(#"{"access_token":"access-7Hq2vLx7TzB4","token_type":"Bearer"}"#)
        )
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = TextReport.timeline(of: report, style: .plain, columns: columns)
        let lines = text.split(separator: "\n").map(String.init)
        let begins = ["  authorization_request", "  token_request"].map { kind in
            lines.lazy.compactMap { line in
                line.range(of: kind).map { line.distance(from: line.startIndex, to: $0.lowerBound) }
            }.first
        }
        #expect(begins[0] == begins[1], "\(text)")
        #expect(text.contains("  OpenIDConnect::AccessTok… → provider  token_request"), "\(text)")
    }

    /// Burp's items and others count whole seconds.
    @Test func whatHappenedInTheSameSecondStandsAsItWasRecorded() throws {
        let recorded = String(
            decoding: try Fixtures.bytes("captures/healthy/web-code-flow.har"),
            as: UTF8.self
        )
        let seconds = recorded.replacing(/(startedDateTime": ?"[^"]*:)[0-9.]+(Z|\+)/) { "\($0.1)00\($0.2)" }
        let lines = try timeline(of: Array(seconds.utf8)).split(separator: "\n").compactMap {
            $0.firstMatch(of: /^ +\+[0-9.]+ +\[([0-9]+)\]/).flatMap { Int($0.1) }
        }
        #expect(lines == lines.sorted() && lines.count > 6)
    }

    /// The query of metadata and of a client's registration is part of their address, a token in it a secret.
    @Test func addressIsShownWithTheQueryThatIsItsOwn() throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://id.example/.well-known/openid-configuration?p=b2c_1_in",
            body: .json(
                #"{"issuer":"https://id.example","registration_endpoint":"https://id.example/register"}"#
            )
        )
        let address = "https://id.example/register?client_id=shop-7Hq&token=reg-7Hq2vLx7TzB4nWm8Rd"
        let client = #"{"client_id":"shop-7Hq","registration_client_uri":"\#(address)","redirect_uris":[]}"#
        for (method, url) in [("POST", "https://id.example/register"), ("GET", address)] {
            capture.add(
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    request: RecordedRequest(
                        method: method,
                        url: RecordedURL(url),
                        body: method == "POST" ? .json(#"{"redirect_uris":[]}"#) : nil
                    ),
                    response: RecordedResponse(status: 201, body: .json(client))
                )
            )
        }
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = TextReport.timeline(of: report, style: .plain)
        #expect(text.contains("GET id.example/.well-known/openid-configuration?p=b2c_1_in"), "\(text)")
        #expect(text.contains("GET id.example/register?client_id=shop-7Hq&token=reg-…"), "\(text)")
        #expect(!text.contains("reg-7Hq2vLx7"))
    }

    /// Sixteen times as many steps take sixteen times as long, and two hundred and fifty-six times if each looked at all others.
    @Test func timeGrowsWithTheStepsOfALogin() {
        func seconds(refreshes count: Int) -> Double {
            var capture = CaptureBuilder()
            capture.redirect(
                "https://idp.example/authorize?response_type=code&client_id=shop&state=state-of-a-login",
                to: "https://app.example/cb?code=code-of-a-login&state=state-of-a-login"
            )
            for number in 0..<count {
                let grant = number == 0 ? ("code", "code-of-a-login") : ("refresh_token", "refresh-\(number)")
                capture.post(
                    "https://idp.example/token",
                    [("grant_type", number == 0 ? "authorization_code" : "refresh_token"), grant],
                    body: .json(
                        #"{"access_token":"access-\#(number)","refresh_token":"refresh-\#(number + 1)"}"#
                    )
                )
            }
            let report = ReportBuilder.report(on: capture.capture, named: "login.har")
            #expect(report.flows.count == 1)
            return ProcessorTime.seconds { _ = TextReport.timeline(of: report, style: .plain) }
        }
        #expect(
            (0..<3).contains { _ in
                seconds(refreshes: 960) / min(seconds(refreshes: 60), seconds(refreshes: 60)) < 40
            }
        )
    }

    /// What tells endpoints of one path apart, and no parameter of the request.
    @Test func queryOfAnEndpointStandsWithItsPath() {
        var capture = CaptureBuilder()
        capture.redirect(
            "https://idp.example/index.php?response_type=code&client_id=shop&state=state-of-a-login&route=oauth/go",
            to: "https://app.example/cb?code=code-of-a-login&state=state-of-a-login"
        )
        capture.post(
            "https://idp.example/index.php?route=oauth/token",
            [("grant_type", "authorization_code"), ("code", "code-of-a-login")],
            body: .json(#"{"access_token":"access-1","token_type":"Bearer"}"#)
        )
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let lines = TextReport.timeline(of: report, style: .plain)
        #expect(lines.contains("GET idp.example/index.php?route=oauth/go  302"))
        #expect(lines.contains("POST idp.example/index.php?route=oauth/token  200"))
    }

    @Test func timeThatWasNotRecordedIsNone() throws {
        let recorded = String(
            decoding: try Fixtures.bytes("captures/healthy/web-code-flow.har"),
            as: UTF8.self
        )
        let timeless = Array(recorded.replacing("startedDateTime", with: "_startedDateTime").utf8)
        let lines = try timeline(of: timeless).split(separator: "\n")
        #expect(lines[1].hasPrefix("  when is not recorded, "))
        let capture = try CaptureReader.read(bytes: timeless, name: "login.har")
        let report = ReportBuilder.report(on: capture, named: "login.har")
        let document = JSONReport.timeline(of: report)
        #expect(!document.contains("1970-"))
        #expect(document.contains("\"started\": null") && document.contains("\"at\": null"))
    }

    /// A log without times stands beside a recording: the login began when the recording says.
    @Test func timesOfOthersAreKeptBesideOneThatWasNotRecorded() throws {
        let recorded = String(
            decoding: try Fixtures.bytes("captures/healthy/web-code-flow.har"),
            as: UTF8.self
        )
        let name = try #require(recorded.firstRange(of: "startedDateTime"))
        let lines = try timeline(of: Array(recorded.replacingCharacters(in: name, with: "_start").utf8))
            .split(separator: "\n")
        #expect(lines[1].hasPrefix("  started 2026-03-15T09:15:00.060"), "\(lines[1])")
        #expect(!lines[1].contains("days"))
        let rows = lines.filter { $0.contains("[0] ") }
        #expect(rows.first?.trimmingPrefix { $0 == " " }.hasPrefix("[0] ") == true, "\(rows)")
    }

    /// More nanoseconds than 64 bits hold lie between the two.
    @Test func loginThatBeganCenturiesAgoIsDrawn() throws {
        var builder = CaptureBuilder()
        builder.redirect(
            "https://idp.example/authorize?response_type=code&client_id=shop&state=state-of-a-login",
            to: "https://app.example/cb?code=code-of-a-login&state=state-of-a-login"
        )
        builder.post(
            "https://idp.example/token",
            [("grant_type", "authorization_code"), ("code", "code-of-a-login"), ("client_id", "shop")],
            body: .json(#"{"access_token":"access-of-a-login","token_type":"Bearer"}"#)
        )
        var exchanges = builder.exchanges
        exchanges[0].startedAt = try #require(Timestamp(rfc3339: "1700-01-01T00:00:00Z"))
        let report = ReportBuilder.report(on: Capture(exchanges), named: "login.har")
        let text = TextReport.timeline(of: report, style: .plain)
        #expect(text.contains("+10300336001.000  [1]"), "\(text)")
    }

    @Test func bodyOfARequestThatWasNotSavedIsTold() throws {
        let words = "the request's body is not in the capture"
        let whole = try Fixtures.bytes("captures/healthy/native-app.har")
        #expect(!(try timeline(of: whole)).contains(words))
        // As a browser writes it whose developer tools were opened late.
        let without = try #require(
            String(bytes: whole, encoding: .utf8)?.replacing("\"postData\":", with: "\"_postData\":")
        )
        let lines = try timeline(of: Array(without.utf8)).split(separator: "\n")
        let step = try #require(lines.firstIndex { $0.contains("token_request") })
        #expect(lines[step + 1].contains(words), "\(lines[step + 1])")
        #expect(
            lines.count { $0.contains(words) }
                == lines.count { $0.contains("  POST ") && $0.contains("token_request") }
        )
    }

    @Test func valueThatGoesToManyExchangesNamesTheFirst() {
        var capture = CaptureBuilder()
        let query =
            "response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=Zk3vQ9xT1b7LmP2c"
        for _ in 0..<40 {
            capture.redirect(
                "https://idp.example/authorize?\(query)",
                to: "https://app.example/cb?code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c"
            )
        }
        let report = ReportBuilder.report(on: capture.capture, named: "login.har")
        let text = TextReport.timeline(of: report, style: .plain)
        #expect(text.contains("state made in request.query, goes to [1] [2] "), "\(text.prefix(600))")
        #expect(text.contains("[20] and 19 more\n"))
    }
}
