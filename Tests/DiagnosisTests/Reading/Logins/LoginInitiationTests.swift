import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// Logins that another party asks an app to begin (OpenID Connect Core, section 4).
struct LoginInitiationTests {
    private let rule = "callback-rejected-by-app"
    private let address = "https://tool.example/oidc/init"
    private let fields = [
        ("iss", "https://lms.example"), ("login_hint", "user-77"), ("client_id", "tool-1"),
        ("target_link_uri", "https://tool.example/course/1"), ("lti_message_hint", "m1"),
    ]

    private func launch(_ answers: [(Int, [(String, String)])], body: String = "Unknown issuer") -> Recording
    {
        var capture = CaptureBuilder()
        capture.get("https://lms.example/courses/5", body: .html("<!doctype html><title>Course</title>"))
        for (status, headers) in answers {
            capture.post(
                address,
                fields,
                status,
                answer: headers,
                body: status < 400 ? nil : .html("<!doctype html><p>\(body)</p>")
            )
        }
        return Recording(capture.exchanges)
    }

    @Test(arguments: [400, 403, 500]) func refusalIsTold(status: Int) throws {
        let recording = launch([(status, [])])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.title == "The app did not begin the login that another party asked it for")
        #expect(
            finding.places == [
                "1 request.url ", "1 request.body iss", "1 request.body client_id",
                "1 request.body target_link_uri", "1 response.status ", "1 response.body ",
            ]
        )
        #expect(finding.evidence.last?.value == "Unknown issuer")
        #expect(recording.outcomes == [.failure])
        #expect(recording.flows.map(\.clientID) == ["tool-1"])
        #expect(recording.flows.map(\.grant) == ["implicit"])
    }

    @Test func redirectThatNamesAnErrorIsOneToo() throws {
        let recording = launch([(302, [("Location", "/login?error=unknown_issuer")])])
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "1 response.location ")
        #expect(recording.outcomes == [.failure])
    }

    @Test func refusalsOfTheSameRequestAreOneFlow() {
        let recording = launch([(400, []), (400, [])])
        #expect(recording.outcomes == [.failure])
    }

    /// Begun at once or at the next try, with the login not in the capture, or not begun for want of capacity.
    @Test(arguments: [[302], [400, 302], [429]]) func othersMakeNoFlow(statuses: [Int]) {
        let target = "https://lms.example/auth?x=1"
        let recording = launch(statuses.map { ($0, $0 == 302 ? [("Location", target)] : []) })
        #expect(recording.flows.isEmpty)
    }

    /// What has these names and is none: a provider's answer, a call of another kind.
    @Test(arguments: [
        ("https://tool.example/init?iss=https%3A%2F%2Flms.example&login_hint=a", true),
        ("https://tool.example/init?iss=https%3A%2F%2Flms.example&login_hint=a&error=access_denied", false),
        ("https://tool.example/init?iss=lms&login_hint=a", false),
        ("https://tool.example/init?iss=https%3A%2F%2Flms.example", false),
    ])
    func othersAreNone(url: String, isOne: Bool) {
        var capture = CaptureBuilder()
        capture.get(url, 400, body: .html("<!doctype html><p>no</p>"))
        #expect((Recording(capture.exchanges).finding(rule) != nil) == isOne)
    }

    /// A login that went on is judged as such, whatever was refused before it.
    @Test(arguments: [false, true]) func loginThatFollowedIsNotTouched(isRefusedBefore: Bool) throws {
        let whole = try Recording("healthy/web-code-flow")
        var begun = try #require(whole.exchanges.first { $0.request.url.path == "/login" })
        begun.request.url = RecordedURL(
            "\(begun.request.url.text)?iss=https%3A%2F%2Fid.harbour.example&login_hint=alice"
        )
        var refused = begun
        refused.startedAt = begun.startedAt + .seconds(-5)
        refused.response = RecordedResponse(status: 403)
        let exchanges = whole.exchanges.map { $0.request.url.path == "/login" ? begun : $0 }
        let recording = Recording((isRefusedBefore ? [refused] : []) + exchanges)
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.filter { $0.severity == .error }.isEmpty)
    }
}
