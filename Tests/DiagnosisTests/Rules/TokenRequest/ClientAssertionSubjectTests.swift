import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ClientAssertionSubjectTests {
    private let rule = "client-assertion-subject"
    private let broken = "token-request/client-assertion-subject"

    @Test func namesBothClaimsAndTheClient() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.claims iss", "5 jwt.claims sub", "2 request.query client_id", "5 response.body error",
            ]
        )
        #expect(finding.notes.prefix(2) == ["another one", "the client"])
    }

    @Test func leavesAnIssuerOfItsOwnAloneThatWasTaken() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["iss", "sub"]) func wantsBothClaims(name: String) throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { $0[name] = nil }
        #expect(recording.finding(rule) != nil)
        #expect(try Recording("token-request/client-assertion-audience").finding(rule) == nil)
    }

    @Test func comparesWithTheBody() throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = "shop-admin"
            claims["sub"] = "shop-admin"
        }
        #expect(recording.finding(rule) != nil)
        #expect(recording.finding("code-wrong-client") == nil)
    }

    @Test func leavesAWholeOtherClientToItsOwnRule() throws {
        let recording = try Recording("token-request/client-assertion-audience").asserting { claims in
            claims["iss"] = "shop-admin"
            claims["sub"] = "shop-admin"
        }.sending("client_id", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("code-wrong-client") != nil)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(
            try Recording(broken).answering(
                "/token",
                200,
                ["access_token": "not-a-token", "token_type": "Bearer"]
            ).finding(rule)?.severity == .warning
        )
    }

    @Test func wantsAnIdentifierWhereNothingElseIsWrong() throws {
        let refused = try Recording("token-request/client-assertion-audience.near-miss")
        #expect(refused.finding(rule) == nil)
        let recording = refused.asserting { $0["jti"] = nil }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "jti")
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
        // The address is the likelier fault.
        let wrong = try Recording("token-request/client-assertion-audience").asserting { $0["jti"] = nil }
        #expect(wrong.finding(rule) == nil)
        let taken = recording.answering(
            "/token",
            200,
            ["access_token": "not-a-token", "token_type": "Bearer"]
        )
        #expect(taken.finding(rule) == nil)
    }
}
