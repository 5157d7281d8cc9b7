import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct RefreshTokenReusedTests {
    private let rule = "refresh-token-reused"
    private let broken = "refresh/refresh-token-reused"

    @Test func namesBothRefreshesAndTheNewToken() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.variant == "concurrent")
        #expect(
            finding.places == [
                "6 request.body refresh_token", "6 response.body refresh_token",
                "7 request.body refresh_token",
                "7 response.body error",
            ]
        )
        #expect(finding.notes.contains { $0.hasPrefix("the same token, sent ") })
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAGracePeriodAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func tellsOneAfterTheOtherFromBothAtOnce() throws {
        var recording = try Recording(broken)
        recording.exchanges[7].startedAt = recording.exchanges[7].startedAt + .seconds(600)
        #expect(recording.finding(rule)?.variant == "sequential")
    }

    @Test func findsTheRefusedOneFirstToo() throws {
        var recording = try Recording(broken)
        recording.exchanges[7].startedAt = recording.exchanges[6].startedAt - .milliseconds(20)
        #expect(recording.finding(rule)?.variant == "concurrent")
        #expect(recording.finding(rule)?.notes.contains("the same token, sent 20 ms earlier") == true)
    }

    @Test func leavesARefusalBeforeTheRotationAlone() throws {
        var recording = try Recording(broken)
        recording.exchanges[7].startedAt = recording.exchanges[6].startedAt - .seconds(5)
        #expect(recording.finding(rule) == nil)
    }

    @Test func needsARotation() throws {
        var recording = try Recording(broken)
        let old = try #require(
            FormBody.items(of: recording.exchanges[7].request.body)?.first("refresh_token")
        )
        recording.exchanges[6].response?.body = Body(
            text: "{\"access_token\":\"not-a-token\",\"refresh_token\":\"\(old)\"}",
            mediaType: "application/json"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereATokenWasNotSaved() throws {
        let recording = try Recording(broken).sending("refresh_token", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: [(400, true), (403, true), (503, false), (429, false)])
    func takesABareStatusForTheRefusal(status: Int, isOne: Bool) throws {
        var recording = try Recording(broken)
        recording.exchanges[7].response?.status = status
        recording.exchanges[7].response?.body = nil
        #expect((recording.finding(rule) != nil) == isOne)
    }

    @Test(arguments: [("token_inactive", true), ("invalid_client", false)])
    func knowsWhatOthersCallIt(error: String, fires: Bool) throws {
        let recording = try Recording(broken).answering("/token", 401, ["error": .string(error)])
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// idpyoidc's name for what is wrong with a token is that of any request.
    @Test(arguments: [
        ("Refresh token inactive", true), ("Missing refresh_token", false),
        ("The client assertion token has expired", false),
    ])
    func readsAGeneralNameWithWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.body?.text?.contains("invalid_grant") ?? false else { return }
            exchange.response?.body = Body(
                text: #"{"error":"invalid_request","error_description":"\#(words)"}"#,
                mediaType: "application/json"
            )
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(!fires || recording.finding("token-endpoint-error")?.effectOf == rule)
    }
}
