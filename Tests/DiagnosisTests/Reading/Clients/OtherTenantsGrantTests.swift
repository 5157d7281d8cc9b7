import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import TestSupport
import Testing

struct OtherTenantsGrantTests {
    private let rule = "code-wrong-client"

    private func login(beganAt tenant: String, exchangedAt other: String) throws -> Recording {
        try Recording("healthy/web-code-flow").withEndpoints {
            "https://login.microsoftonline.com/\(tenant)/oauth2/v2.0/\($0)"
        }
        .refusedAt(
            "https://login.microsoftonline.com/\(other)/oauth2/v2.0/token",
            "AADSTS700005: Provided Authorization Code is intended to use against other tenant."
        )
    }

    @Test func tellsOfAnotherTenantByEntrasNumber() throws {
        let finding = try #require(login(beganAt: "common", exchangedAt: "shop.example").finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was exchanged at another tenant")
        #expect(finding.evidence[0].value.hasSuffix("/common/oauth2/v2.0/authorize"))
        #expect(finding.evidence[1].value.hasSuffix("/shop.example/oauth2/v2.0/token"))
    }

    /// With one tenant for both, or the login elsewhere, there is nothing to compare: the number stands with the refusal.
    @Test(arguments: [true, false]) func numberAloneStandsWithTheRefusal(isHalf: Bool) throws {
        let recording = try login(beganAt: isHalf ? "common" : "Shop.example", exchangedAt: "shop.example")
        let one = isHalf ? recording.without { !$0.request.url.path.hasSuffix("/token") } : recording
        #expect(one.finding(rule) == nil)
        let finding = try #require(one.finding("token-invalid-grant"))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was exchanged at another tenant")
        #expect(finding.places.contains { $0.hasSuffix("request.url ") })
    }

    @Test func tellsOfAnotherPolicyByItsNumber() throws {
        let recording = try Recording("healthy/web-code-flow").withEndpoints {
            "https://shop.b2clogin.com/shop.example/oauth2/v2.0/\($0)?p=B2C_1_edit_profile"
        }
        .refusedAt(
            "https://shop.b2clogin.com/shop.example/oauth2/v2.0/token?p=B2C_1_signin",
            "AADB2C90088: The provided grant has not been issued for this endpoint."
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was brought to the token endpoint of another policy")
        #expect(finding.evidence[0].value.hasSuffix("/authorize?p=B2C_1_edit_profile"))
        #expect(finding.evidence[1].value.hasSuffix("/token?p=B2C_1_signin"))
    }

    /// A refresh token is of the policy whose token endpoint gave it out.
    @Test func refreshTokenIsOfThePolicyThatGaveItOut() throws {
        var recording = try Recording("healthy/web-code-flow").withEndpoints {
            $0 == "token"
                ? "https://shop.b2clogin.com/token?p=B2C_1_signin"
                : "https://shop.b2clogin.com/\($0)?p=B2C_1_signin"
        }.refreshing(to: "a-token")
        var refresh = recording.exchanges.removeLast()
        refresh.request.url = RecordedURL("https://shop.b2clogin.com/token?p=B2C_1_reset")
        refresh.response?.status = 400
        refresh.response?.body = .json(
            #"{"error":"invalid_grant","error_description":"AADB2C90088: The provided grant has not been issued for this endpoint."}"#
        )
        recording.exchanges.append(refresh)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The refresh token was brought to the token endpoint of another policy")
        #expect(finding.evidence[0].value.hasSuffix("/token?p=B2C_1_signin"))
        #expect(recording.finding("token-invalid-grant")?.title.contains("just given out") == false)
    }
}

extension Recording {
    /// With another token endpoint, which refuses the code in these words.
    fileprivate func refusedAt(_ endpoint: String, _ words: String) -> Recording {
        editing { exchange in
            guard exchange.request.url.path.hasSuffix("/token") else { return }
            exchange.request.url = RecordedURL(endpoint)
            exchange.response?.status = 400
            exchange.response?.body = .json(
                #"{"error":"invalid_grant","error_description":"\#(words)"}"#
            )
        }
    }
}
