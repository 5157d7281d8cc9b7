import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct ClientAssertionReusedTests {
    private let rule = "client-assertion-reused"
    private let broken = "token-request/client-assertion-reused"

    @Test func namesBothRequests() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["0 jwt.claims jti", "4 jwt.claims jti", "4 response.body error"])
        #expect(finding.notes == ["sent first", "sent again"])
    }

    @Test func leavesTwoAssertionsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    @Test(arguments: [503, 429]) func leavesARetryUnderLoadAlone(status: Int) throws {
        #expect(try Recording(broken).answering("/token", status).finding(rule) == nil)
    }

    @Test func saysNothingOfARefusedCode() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test func knowsAnAssertionWithoutAnIdentifierByItsText() throws {
        let recording = try Recording(broken).asserting { $0["jti"] = nil }
        #expect(recording.finding(rule) == nil)
        let both = recording.asserting(to: "/par") { $0["jti"] = nil }
        #expect(both.finding(rule)?.places.first == "0 jwt.claims ")
    }

    @Test func leavesTheSameIdentifierOfAnotherClientAlone() throws {
        let recording = try Recording(broken).asserting(to: "/par") { $0["iss"] = "shop-admin" }
        #expect(recording.finding(rule) == nil)
    }

    /// A device, or the till of a shop, proves itself before there is a grant, too (RFC 8628, section 3.1; CIBA, section 7.1).
    @Test(
        arguments: [
            ("/device/code", "urn:ietf:params:oauth:grant-type:device_code", "device_code"),
            ("/bc-authorize", "urn:openid:params:grant-type:ciba", "auth_req_id"),
        ],
        [true, false]
    )
    func countsWhereADeviceAsks(endpoint: (path: String, grant: String, name: String), isFirst: Bool) {
        let assertion =
            encoded(#"{"alg":"RS256"}"#) + "." + encoded(#"{"iss":"till","sub":"till","jti":"once"}"#)
            + ".AAAA"
        let client = [
            ("client_id", "till"), ("client_assertion_type", ClientAssertion.type),
            ("client_assertion", assertion),
        ]
        let refused = Body.json(#"{"error":"invalid_client"}"#)
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example" + endpoint.path,
            client + [("scope", "openid"), ("login_hint", "alice")],
            isFirst ? 200 : 401,
            body: isFirst
                ? .json(#"{"\#(endpoint.name)":"0123456789","user_code":"AB-CD","expires_in":600}"#) : refused
        )
        capture.post(
            "https://id.harbour.example/token",
            client + [("grant_type", endpoint.grant), (endpoint.name, "0123456789")],
            isFirst ? 401 : 200,
            body: isFirst ? refused : .json(#"{"access_token":"not-a-token","token_type":"Bearer"}"#)
        )
        let finding = Recording(capture.exchanges).finding(rule)
        #expect(finding?.places.prefix(2) == (isFirst ? ["0 jwt.claims jti", "1 jwt.claims jti"] : nil))
    }
}
