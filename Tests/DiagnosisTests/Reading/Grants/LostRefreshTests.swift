import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// The same refresh token, sent again after a request whose answer was lost: no rotation is seen, so the refusal's own finding tells it.
struct LostRefreshTests {
    private let rule = "token-invalid-grant"
    private let title = "The refresh token was sent again after the answer to it was lost"

    /// A refresh without an answer, and so many seconds later the same one, which is refused in these words.
    private func sentTwice(failure: String, words: String?, seconds: Int = 30) throws -> Recording {
        var answer: JSONObject = ["error": "invalid_grant"]
        if let words { answer["error_description"] = .string(words) }
        let recording = try Recording("refresh/refresh-token-reused").answering(
            "/token",
            400,
            .object(answer)
        )
        let last = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        var lost = last
        lost.response = nil
        lost.failure = failure
        lost.startedAt = lost.startedAt - .seconds(seconds)
        return Recording([lost, last])
    }

    private func isTold(_ recording: Recording) -> Bool { recording.finding(rule)?.title == title }

    @Test func refusalTellsOfTheLostAnswer() throws {
        let repeated = try sentTwice(
            failure: "NSURLErrorDomain Code=-1005 The network connection was lost.",
            words: nil
        )
        let finding = try #require(repeated.finding(rule))
        #expect(finding.isPrimary && finding.title == title)
        #expect(finding.notes.contains("its answer was lost"))
        #expect(finding.notes.contains("the same token, sent 30 s later"))
        #expect(!isTold(Recording([repeated.exchanges[1]])))
    }

    /// What replaced the token is not in the capture.
    @Test func noRotationIsSeen() throws {
        for words in [nil, "Token has been used already"] {
            let recording = try sentTwice(failure: "NSURLErrorDomain Code=-1005 lost", words: words)
            #expect(recording.finding("refresh-token-reused") == nil)
            #expect(recording.finding("refresh-token-expired") == nil)
        }
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
        #expect(isTold(recording))
        #expect(recording.finding(rule)?.isPrimary == true)
        // The provider was there.
        #expect(recording.finding("host-unreachable") == nil)
    }

    /// Other recorders have words of their own for it.
    @Test(arguments: [
        ("Client disconnected.", true), ("stream reset by client (CANCEL)", true),
        ("net::ERR_CONNECTION_REFUSED", false),
    ])
    func knowsInOtherWordsThatTheAppWent(failure: String, isOne: Bool) throws {
        #expect(isTold(try sentTwice(failure: failure, words: nil)) == isOne)
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
    @Test func anotherConnectionThatFailedIsTold() throws {
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
        #expect(isTold(recording))
        #expect(recording.finding("host-unreachable")?.effectOf == nil)
        #expect(recording.finding("host-unreachable") != nil)
    }

    /// A provider that says why, a connection that never was, and days in between are other reasons.
    @Test(arguments: [
        ("NSURLErrorDomain Code=-1005 lost", "The refresh token has expired", 30),
        ("ETIMEDOUT: connect timed out", "Unknown refresh token", 30),
        ("NSURLErrorDomain Code=-1005 lost", "Unknown refresh token", 86_400),
    ])
    func otherReasonsComeFirst(failure: String, words: String, seconds: Int) throws {
        #expect(!isTold(try sentTwice(failure: failure, words: words, seconds: seconds)))
    }

    /// The sentence of the specification names every reason, and so none.
    @Test func sentenceOfTheSpecificationIsNoOtherReason() throws {
        let recording = try sentTwice(
            failure: "the server closed the connection before the answer was complete",
            words: "The provided access grant is invalid, expired, or revoked.",
            seconds: 1
        )
        #expect(isTold(recording))
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
        #expect(isTold(try sentTwice(failure: failure, words: words)) == isLost)
    }
}
