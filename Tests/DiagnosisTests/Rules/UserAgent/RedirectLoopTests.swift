import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct RedirectLoopTests {
    private let rule = "redirect-loop"
    private let broken = "user-agent/redirect-loop"

    @Test func showsTheRoundsWithTheirTimes() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.url ", "3 response.location ", "5 request.url ", "6 response.location ",
                "8 request.url ",
            ]
        )
        #expect(finding.notes[0] == "round 1, 0 s after the first")
        #expect(finding.notes[1] == "the callback sets no cookie")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTwoRoundsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesRoundsOverMinutesAlone() throws {
        let recording = try shifting(by: 61, from: 7)
        #expect(recording.finding(rule) == nil)
    }

    /// Be it the second round or the third that asks for more.
    @Test(arguments: [[4, 5], [7, 8]]) func leavesStepUpsAlone(round: [Int]) throws {
        var recording = try Recording(broken)
        for index in round {
            let url = recording.exchanges[index].request.url
            if url.path == "/authorize" {
                recording.exchanges[index].request.url = RecordedURL(url.text + "&acr_values=high")
            } else if let location = recording.exchanges[index].response?.location {
                recording.exchanges[index].response?.redirect(to: location + "&acr_values=high")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// An app that tries again behind every error has forgotten nobody.
    @Test func leavesACircleOfErrorsAlone() throws {
        let change = { (url: String) in
            url.replacing("/callback?code=", with: "/callback?error=server_error&had=")
        }
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(change(exchange.request.url.text))
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: change(location))
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("provider-server-error")?.isPrimary == true)
    }

    /// A provider that sends the browser from one of its addresses to another is asked once.
    @Test func leavesARequestThatTheProviderRedirectsToItselfAlone() throws {
        var exchanges = try Recording(broken).exchanges
        let next = exchanges[8].request.url.text
        exchanges[5].response?.redirect(to: next)
        exchanges[8].startedAt = exchanges[5].endedAt + .milliseconds(10)
        let recording = Recording(Array(exchanges[...5] + exchanges[8...]))
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func leavesSilentRenewalsAlone() throws {
        let recording = try Recording(broken).asking("prompt", "none")
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTabsAlone() throws {
        // Without the redirect of the app's page there is no chain.
        let recording = try Recording(broken).without { $0.request.url.path == "/" }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASignInBetweenTheRoundsAlone() throws {
        var recording = try Recording(broken)
        var post = recording.exchanges[2]
        post.startedAt = recording.exchanges[5].startedAt + .milliseconds(1)
        post.response = recording.exchanges[5].response
        recording.exchanges[5].response = RecordedResponse(status: 200)
        recording.exchanges.insert(post, at: 6)
        #expect(recording.finding(rule) == nil)
    }

    private func shifting(by seconds: Int, from first: Int) throws -> Recording {
        var recording = try Recording(broken)
        for index in recording.exchanges.indices where index >= first {
            recording.exchanges[index].startedAt = recording.exchanges[index].startedAt + .seconds(seconds)
        }
        return recording
    }

    /// Each round brings good tokens, and the browser gives up at the last callback, or before it; or is let in after all.
    @Test(arguments: [(nil, .error), (0, .error), (302, .error), (200, .note)] as [(Int?, Severity)])
    func endsBehindTokensOfEachRound(status: Int?, severity: Severity) throws {
        var recording = try Recording(broken)
        let exchange = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        let last = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        let state = recording.exchanges[last].request.url.queryItems.first("state") ?? ""
        let answer = "https://www.shop.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=\(state)"
        recording.exchanges[last].response = RecordedResponse(status: 302)
        recording.exchanges[last].response?.redirect(to: answer)
        if let status {
            var callback = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
            callback.request.url = RecordedURL(answer)
            callback.startedAt = recording.exchanges[last].endedAt
            var page = callback
            if status == 0 {
                callback.response = nil
                callback.failure = "net::ERR_TOO_MANY_REDIRECTS"
            }
            recording.exchanges.append(callback)
            page.request.url = RecordedURL("https://www.shop.example/")
            page.startedAt = callback.endedAt + .milliseconds(10)
            page.response = RecordedResponse(status: 200)
            if status == 200 { recording.exchanges.append(page) }
        }
        for callback in recording.exchanges
        where callback.request.url.path == "/callback" && callback.response != nil {
            let code = try #require(callback.request.url.queryItems.first("code"))
            let redirect = "https%3A%2F%2Fwww.shop.example%2Fcallback"
            var token = exchange
            token.request.body = Body(
                text: "grant_type=authorization_code&code=\(code)&redirect_uri=\(redirect)",
                mediaType: "application/x-www-form-urlencoded"
            )
            token.startedAt = callback.startedAt
            recording.exchanges.append(token)
        }
        #expect(recording.finding(rule)?.severity == severity)
    }

    /// Recorded up to a callback that sends the browser round again.
    @Test func endsWithACallbackThatGoesRound() throws {
        var recording = try Recording(broken)
        let last = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        let callback = try #require(recording.exchanges.last { $0.request.url.path == "/callback" })
        recording.exchanges = Array(recording.exchanges[...last])
        recording.exchanges[last].response = RecordedResponse(status: 302)
        let state = recording.exchanges[last].request.url.queryItems.first("state") ?? ""
        let answer = "https://www.shop.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=\(state)"
        recording.exchanges[last].response?.redirect(to: answer)
        var again = callback
        again.request.url = RecordedURL(answer)
        again.startedAt = recording.exchanges[last].endedAt
        recording.exchanges.append(again)
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding(rule)?.severity == .error)
    }

    @Test(arguments: [("Age", "37", true), ("X-Cache", "HIT", true), ("Age", "0", false)])
    func aCacheThatAnswersTheCallbackIsTheCause(name: String, value: String, fires: Bool) throws {
        let recording = try Recording("user-agent/redirect-loop").without {
            $0.request.url.path == "/token"
        }.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding("redirect-loop"))
        #expect((finding.title == "A cache in front of the app answers the callback") == fires)
        #expect(finding.fix.contains("no-store") == fires)
        #expect((finding.evidence[0].value == value) == fires)
    }
}
