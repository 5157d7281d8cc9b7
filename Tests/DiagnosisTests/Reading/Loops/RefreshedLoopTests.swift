import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

struct RefreshedLoopTests {
    private let rule = "redirect-loop"

    /// An app whose start page goes to the provider by itself, and whose callback leads there.
    private func refreshed(
        _ rounds: Int,
        pause: Int64 = 0,
        isByItself: Bool = true,
        end: RecordedResponse? = nil
    ) -> Recording {
        var capture = CaptureBuilder()
        for round in 0..<rounds {
            let state = "round-\(round)-4f6b2c9a"
            let request =
                "https://idp.example/acme/authorize?"
                + FormBody.encode([
                    ("client_id", "shop"), ("response_type", "code"),
                    ("redirect_uri", "https://shop.example/getAToken"), ("scope", "openid profile"),
                    ("state", state), ("nonce", "nonce-\(round)-7e5d3c1b"),
                ])
            let written = request.replacing("&", with: "&amp;")
            capture.get(
                "https://shop.example/",
                answer: [("Set-Cookie", "session=s-\(round)-8d7f6g5h; HttpOnly; Path=/")],
                body: .html(
                    isByItself
                        ? "<head><meta http-equiv='refresh' content='0; URL=\(written)'></head>"
                        : "<a href='\(written)'>Sign in</a>"
                )
            )
            capture.wait(pause)
            let answer = "https://shop.example/getAToken?code=code-\(round)-8d7f6g5h&state=\(state)"
            capture.redirect(request, to: answer, headers: [("Cookie", "op=1f2e3d4c")])
            capture.redirect(answer, to: "/")
        }
        var recording = Recording(capture.exchanges)
        guard let end, var page = recording.exchanges.last else { return recording }
        page.startedAt = page.endedAt
        page.request.url = RecordedURL("https://shop.example/")
        page.response = end
        recording.exchanges.append(page)
        return recording
    }

    @Test func pagesMayGoRoundByThemselves() throws {
        let recording = refreshed(4)
        let findings = recording.findings.filter { $0.rule == rule }
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.isPrimary && finding.severity == .error && recording.outcomes.first == .failure)
        #expect(
            finding.places == [
                "1 request.url ", "2 request.header Cookie", "3 response.status ", "4 request.url ",
                "5 request.header Cookie", "6 response.status ", "7 request.url ",
            ]
        )
        #expect(finding.evidence[1].value == "none")
        #expect(finding.notes.last == "round 3, 6 s after the first")
        #expect(finding.explanation.contains("by itself (meta refresh)"))
    }

    /// A circle that the app comes out of is told, and no failure.
    @Test func lastRoundTellsHowItEnded() throws {
        let refresh =
            "<meta http-equiv='refresh' content='0; URL=https://idp.example/acme/authorize?state=round-4'>"
        for (page, severity) in [("<h1>Shop</h1>", Severity.note), (refresh, .error)] {
            let recording = refreshed(4, end: RecordedResponse(status: 200, body: .html(page)))
            #expect(try #require(recording.finding(rule)).severity == severity)
            #expect(recording.outcomes.first == (severity == .error ? .failure : .success))
        }
    }

    @Test func twoRoundsAndWhatSomebodyClicksAreNoCircle() {
        #expect(refreshed(2).finding(rule) == nil)
        #expect(refreshed(4, pause: 30).finding(rule) == nil)
        #expect(refreshed(4, isByItself: false).finding(rule) == nil)
    }
}
