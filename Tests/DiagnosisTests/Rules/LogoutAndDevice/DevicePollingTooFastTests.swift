import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct DevicePollingTooFastTests {
    private let rule = "device-polling-too-fast"
    private let broken = "logout-and-device/device-polling-too-fast"

    @Test func namesTheGapsAndTheAnswers() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places.first == "0 response.body interval")
        #expect(finding.places.contains("2 timing gap"))
        #expect(finding.places.contains("3 response.body error"))
        #expect(finding.evidence[1].value == "1000 ms")
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesOneSlowDownThatIsHeededAsANote() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding(rule)?.isPrimary == false)
    }

    /// A client that takes slow_down for a refusal polls no more.
    @Test(arguments: [(4, true), (5, false)])
    func tellsAClientThatGaveUpAtSlowDown(polls: Int, isStopped: Bool) throws {
        let whole = try Recording(broken)
        let finding = try #require(Recording(Array(whole.exchanges.prefix(polls + 1))).finding(rule))
        #expect(finding.explanation.contains("refuses nothing") == isStopped)
        #expect(finding.fix.contains("as authorization_pending") == isStopped)
    }

    /// Older servers of WSO2 count in milliseconds.
    @Test(arguments: [("5000", nil), ("60000", "milliseconds"), ("60", "seconds")] as [(String, String?)])
    func readsMilliseconds(interval: String, unit: String?) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard let text = exchange.response?.body?.text, !text.contains("access_token") else { return }
            let answer =
                text.contains("slow_down")
                ? #"{"error":"authorization_pending"}"#
                : text.replacing("\"expires_in\":600}", with: "\"expires_in\":600,\"interval\":\(interval)}")
            exchange.response?.body = Body(text: answer, mediaType: "application/json")
        }
        #expect(recording.finding(rule)?.notes.first == unit)
    }

    @Test func leavesTheRightPaceAlone() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("slow_down") else { return }
            exchange.response?.body = Body(
                text: "{\"error\":\"authorization_pending\"}",
                mediaType: "application/json"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAnErrorWhereItEndedInARefusal() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "invalid_request"])
        #expect(recording.finding(rule)?.severity == .error)
    }

    /// Libraries try a request that broke down once more, at once.
    @Test func aProviderThatBreaksDownRefusesNoPace() throws {
        var recording = try Recording(broken + ".near-miss").editingLast("/token") {
            $0.response?.status = 500
            $0.response?.body = Body(text: #"{"error":"server_error"}"#, mediaType: "application/json")
        }
        var again = try #require(recording.exchanges.last)
        again.startedAt = again.startedAt + .milliseconds(300)
        recording.exchanges.append(again)
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding("provider-server-error")?.isPrimary == true)
        again.startedAt = again.startedAt + .milliseconds(300)
        recording.exchanges.append(again)
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// One that the provider failed at and that was answered at once after that is a poll too early, and nothing that matters.
    @Test(arguments: [(503, Severity.note), (400, .warning)])
    func leavesARequestThatIsSentAgainAsANote(status: Int, severity: Severity) throws {
        var recording = try Recording(broken + ".near-miss")
        recording.exchanges.remove(at: 2)
        let error = status == 400 ? "authorization_pending" : "temporarily_unavailable"
        recording.exchanges[2].response?.status = status
        recording.exchanges[2].response?.body = Body(
            text: #"{"error":"\#(error)"}"#,
            mediaType: "application/json"
        )
        recording.exchanges[3].startedAt = recording.exchanges[2].startedAt + .milliseconds(300)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == severity)
        #expect(finding.explanation.contains("failed at a poll") == (severity == .note))
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: ["invalid_client", "unauthorized_client"])
    func isNoCauseOfARefusedClient(error: String) throws {
        let recording = try Recording(broken).editingLast("/token") {
            $0.response?.status = 401
            $0.response?.body = Body(text: #"{"error":"\#(error)"}"#, mediaType: "application/json")
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding(rule)?.isPrimary == false)
    }

    @Test func leavesGapsAloneThatNobodyStated() throws {
        let recording = try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("slow_down") else { return }
            exchange.response?.body = Body(
                text: "{\"error\":\"authorization_pending\"}",
                mediaType: "application/json"
            )
        }
        #expect(recording.finding(rule) != nil)
        #expect(Recording(Array(recording.exchanges.dropFirst())).finding(rule) == nil)
    }

    @Test func toleratesHalfASecond() throws {
        var recording = try Recording(broken + ".near-miss").editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("slow_down") else { return }
            exchange.response?.body = Body(
                text: "{\"error\":\"authorization_pending\"}",
                mediaType: "application/json"
            )
        }
        recording.exchanges[2].startedAt = recording.exchanges[1].startedAt + .milliseconds(4600)
        #expect(recording.finding(rule) == nil)
        recording.exchanges[2].startedAt = recording.exchanges[1].startedAt + .milliseconds(4300)
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// The AWS CLI tries once before it shows the code, and polls at once after that.
    @Test(
        arguments: [
            ("aws-cli/2.9.19", 25, .note), ("aws-cli/2.9.19", 1500, .warning), ("tv/1", 25, .warning),
        ] as [(String, Int64, Severity)]
    )
    func leavesATryBeforeTheFirstPollAsANote(agent: String, gap: Int64, severity: Severity) throws {
        var recording = try Recording(broken + ".near-miss").editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("slow_down") else { return }
            exchange.response?.body = Body(
                text: "{\"error\":\"authorization_pending\"}",
                mediaType: "application/json"
            )
        }
        recording = recording.replacing("User-Agent", with: agent, at: 2)
        recording.exchanges[1].startedAt = recording.exchanges[2].startedAt - .milliseconds(gap)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == severity)
        #expect(finding.explanation.contains("AWS CLI") == (severity == .note))
    }

    /// A proof of DPoP is made anew with the server's nonce, and sent at once (RFC 9449, section 8).
    @Test func requestThatWantedANonceIsNoPoll() throws {
        var recording = try Recording(broken + ".near-miss")
        var first = recording.exchanges[1]
        first.startedAt = first.startedAt - .milliseconds(50)
        first.response = RecordedResponse(status: 400, body: .json(#"{"error":"use_dpop_nonce"}"#))
        recording.exchanges.insert(first, at: 1)
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding(rule)?.places.contains { $0.contains("timing gap") } == false)
    }

    @Test func captureWithoutTimesSaysNothing() throws {
        let recording = try Recording("logout-and-device/device-polling-too-fast").editing {
            $0.startedAt = Timestamp(seconds: 0)
        }
        #expect(
            recording.finding("device-polling-too-fast")?.places.contains { $0.contains("timing gap") }
                != true
        )
    }
}
