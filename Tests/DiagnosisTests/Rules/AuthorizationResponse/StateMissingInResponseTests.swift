import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct StateMissingInResponseTests {
    private let rule = "state-missing-in-response"
    private let broken = "authorization-response/state-missing-in-response"

    @Test func showsWhatWasSentAndWhatCame() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query state", "3 request.query state"])
        #expect(finding.evidence[1].value == "missing")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesARequestWithoutStateAlone() throws {
        #expect(try Recording(broken).asking("state", nil).finding(rule) == nil)
        #expect(try Recording(broken).asking("state", "").finding(rule) == nil)
    }

    /// RFC 6749, section 3.1.
    @Test func countsAnEmptyOneAsMissing() throws {
        let recording = try Recording(broken).redirecting(with: [("state", "")])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[1].value == "missing" && finding.evidence.count == 2)
    }

    /// An empty `response` makes no answer a signed one.
    @Test func looksBesideAnEmptyResponse() throws {
        let recording = try Recording(broken).redirecting(with: [("response", "")])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("response-mode-differs") == nil)
    }

    @Test func countsErrorsAsWell() throws {
        let recording = try Recording(broken).redirecting(with: [("code", nil), ("error", "invalid_scope")])
        #expect(recording.finding(rule) != nil)
    }

    @Test func seesWhatWasLostOnTheWay() throws {
        let recording = try Recording("authorization-response/state-mismatch.near-miss").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.url = RecordedURL(Recording.changing(exchange.request.url.text, "state", nil))
        }
        #expect(recording.finding(rule)?.notes.contains("still there in the redirect") == true)
    }

    @Test func isANoteWhereTheAppAcceptsIt() throws {
        let healthy = "healthy/web-code-flow"
        let recording = try Recording(healthy).redirecting(with: [("state", nil)])
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.outcomes == [.success])
    }

    @Test func abstainsWithoutTheRequest() throws {
        let recording = try Recording("healthy/web-code-flow").without {
            ["/login", "/authorize"].contains($0.request.url.path)
        }
        #expect(recording.finding(rule) == nil)
    }

    /// It was gone before the app was there, or not, to miss it.
    @Test func standsBeforeACallbackThatHungUp() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = nil
            exchange.failure = "net::ERR_EMPTY_RESPONSE"
        }
        #expect(recording.finding("callback-unreachable") != nil)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func isNotWhyAUserSaidNo() throws {
        let recording = try Recording("authorization-response/user-cancelled").redirecting(with: [
            ("state", nil)
        ])
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding("user-cancelled")?.isPrimary == true)
    }

    /// JARM, section 2.1: of a signed response what is inside counts.
    @Test(arguments: [
        ("{\"code\":\"SplxlOBeZQQYbYS6WxSbIA\"}", "", true),
        ("{\"error\":\"invalid_scope\",\"state\":\"\"}", "", true),
        ("{\"code\":\"SplxlOBeZQQYbYS6WxSbIA\",\"state\":\"1\"}", "", false),
        ("{\"code\":\"SplxlOBeZQQYbYS6WxSbIA\"}", "1", false),
        ("{\"iss\":\"https://id.harbour.example\"}", "", false),
    ])
    func looksIntoASignedResponse(claims: String, beside: String, fires: Bool) throws {
        let token = "\(encoded("{\"alg\":\"RS256\"}")).\(encoded(claims)).AA"
        let recording = try Recording(broken).asking("response_mode", "query.jwt")
            .redirecting(with: [("code", nil), ("state", beside), ("response", token)])
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.places == ["1 request.query state", "3 jwt.claims state"])
            #expect(finding.evidence[1].value == "missing")
        }
    }

    @Test func saysNothingOfAResponseThatIsEncrypted() throws {
        let recording = try Recording(broken).asking("response_mode", "query.jwt")
            .redirecting(with: [
                ("code", nil), ("response", "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA"),
            ])
        #expect(recording.finding(rule) == nil)
    }
}
