import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct AppleClientSecretInvalidTests {
    private let rule = "apple-client-secret-invalid"
    private let broken = "provider-specific/apple-client-secret-invalid"

    /// The near miss, its secret with other claims or header.
    private func secret(_ header: String?, _ edit: (inout JSONObject) -> Void) throws -> Recording {
        let recording = try Recording(broken + ".near-miss")
        let old = try #require(
            FormBody.items(of: recording.exchanges[4].request.body)?.first("client_secret").flatMap {
                JSONWebToken.parse($0)
            }
        )
        var claims = try #require(old.claims)
        edit(&claims)
        let head = encoded(header ?? "{\"alg\":\"ES256\",\"kid\":\"KEY1234567\"}")
        return recording.sending(
            "client_secret",
            "\(head).\(encoded(JSONWriter.text(of: .object(claims)))).c2lnbmF0dXJl"
        )
    }

    @Test func namesTheEndAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["4 jwt.claims exp", "4 response.body error"])
        #expect(finding.notes == ["run out 10 days before"])
    }

    @Test func leavesARightSecretToTheOtherRule() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
        #expect(try secret(nil) { _ in }.finding(rule) == nil)
    }

    @Test func checksEveryPart() throws {
        let far = try secret(nil) { $0["exp"] = 1_900_000_000 }
        #expect(far.finding(rule)?.notes.first == "more than six months ahead")
        let other = try secret(nil) { $0["sub"] = "example.shop.app" }
        #expect(other.finding(rule)?.places.first == "4 jwt.claims sub")
        let elsewhere = try secret(nil) { $0["aud"] = ["https://appleid.apple.com", "https://id.example"] }
        #expect(elsewhere.finding(rule)?.places.first == "4 jwt.claims aud")
        let none = try secret(nil) { $0["exp"] = nil }
        #expect(none.finding(rule)?.places.first == "4 jwt.claims exp")
        let algorithm = try secret("{\"alg\":\"RS256\",\"kid\":\"KEY1234567\"}") { _ in }
        #expect(algorithm.finding(rule)?.places.first == "4 jwt.header alg")
        let unnamed = try secret("{\"alg\":\"ES256\"}") { _ in }
        #expect(unnamed.finding(rule)?.places.first == "4 jwt.header kid")
    }

    /// Tokens are revoked by the same secret.
    @Test func checksWhatRevokesTokens() throws {
        var recording = try Recording(broken).editingLast("/token") {
            $0.request.url = RecordedURL("https://appleid.apple.com/auth/revoke")
        }
        recording = Recording(Array(recording.exchanges.suffix(1)))
            .sending("token", "a-refresh-token-8675309", to: "/auth/revoke")
        for name in ["grant_type", "code", "redirect_uri", "code_verifier"] {
            recording = recording.sending(name, nil, to: "/auth/revoke")
        }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func knowsAppleByItsHost() throws {
        let recording = try Recording(broken).sending("client_secret", "not-a-jwt-but-a-word")
        #expect(recording.finding(rule) == nil)
        let apple = recording.editing { exchange in
            let text = exchange.request.url.text.replacing("id.harbour.example", with: "appleid.apple.com")
            exchange.request.url = RecordedURL(text)
        }
        #expect(apple.finding(rule)?.notes.first == "not a JWT")
    }

    @Test func leavesSuccessAlone() throws {
        let recording = try Recording(broken).answering("/token", 200, ["access_token": "not-a-token"])
        #expect(recording.finding(rule) == nil)
    }
}
