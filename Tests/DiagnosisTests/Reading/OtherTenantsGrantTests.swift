import Captures
import Diagnosis
import JSON
import TestSupport
import Testing

struct OtherTenantsGrantTests {
    private let rule = "code-wrong-client"

    @Test func tellsOfAnotherTenantByEntrasNumber() throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description":
                    "AADSTS700005: Provided Authorization Code is intended to use against other tenant.",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was exchanged at another tenant")
        #expect(finding.places.prefix(2).allSatisfy { $0.hasSuffix("request.url ") })
    }

    @Test func tellsOfAnotherPolicyByItsNumber() throws {
        let healthy = try Recording("healthy/web-code-flow").withEndpoints {
            "https://shop.b2clogin.com/shop.example/oauth2/v2.0/\($0)?p=B2C_1_edit_profile"
        }
        let recording = healthy.editing { exchange in
            guard exchange.request.url.path.hasSuffix("/token") else { return }
            exchange.request.url = RecordedURL(
                "https://shop.b2clogin.com/shop.example/oauth2/v2.0/token?p=B2C_1_signin"
            )
            exchange.response?.status = 400
            exchange.response?.body = .json(
                #"{"error":"invalid_grant","error_description":"AADB2C90088: The provided grant has not been issued for this endpoint."}"#
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was brought to the token endpoint of another policy")
        #expect(finding.evidence[0].value.hasSuffix("/authorize?p=B2C_1_edit_profile"))
        #expect(finding.evidence[1].value.hasSuffix("/token?p=B2C_1_signin"))
    }
}
