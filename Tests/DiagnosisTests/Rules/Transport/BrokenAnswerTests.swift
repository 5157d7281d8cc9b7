import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// Answers that end before they are whole, as the recorder writes them: the client has no more of them than the capture.
struct BrokenAnswerTests {
    private static let hungUp = "the server closed the connection before the answer was complete"
    private static let left = "the client closed the connection before the answer was complete"

    /// The last answer of a path, broken off after a few bytes; nothing came of it.
    private func breaking(_ capture: String, _ path: String, _ words: String?, after milliseconds: Int = 40)
        throws -> Recording
    {
        var recording = try Recording(capture)
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == path })
        recording.exchanges[index].failure = words
        recording.exchanges[index].duration = .milliseconds(milliseconds)
        recording.exchanges[index].response?.body = Body(
            content: .bytes(Array("{\"access_token\":\"ab".utf8)),
            mediaType: "application/json",
            isTruncated: true
        )
        recording.exchanges.removeLast(recording.exchanges.count - index - 1)
        return recording.editing { if $0.request.url.path == "/callback" { $0.response = nil } }
    }

    @Test(arguments: [(hungUp, 40), (left, 6_000)])
    func tokensThatBrokeOffAreNone(words: String, milliseconds: Int) throws {
        let recording = try breaking("healthy/web-code-flow", "/token", words, after: milliseconds)
        #expect(recording.outcomes == [.failure])
        let finding = try #require(recording.finding("host-unreachable"))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.evidence.contains { $0.value == words })
    }

    /// What was too long for the recorder, or is not in the capture, the client may well have got.
    @Test(arguments: [
        nil, "253 bytes of the server are not in the capture",
        "the recording ended before the answer was complete",
    ])
    func whatTheCaptureLacksIsNoFailure(words: String?) throws {
        let recording = try breaking("healthy/web-code-flow", "/token", words)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding("host-unreachable") == nil)
    }

    /// Some token endpoints answer in a form, and clients leave when they have read as much as they need.
    @Test func formThatCanBeReadIsAnAnswer() throws {
        var recording = try breaking("healthy/web-code-flow", "/token", Self.left, after: 2_000)
        recording = recording.editingLast("/token") { exchange in
            exchange.response?.body = Body(
                content: .bytes(
                    Array("access_token=gho_16C7e42F292c6912E7710c838347Ae178B4a&token_type=bearer".utf8)
                ),
                mediaType: FormBody.mediaType,
                isTruncated: true
            )
        }
        #expect(recording.finding("host-unreachable") == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func metadataThatBrokeOffCouldNotBeRead() throws {
        let path = "/.well-known/openid-configuration"
        let recording = try breaking("healthy/web-code-flow", path, Self.hungUp)
        let finding = try #require(recording.finding("discovery-unreachable"))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.evidence.last?.value == Self.hungUp)
        #expect(try breaking("healthy/web-code-flow", path, nil).finding("discovery-unreachable") == nil)
    }
}
