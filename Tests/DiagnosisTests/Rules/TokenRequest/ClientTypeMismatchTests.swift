import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct ClientTypeMismatchTests {
    private let rule = "client-type-mismatch"
    private let broken = "token-request/client-type-mismatch"

    @Test func namesTheTextAndTheSender() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body error", "4 request.header User-Agent", "4 request.body redirect_uri",
            ]
        )
        #expect(finding.evidence[1].note == "no Origin: not sent by a page")
    }

    @Test func leavesOtherTextsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func readsAnErrorAtTheRedirectURI() throws {
        let recording = try Recording("authorization-request/redirect-uri-not-registered").editing {
            exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.status = 400
            exchange.response?.body = Body(
                text:
                    "<!doctype html><title>Error</title>Error 400: invalid_request. Custom scheme URIs are not allowed for 'WEB' client type.",
                mediaType: "text/html"
            )
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func leavesTheTextOfCORSAlone() throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_request",
                "error_description":
                    "AADSTS9002326: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
            ]
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(
            try Recording(broken).answering(
                "/token",
                200,
                ["access_token": "not-a-token", "token_type": "Bearer"]
            ).finding(rule) == nil
        )
    }
}
