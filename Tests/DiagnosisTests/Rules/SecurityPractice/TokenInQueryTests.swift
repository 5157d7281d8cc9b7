import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct TokenInQueryTests {
    private let rule = "token-in-query"
    private let broken = "security-practice/token-in-query"

    @Test func namesTheURLAndMasksTheToken() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["6 request.query access_token"])
        #expect(finding.notes == ["in the query of https://id.harbour.example/userinfo"])
        #expect(finding.evidence[0].value.hasSuffix("…(40)"))
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func findsItAtAnAPIToo() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.url = RecordedURL(
                "https://api.shop.example/orders?" + (exchange.request.url.query ?? "")
            )
        }
        #expect(recording.finding(rule)?.places == ["6 request.query access_token"])
    }

    @Test func looksIntoRedirectsButNotIntoTheirFragments() throws {
        let redirecting = { (mark: String) in
            try Recording("healthy/web-code-flow").editing { exchange in
                guard exchange.request.url.path == "/callback" else { return }
                exchange.response?.redirect(to: "/welcome\(mark)access_token=2YotnFZFEjr1zCsicMWpAA")
            }
        }
        #expect(
            try redirecting("?").finding(rule)?.places.first?.hasSuffix("response.location access_token")
                == true
        )
        #expect(try redirecting("#").finding(rule) == nil)
    }

    @Test func leavesFormsAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.method = "POST"
            exchange.request.body = Body(
                text: exchange.request.url.query ?? "",
                mediaType: FormBody.mediaType
            )
            exchange.request.url = RecordedURL(exchange.request.url.withoutQuery)
        }
        #expect(recording.finding(rule) == nil)
    }
}
