import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct BackchannelNotRecordedTests {
    private let rule = "backchannel-not-recorded"
    private let broken = "the-capture/backchannel-not-recorded"

    @Test func showsTheCallbackAndWhereItLed() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(!finding.isPrimary)
        #expect(
            finding.places == ["3 request.query code", "3 response.status ", "3 response.location "]
        )
        #expect(finding.evidence[2].value == "https://www.shop.example/")
        #expect(recording.outcomes == [.success])
        #expect(finding.fix.contains("authreel record --browser URL -- COMMAND"))
    }

    @Test func aTokenRequestWithTheCodeIsTheBackChannel() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [400, 401, 500]) func aRefusedCallbackIsAnotherMatter(status: Int) throws {
        #expect(try Recording(broken).answering("/callback", status).finding(rule) == nil)
    }

    @Test func anAlteredCodeIsABackChannelToo() throws {
        let recording = try Recording(broken + ".near-miss").sending("code", "altered")
        #expect(recording.finding(rule) == nil)
    }

    @Test func aPrivateUseSchemeHasNoServer() throws {
        let recording = try Recording("the-capture/code-never-redeemed")
        #expect(recording.finding(rule) == nil)
    }

    @Test func aCallbackThatWasNotAnsweredSaysNothing() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = nil }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereATokenRequestWasNotSaved() throws {
        let recording = try Recording(broken + ".near-miss").withMetadata().withoutBodies(of: "/token")
        #expect(recording.finding(rule) == nil)
    }

    /// What an app's own listener shows while it drops an answer is a page like any other.
    @Test(arguments: [
        ("http://localhost:8020", "another-state-123", false), ("http://127.0.0.1:8020", nil, true),
        ("https://www.shop.example", "another-state-123", true),
    ])
    func anAppThatDropsTheAnswerOfAnotherLoginIsNoServer(origin: String, state: String?, fires: Bool) throws {
        let recording = try dropped(at: origin, state: state)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        // A program's page is no word of how it fared.
        #expect(
            (finding?.explanation.contains("a program on this machine") ?? false)
                == origin.contains("127.0.0.1")
        )
        #expect((recording.finding("state-mismatch")?.isPrimary == true) == (state != nil))
    }

    /// A mark in the place of the state is another text than the one that was sent, and need not be another state.
    @Test func aStateThatWasTakenOutIsNoOther() throws {
        let recording = try dropped(at: "http://localhost:8020", state: "[redacted]")
        #expect(recording.finding("state-mismatch") == nil)
        #expect(recording.finding(rule) != nil)
    }

    /// An answer with this `state`, the login's own where it is nil, of which the app makes nothing but a page.
    private func dropped(at origin: String, state: String?) throws -> Recording {
        try Recording(broken).without { $0.request.url.path == "/login" }
            .asking("redirect_uri", origin + "/callback").editing { exchange in
                func moved(_ address: String) -> String {
                    let address = address.replacing("https://www.shop.example/", with: origin + "/")
                    return state.map { Recording.changing(address, "state", $0) } ?? address
                }
                if exchange.request.url.path == "/callback" {
                    exchange.request.url = RecordedURL(moved(exchange.request.url.text))
                    exchange.response = RecordedResponse(
                        status: 200,
                        body: Body(text: "<p>You can close this tab.</p>", mediaType: "text/html")
                    )
                } else if let location = exchange.response?.location, location.contains("/callback?code") {
                    exchange.response?.redirect(to: moved(location))
                }
            }
    }
}
