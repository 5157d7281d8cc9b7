import Captures
import Diagnosis
import DiagnosisTestSupport
import TestSupport
import Testing

struct ScriptedLoopTests {
    private let rule = "redirect-loop"

    /// A page at the redirect URI whose script goes to the provider again, so many seconds after it was loaded.
    private func scripted(_ rounds: Int, pause: Int64) throws -> Recording {
        let login = try Recording("the-capture/backchannel-not-recorded").exchanges
        let request = try #require(login.first { $0.request.url.path == "/authorize" })
        let callback = try #require(login.first { $0.request.url.path == "/callback" })
        var exchanges: [Exchange] = []
        var time = request.startedAt
        for round in 0..<rounds {
            let state = "round-\(round)-4f6b2c9a"
            let target = "https://www.shop.example/callback?code=code-\(round)-8d7f6g5h&state=\(state)"
            var asked = request
            let url = Recording.changing(asked.request.url.text, "state", state)
            asked.request.url = RecordedURL(Recording.changing(url, "nonce", "nonce-\(round)-7e5d3c1b"))
            asked.request.headers.remove("referer")
            asked.response = RecordedResponse(status: 302)
            asked.response?.redirect(to: target)
            asked.startedAt = time
            asked.duration = .milliseconds(50)
            var page = callback
            page.request.url = RecordedURL(target)
            page.response = RecordedResponse(
                status: 200,
                body: Body(text: "<!doctype html>", mediaType: "text/html")
            )
            page.startedAt = time + .milliseconds(60)
            page.duration = .milliseconds(40)
            exchanges += [asked, page]
            time = page.endedAt + .seconds(pause)
        }
        return Recording(exchanges + [metadata(readBefore: request)])
    }

    /// Read by the page itself, which is the client then.
    private func metadata(readBefore request: Exchange) -> Exchange {
        var read = request
        read.startedAt = request.startedAt - .seconds(1)
        read.request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://id.harbour.example/.well-known/openid-configuration"),
            headers: HeaderFields([
                ("Origin", "https://www.shop.example"),
                ("User-Agent", request.request.headers.first("user-agent") ?? "Mozilla/5.0"),
            ])
        )
        read.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Access-Control-Allow-Origin", "*")]),
            body: .json(
                #"""
                {"issuer":"https://id.harbour.example","authorization_endpoint":"https://id.harbour.example/authorize",
                "token_endpoint":"https://id.harbour.example/token","jwks_uri":"https://id.harbour.example/keys",
                "response_types_supported":["code"],"subject_types_supported":["public"],
                "id_token_signing_alg_values_supported":["RS256"]}
                """#
            )
        )
        return read
    }

    @Test func pagesMayGoRoundByScript() throws {
        let recording = try scripted(4, pause: 1)
        let findings = recording.findings.filter { $0.rule == rule }
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(
            finding.places == [
                "0 request.url ", "1 response.status ", "2 request.url ", "3 response.status ",
                "4 request.url ",
            ]
        )
        #expect(finding.notes.last == "round 3, 2 s after the first")
        #expect(finding.fix.contains("Start the library once"))
    }

    /// Whoever signs in again does so later.
    @Test(arguments: [(2, 1), (4, 5)])
    func leavesOtherLoginsOfAPageAlone(rounds: Int, pause: Int64) throws {
        #expect(try scripted(rounds, pause: pause).finding(rule) == nil)
    }

    /// Tests sign in again and again: the code is used, or a session begun.
    @Test(arguments: [true, false]) func leavesLoginsThatWentWellAlone(hasCookie: Bool) throws {
        var recording = try scripted(4, pause: 1)
        let pages = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.path == "/callback"
        }
        for index in pages.reversed() {
            if hasCookie {
                recording.exchanges[index].response?.headers.append("Set-Cookie", "session=q2w3e4r5; Path=/")
                continue
            }
            let page = recording.exchanges[index]
            let code = try #require(page.request.url.queryItems.first("code"))
            var handed = page
            handed.request = RecordedRequest(
                method: "POST",
                url: RecordedURL("https://www.shop.example/api/session"),
                body: .json(#"{"code":"\#(code)"}"#)
            )
            handed.startedAt = page.endedAt
            handed.duration = .milliseconds(5)
            recording.exchanges.insert(handed, at: index + 1)
        }
        #expect(recording.finding(rule) == nil)
    }
}
