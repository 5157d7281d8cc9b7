import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct DPoPKeyMismatchTests {
    private let rule = "dpop-key-mismatch"
    private let broken = "token-request/dpop-key-mismatch"

    @Test func namesBothKeys() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["3 jwt.header jwk", "2 jwt.header jwk", "3 response.header WWW-Authenticate"]
        )
        #expect(finding.evidence[0].value != finding.evidence[1].value)
        #expect(recording.finding("dpop-proof-invalid") == nil)
    }

    @Test func leavesARefreshOfAClientThatAuthenticatesAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func bindsTheRefreshTokenOfAPublicClient() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/token",
                let items = FormBody.items(of: exchange.request.body)?.items
            else { return }
            exchange.request.body = Body(
                text: FormBody.encode(
                    items.filter { $0.name != "client_secret" }.map { ($0.name, $0.value) }
                ),
                mediaType: FormBody.mediaType
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.evidence[1].note == "the key with which the token was got")
    }

    @Test func comparesWithTheLogin() throws {
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss")
        let key = try #require(
            recording.exchanges.first { $0.request.url.path == "/token" }.flatMap {
                DPoPProof(of: $0.request, exchange: 0)?.thumbprint
            }
        )
        #expect(recording.asking("dpop_jkt", key).finding(rule) == nil)
        #expect(
            recording.asking("dpop_jkt", "another").finding(rule)?.evidence[1].note == "dpop_jkt of the login"
        )
    }

    @Test func comparesWithTheAccessToken() throws {
        let token = "\(encoded("{\"alg\":\"RS256\"}")).\(encoded("{\"cnf\":{\"jkt\":\"another\"}}")).c2ln"
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.fields.removeAll { $0.name == "Authorization" }
            exchange.request.headers.append("Authorization", "DPoP " + token)
        }.editingAnswer(of: "/token") { $0["access_token"] = .string(token) }
        #expect(recording.finding(rule)?.evidence[1].note == "cnf.jkt of the access token")
    }

    @Test func comparesWithTheClientAssertion() throws {
        let token = "\(encoded("{\"alg\":\"ES256\"}")).\(encoded("{\"cnf\":{\"jkt\":\"another\"}}")).c2ln"
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss").sending(
            "client_assertion",
            token
        )
        #expect(recording.finding(rule)?.evidence[1].value == "another")
    }
}
