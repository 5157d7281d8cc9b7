import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct TokenErrorWith200Tests {
    private let rule = "token-error-with-200"
    private let broken = "token-response/token-error-with-200"

    @Test func namesErrorAndStatus() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 response.body error", "4 response.status "])
        #expect(finding.evidence[0].value.hasPrefix("bad_verification_code: "))
        #expect(finding.evidence[1].value == "200")
    }

    /// Another region's server does not know the client, either.
    @Test func explainsThatTheClientIsUnknownInAnotherRegion() throws {
        let recording = try Recording(broken)
            .redirecting(with: [("accounts-server", "https://accounts.other.example")])
            .answering("/token", 200, ["error": "invalid_client"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
    }

    /// Zoho names the server of the account's region beside the code.
    @Test(arguments: [("https://accounts.other.example", true), ("https://ID.harbour.example", false)])
    func tellsThatTheCodeWentToAnotherRegion(server: String, isElsewhere: Bool) throws {
        let recording = try Recording(broken).redirecting(with: [("accounts-server", server)])
            .answering("/token", 200, ["error": "invalid_code"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("another server") == isElsewhere)
        #expect((finding.evidence[0].value == server) == isElsewhere)
    }

    @Test func explainsWhatRestatesIt() throws {
        #expect(try Recording(broken).finding("token-endpoint-error")?.effectOf == rule)
    }

    @Test func leavesADeviceThatWaitsAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func readsAForm() throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.body = Body(text: "error=bad_verification_code", mediaType: FormBody.mediaType)
        }
        #expect(recording.finding(rule) != nil)
    }

    /// GitHub tells a device so how its wait ended.
    @Test(arguments: [("access_denied", "user-cancelled"), ("expired_token", "device-code-expired")])
    func isANoteWhereTheEndOfADevicesWaitIsTold(error: String, cause: String) throws {
        let recording = try Recording("logout-and-device/device-code-expired").editingLast("/token") {
            $0.response?.status = 200
            $0.response?.body = .json(#"{"error":"\#(error)"}"#)
        }
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding(cause)?.isPrimary == true)
    }

    @Test(arguments: [
        (#"{"data":{"error":"invalid_grant"}}"#, "data", "invalid_grant"),
        (#"{"errors":[{"code":"E1","message":"no such code"}]}"#, "errors", "E1: no such code"),
        (#"{"success":false,"message":"no such code"}"#, "success", "no such code"),
    ])
    func readsAnErrorInsideOfTheAnswer(body: String, place: String, text: String) throws {
        let recording = try Recording("healthy/native-app").editingLast("/token") {
            $0.response?.body = .json(body)
        }
        let answered = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        let stopped = Recording(Array(recording.exchanges[...answered]))
        let finding = try #require(stopped.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places.first == "\(answered) response.body \(place)")
        #expect(finding.evidence[0].value == text)
        #expect(finding.fix.contains("at the top"))
        #expect(stopped.finding("token-type-invalid") == nil)
        #expect(stopped.outcomes == [.failure])
    }

    @Test func slackIsKnownToAnswerSo() throws {
        let recording = try Recording("healthy/native-app").editingLast("/token") {
            $0.request.url = RecordedURL("https://slack.com/api/oauth.v2.access")
            let body = #"{"ok":false,"error":"bad_redirect_uri"}"#
            $0.response?.body = .json(body)
        }
        #expect(recording.finding(rule)?.fix.contains("look at ok") == true)
    }

    @Test func successWithoutTokensIsNoError() throws {
        let recording = try Recording("healthy/native-app").editingLast("/token") {
            let body = #"{"code":0,"message":"ok","result":null}"#
            $0.response?.body = .json(body)
        }
        let answered = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        let stopped = Recording(Array(recording.exchanges[...answered]))
        #expect(stopped.finding(rule) == nil)
        #expect(stopped.finding("token-type-invalid")?.title == "The token response has no access_token")
    }

    @Test func leavesErrorStatusesAlone() throws {
        #expect(
            try Recording(broken).editingLast("/token") { $0.response?.status = 400 }.finding(rule) == nil
        )
    }

    @Test(arguments: [JSONValue.bool(false), 0, .null, ""]) func whatIsNoErrorIsNone(value: JSONValue) throws
    {
        let recording = try Recording(broken).editingAnswer(of: "/token") {
            $0["error"] = value
            $0["access_token"] = nil
        }
        #expect(recording.finding(rule) == nil)
    }

    /// Nor does any other rule take a good login for a failure.
    @Test(arguments: [JSONValue.bool(false), 0, .null, ""]) func loginWithTokensIsGood(value: JSONValue)
        throws
    {
        let recording = try Recording("healthy/web-code-flow").editingAnswer(of: "/token") {
            $0["error"] = value
        }
        #expect(recording.findings.isEmpty)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesTokensAlone() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["access_token"] = "a" }.finding(rule)
                == nil
        )
    }

    @Test func isANoteWhereTheNextTryWentWell() throws {
        var recording = try Recording(broken).goingOn
        let good = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        var second = recording.exchanges[4]
        second.response = good.response
        second.startedAt = second.startedAt + .seconds(1)
        recording.exchanges.append(second)
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func abstainsWithoutTheBody() throws {
        #expect(try Recording(broken).withoutBodies(of: "/token").withMetadata().abstention(rule) != nil)
    }

    /// WeChat has a number for an error, and 0 for none.
    @Test(arguments: [
        (#"{"errcode":40029,"errmsg":"invalid code"}"#, true),
        (#"{"errcode":0,"errmsg":"ok","access_token":"not-a-token","token_type":"Bearer"}"#, false),
        (#"{"errcode":200,"errmsg":"success","access_token":"not-a-token","token_type":"Bearer"}"#, false),
        (#"{"errcode":"none","errmsg":"ok","access_token":"not-a-token","token_type":"Bearer"}"#, false),
    ])
    func readsANumberedError(body: String, isError: Bool) throws {
        let recording = try Recording(broken).editingLast("/token") { $0.response?.body = .json(body) }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isError)
        guard let finding else { return }
        #expect(finding.places.first == "4 response.body errcode")
        #expect(finding.evidence[0].value == "40029: invalid code")
    }
}
