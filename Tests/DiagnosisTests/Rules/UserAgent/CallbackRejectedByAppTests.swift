import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct CallbackRejectedByAppTests {
    private let rule = "callback-rejected-by-app"
    private let broken = "user-agent/callback-rejected-by-app"

    private func answered(_ edit: (inout RecordedResponse) -> Void) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            var response = RecordedResponse(status: 302)
            edit(&response)
            exchange.response = response
        }
    }

    @Test func showsStatusWordsAndCookies() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 response.status ", "3 response.body ", "3 request.header Cookie"])
        #expect(finding.evidence[1].value == "Shop Something went wrong. Reference 7f9c")
        #expect(finding.evidence[2].value == "shop_login")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesARefusedCodeToItsRule() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func standsBehindACause() throws {
        let finding = try #require(Recording("user-agent/cookie-samesite-strict").finding(rule))
        #expect(!finding.isPrimary)
        #expect(finding.effectOf == "cookie-samesite-strict")
    }

    @Test(arguments: ["/error?error=state", "/sign-in?auth_error=1", "https://shop.example/#login_error=x"])
    func firesOnARedirectOfTheAppsThatNamesAnError(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule)?.severity == .error)
    }

    @Test(arguments: ["/", "/home?welcome=1", "https://other.example/?error=x"])
    func leavesOtherRedirectsAlone(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule) == nil)
    }

    @Test func leavesAProvidersErrorAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "code", nil) + "&error=invalid_scope"
                )
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(
                    to: Recording.changing(location, "code", nil) + "&error=invalid_scope"
                )
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAReloadOfADoneCallbackAlone() throws {
        var recording = try Recording("healthy/web-code-flow")
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        again.startedAt = again.startedAt + .seconds(5)
        again.response = RecordedResponse(status: 400)
        recording.exchanges.append(again)
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfCookiesThatWereStripped() throws {
        #expect(try Recording(broken).sanitized.finding(rule)?.places.count == 2)
    }
}
