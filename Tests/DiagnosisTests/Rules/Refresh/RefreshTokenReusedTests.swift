import Captures
import Diagnosis
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

    /// A refresh without an answer, and so many seconds later the same one, which is refused in these words.
    private func sentTwice(failure: String, words: String?, seconds: Int = 30) throws -> Recording {
        var answer: JSONObject = ["error": "invalid_grant"]
        if let words { answer["error_description"] = .string(words) }
        let recording = try Recording(broken).answering("/token", 400, .object(answer))
        let last = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        var lost = last
        lost.response = nil
        lost.failure = failure
        lost.startedAt = lost.startedAt - .seconds(seconds)
        return Recording([lost, last])
    }

    @Test func refreshMayHaveLostItsAnswer() throws {
        let repeated = try sentTwice(
            failure: "NSURLErrorDomain Code=-1005 The network connection was lost.",
            words: nil
        )
        let finding = repeated.finding(rule)
        #expect(finding?.isPrimary == true)
        #expect(finding?.notes.contains("its answer was lost") == true)
        #expect(Recording([repeated.exchanges[1]]).finding(rule) == nil)
    }

    /// The app went before the answer came, or the whole of it: the system suspended it, or its user closed it.
    @Test(arguments: [(40, nil), (12_000, nil), (40, 200)])
    func appThatWentLostTheAnswer(milliseconds: Int, status: Int?) throws {
        var recording = try sentTwice(
            failure: "the client closed the connection before the answer was complete",
            words: nil
        )
        recording.exchanges[0].duration = .milliseconds(milliseconds)
        if let status {
            recording.exchanges[0].response = RecordedResponse(status: status)
            recording.exchanges[0].response?.body = Body(text: "{\"acc", mediaType: "application/json")
            recording.exchanges[0].response?.body?.isTruncated = true
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.notes.contains("its answer was lost"))
        // The provider was there.
        #expect(recording.finding("host-unreachable").map { $0.effectOf == rule } ?? true)
    }

    /// Other recorders have words of their own for it.
    @Test(arguments: [
        ("Client disconnected.", true), ("stream reset by client (CANCEL)", true),
        ("net::ERR_CONNECTION_REFUSED", false),
    ])
    func knowsInOtherWordsThatTheAppWent(failure: String, fires: Bool) throws {
        let recording = try sentTwice(failure: failure, words: nil)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// Who comes again and is let in lost nothing.
    @Test(arguments: [40, 12_000])
    func leavesAnAppAloneThatIsLetInWhenItComesAgain(milliseconds: Int) throws {
        var recording = try sentTwice(
            failure: "the client closed the connection before the answer was complete",
            words: nil
        )
        recording.exchanges[0].duration = .milliseconds(milliseconds)
        recording = recording.answering(
            "/token",
            200,
            ["access_token": "not-a-token", "token_type": "Bearer", "refresh_token": "another-token"]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("host-unreachable") == nil)
    }

    /// What else could not be reached is a cause of its own.
    @Test func explainsNoOtherConnectionThatFailed() throws {
        var recording = try sentTwice(
            failure: "the client closed the connection before the answer was complete",
            words: nil
        )
        var other = recording.exchanges[0]
        other.failure = "net::ERR_CONNECTION_REFUSED"
        other.startedAt = recording.exchanges[1].startedAt + .seconds(5)
        other.request.url = RecordedURL("https://id.harbour.example/revoke")
        let token = try #require(FormBody.items(of: other.request.body)?.first("refresh_token"))
        other.request.body = Body(
            text: FormBody.encode([("token", token), ("client_id", "shop-web")]),
            mediaType: FormBody.mediaType
        )
        recording.exchanges.append(other)
        #expect(recording.finding(rule) != nil)
        let unreachable = try #require(recording.finding("host-unreachable"))
        #expect(unreachable.effectOf == nil)
    }

    /// A provider that says why, a connection that never was, and days in between are other reasons.
    @Test(arguments: [
        ("NSURLErrorDomain Code=-1005 lost", "The refresh token has expired", 30),
        ("ETIMEDOUT: connect timed out", "Unknown refresh token", 30),
        ("NSURLErrorDomain Code=-1005 lost", "Unknown refresh token", 86_400),
    ])
    func otherReasonsComeFirst(failure: String, words: String, seconds: Int) throws {
        #expect(try sentTwice(failure: failure, words: words, seconds: seconds).finding(rule) == nil)
    }

    /// The sentence of the specification names every reason, and so none.
    @Test func sentenceOfTheSpecificationIsNoOtherReason() throws {
        let recording = try sentTwice(
            failure: "the server closed the connection before the answer was complete",
            words: "The provided access grant is invalid, expired, or revoked.",
            seconds: 1
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("refresh-token-expired") == nil)
    }

    /// Of one that ran out of time nothing says whether it arrived; the provider knows.
    @Test(arguments: [
        ("net::ERR_TIMED_OUT", "Maximum allowed refresh token reuse exceeded", true),
        ("NSURLErrorDomain Code=-1001", "Token has been used already", true),
        ("net::ERR_TIMED_OUT", "Stale or unknown", false),
        ("net::ERR_CONNECTION_REFUSED", "Maximum allowed refresh token reuse exceeded", false),
    ])
    func refreshThatRanOutOfTimeMayHaveArrived(failure: String, words: String, isLost: Bool) throws {
        let finding = try sentTwice(failure: failure, words: words).finding(rule)
        #expect((finding?.notes.contains("its answer was lost") ?? false) == isLost)
    }
}
