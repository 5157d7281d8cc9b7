import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ParameterRepeatedTests {
    private let rule = "parameter-repeated"
    private let broken = "authorization-request/parameter-repeated"

    @Test func namesBothValues() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 request.query scope", "1 request.query scope", "2 request.query error"]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["openid", "openid profile"])
    }

    @Test func leavesResourcesAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }

    @Test func readsTheTokenRequest() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/token", let text = exchange.request.body?.text else {
                return
            }
            exchange.request.body = Body(text: text + "&client_id=shop-web", mediaType: FormBody.mediaType)
        }
        let finding = recording.finding(rule)
        #expect(finding?.severity == .warning)
        #expect(finding?.evidence.map(\.place.name) == ["client_id", "client_id"])
    }

    @Test func masksSecrets() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/token", let text = exchange.request.body?.text else {
                return
            }
            exchange.request.body = Body(
                text: text + "&client_secret=not-a-secret-of-mine",
                mediaType: FormBody.mediaType
            )
        }
        #expect(recording.finding(rule)?.evidence.contains { $0.value.contains("of-mine") } == false)
    }

    @Test func leavesOneInQueryAndOneInFormAlone() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL(exchange.request.url.text + "?client_id=shop-web")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTheProvidersOwnPagesAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "/sign-in?flow=a&flow=b"
        )
        #expect(recording.finding(rule)?.evidence.allSatisfy { $0.place.name == "scope" } == true)
    }
}
