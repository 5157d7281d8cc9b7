import Captures
import Diagnosis
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
}
