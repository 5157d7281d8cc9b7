import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct SingpassParameterMissingTests {
    private let rule = "singpass-parameter-missing"
    private let broken = "provider-specific/singpass-parameter-missing"

    @Test func namesWhatIsMissingAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.notes.first == "without nonce")
        #expect(finding.places.first == "1 request.query ")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func wantsNoChallengeOfTheStandIn() throws {
        #expect(
            try Recording(broken).askingSingpass("nonce", "n-0S6_WzA2Mj").asking("code_challenge", nil)
                .finding(rule) == nil
        )
    }

    @Test func wantsAChallengeOfSingpassItself() throws {
        let real = try Recording(broken).atSingpass("stg-id.singpass.gov.sg", "/auth").editing { exchange in
            guard exchange.request.url.path == "/auth" else { return }
            var url = Recording.changing(exchange.request.url.text, "nonce", "n-0S6_WzA2Mj")
            url = Recording.changing(url, "code_challenge", nil)
            exchange.request.url = RecordedURL(url)
        }
        #expect(real.finding(rule)?.notes.first == "without code_challenge")
    }

    /// The request is pushed, and refused there: no other follows.
    @Test func pushedRequestIsReadToo() throws {
        var exchange = try Recording(broken).exchanges[1]
        let items = exchange.request.url.queryItems.items.map { ($0.name, $0.value) }
        exchange.request.method = "POST"
        exchange.request.url = RecordedURL("https://stg-id.singpass.gov.sg/fapi/par")
        exchange.request.body = Body(text: FormBody.encode(items), mediaType: FormBody.mediaType)
        exchange.response = RecordedResponse(
            status: 400,
            body: Body(
                text: #"{"error":"invalid_request","error_description":"nonce is required"}"#,
                mediaType: "application/json"
            )
        )
        let finding = try #require(Recording([exchange]).finding(rule))
        #expect(finding.severity == .error && finding.notes.first == "without nonce")
    }

    @Test func warnsWhereItWentOn() throws {
        let recording = try Recording("provider-specific/myinfo-purpose-missing.near-miss").askingSingpass(
            "state",
            nil
        )
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func abstainsWhereTheRequestStandsElsewhere() throws {
        let recording = try Recording(broken).askingSingpass(
            "request_uri",
            "urn:ietf:params:oauth:request_uri:x"
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
