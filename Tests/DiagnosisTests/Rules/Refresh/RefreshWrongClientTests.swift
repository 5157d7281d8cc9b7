import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct RefreshWrongClientTests {
    private let rule = "refresh-wrong-client"
    private let broken = "refresh/refresh-wrong-client"

    @Test func namesBothClients() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 request.body client_id", "6 request.body client_id", "6 response.body error",
            ]
        )
        #expect(finding.evidence.prefix(2).map(\.value) == ["shop-web", "shop-jobs"])
        #expect(recording.finding("token-invalid-grant")?.effectOf == rule)
    }

    @Test func leavesClientsOfOneFamilyAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesTheSameClientAlone() throws {
        #expect(try Recording(broken).sending("client_id", "shop-web").finding(rule) == nil)
    }

    @Test func leavesARefusalForLoadAlone() throws {
        #expect(try Recording(broken).answering("/token", 503).finding(rule) == nil)
    }

    @Test func abstainsWithoutTheLogin() throws {
        let recording = Recording(Array(try Recording(broken).exchanges.suffix(1)))
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func sentenceOfTheSpecificationSaysNothing() throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description":
                    "The provided authorization grant is invalid, expired, revoked, or was issued to another client.",
            ]
        )
        let last = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        #expect(Recording([last]).finding(rule) == nil)
    }

    /// The token's own word is the other one.
    @Test(arguments: [("shop-web", true), ("shop-admin", false)])
    func takesTheProvidersWordForOneHalf(client: String, fires: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description":
                    "Invalid refresh token. Token client and authorized client don't match",
            ]
        )
        var last = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        let token = "\(encoded("{\"alg\":\"HS256\"}")).\(encoded("{\"azp\":\"shop-admin\"}")).c2ln"
        last.request.body = Body(
            text: "grant_type=refresh_token&client_id=\(client)&refresh_token=\(token)",
            mediaType: FormBody.mediaType
        )
        let finding = Recording([last]).finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.evidence[0].value == "shop-admin") == fires)
        #expect((finding != nil) == fires)
    }
}
