import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
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

    /// It need not be bound; the provider says that it is.
    @Test(arguments: [("invalid_dpop_proof", true), ("invalid_grant", false)])
    func believesAProviderThatBoundTheRefreshTokenOfAnyClient(error: String, fires: Bool) throws {
        var recording = try Recording(broken + ".near-miss")
        let last = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        recording.exchanges[last].response?.status = 400
        recording.exchanges[last].response?.body = .json("{\"error\":\"\(error)\"}")
        #expect((recording.finding(rule)?.severity == .error) == fires)
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
        // Its credentials may have been in a header that was left out.
        #expect(recording.sanitized.finding(rule) == nil)
    }

    @Test func comparesWithTheLogin() throws {
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss")
        let key = try #require(
            recording.exchanges.first { $0.request.url.path == "/token" }.flatMap {
                DPoPProof(of: $0.request, exchange: 0)?.thumbprint
            }
        )
        #expect(recording.asking("dpop_jkt", key).finding(rule) == nil)
        #expect(recording.asking("dpop_jkt", "").finding(rule) == nil)
        #expect(
            recording.asking("dpop_jkt", "another").finding(rule)?.evidence[1].note == "dpop_jkt of the login"
        )
    }

    @Test func comparesWithTheAccessToken() throws {
        let token = "\(encoded("{\"alg\":\"RS256\"}")).\(encoded("{\"cnf\":{\"jkt\":\"another\"}}")).c2ln"
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.replace("Authorization", with: "DPoP " + token)
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

    /// A proof with the push binds the code to its key (RFC 9449, section 10.1).
    @Test func comparesWithThePushedRequest() throws {
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss")
        let other = try #require(
            Recording(broken).exchanges.last { $0.request.headers.contains("dpop") }?.request.headers.first(
                "dpop"
            )
        )
        let own = try #require(
            recording.exchanges.first { $0.request.url.path == "/token" }?.request.headers.first("dpop")
        )
        #expect(try pushing(recording, proof: own).finding(rule) == nil)
        let finding = try #require(pushing(recording, proof: other).finding(rule))
        #expect(finding.evidence[1].note == "the key of the proof with the pushed request")
        #expect(finding.evidence[0].value != finding.evidence[1].value)
        #expect(finding.places[1].hasSuffix("jwt.header jwk"))
    }

    /// The same login, its request pushed before.
    private func pushing(_ recording: Recording, proof: String) throws -> Recording {
        let uri = "urn:ietf:params:oauth:request_uri:1234567890abcdefghij"
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var copy = recording
        var push = try #require(copy.exchanges.first { $0.request.url.path == "/token" })
        let url = copy.exchanges[index].request.url
        push.request.url = push.request.url.resolving("/par")
        push.request.body = Body(text: url.query ?? "", mediaType: FormBody.mediaType)
        push.request.headers.replace("DPoP", with: proof)
        push.startedAt = copy.exchanges[index].startedAt + .milliseconds(-20)
        push.response = RecordedResponse(
            status: 201,
            body: .json(#"{"request_uri":"\#(uri)","expires_in":60}"#)
        )
        let client = url.queryItems.first("client_id") ?? ""
        copy.exchanges[index].request.url = url.resolving("/authorize?client_id=\(client)&request_uri=\(uri)")
        copy.exchanges.append(push)
        return copy
    }

    /// The server's half of a login whose request was pushed with the key that its code is to be bound to.
    @Test(arguments: ["/token", "/userinfo"]) func comparesWithTheKeyThatWasPushed(named: String) throws {
        let recording = try Recording(broken)
        let exchange = try #require(recording.exchanges.first { $0.request.url.path == named })
        let key = try #require(DPoPProof(of: exchange.request, exchange: 0)?.thumbprint)
        let token = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        var push = try #require(recording.exchanges.first { $0.request.url.path == "/authorize" })
        let asked = push.request.url.queryItems.items.map { ($0.name, $0.value) }
        push.request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://id.harbour.example/par"),
            headers: HeaderFields([("User-Agent", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0")]),
            body: Body(text: FormBody.encode(asked + [("dpop_jkt", key)]), mediaType: FormBody.mediaType)
        )
        push.response = RecordedResponse(
            status: 201,
            body: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:1","expires_in":60}"#)
        )
        let finding = Recording([push, token]).finding(rule)
        #expect((finding != nil) == (named == "/userinfo"))
        guard let finding else { return }
        #expect(finding.places == ["1 jwt.header jwk", "0 request.body dpop_jkt", "1 response.status "])
    }
}
