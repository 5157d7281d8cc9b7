import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import TestSupport
import Testing

struct IDTokenEncryptedTests {
    private let rule = "id-token-encrypted"
    private let broken = "id-token/id-token-encrypted"

    @Test func namesWhatTheHeaderSays() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["4 jwt.header alg", "4 jwt.header enc", "4 jwt.header kid"])
        #expect(finding.evidence.map(\.value) == ["RSA-OAEP-256", "A256GCM", "shop-enc"])
    }

    @Test func leavesASignedTokenAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func saysSoWhereTheHeaderNamesNoKey() throws {
        #expect(try Recording(broken).withEncryptedIDToken.finding(rule)?.evidence[2].value == "none")
    }

    /// The healthy login's ID token inside an encrypted one, by a key of 32 bytes.
    private func sealed(_ key: [UInt8], _ login: Recording? = nil) throws -> Recording {
        let login = try login ?? Recording("healthy/web-code-flow")
        let delivered = try #require(login.flows.first?.idTokens.first)
        let inner = delivered.token.token.text
        let outer = try #require(
            JSONWebEncryption.sealed(
                Array(inner.utf8),
                key: JSONWebKey(json: JSONObject([("kty", "oct"), ("k", .string(Base64URL.encode(key)))])),
                secret: nil,
                header: ["alg": "dir", "enc": "A128CBC-HS256", "cty": "JWT", "kid": "shop-enc"],
                random: { SecureRandom.bytes($0) }
            )
        )
        return login.editingAnswer(of: "/token") { $0["id_token"] = .string(outer) }
    }

    /// The pair of the registration, and another one; the client made nothing of the token.
    @Test(arguments: [("A128CBC-HS256", false), ("A256GCM", true), ("", false)])
    func comparesWithTheRegistration(encryption: String, isOther: Bool) throws {
        let login = try Recording("registration/registration-rejected.near-miss").editing { exchange in
            guard exchange.request.url.path == "/register", exchange.response?.status == 201,
                var answer = exchange.response?.body?.bytes.flatMap({ try? JSONParser.parse($0) })?.object
            else { return }
            answer["id_token_encrypted_response_enc"] = .string(encryption)
            exchange.response?.body = Body(
                text: JSONWriter.text(of: .object(answer)),
                mediaType: "application/json"
            )
        }
        let index = try #require(login.exchanges.lastIndex { $0.request.url.path == "/token" })
        let recording = try sealed(Digest.of([1]), Recording(Array(login.exchanges[...index])))
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.title.contains("in another way than was registered") == isOther)
        let note = "what the client registered; the token has A128CBC-HS256"
        #expect(finding.notes.contains(note) == isOther)
    }

    /// An app that refuses its callback behind such a token may do so for that; what is encrypted is a note all the same.
    @Test(arguments: [("A256GCM", false), ("A128CBC-HS256", true)])
    func refusedCallbackShowsTheOtherPair(encryption: String, isOther: Bool) throws {
        let login = try Recording(broken).answeringCallback(500)
        var registration = try #require(
            Recording("registration/registration-rejected.near-miss").exchanges.first {
                $0.request.url.path == "/register" && $0.response?.status == 201
            }
        )
        registration.startedAt = login.exchanges[0].startedAt - .seconds(10)
        let uris = #""redirect_uris":["https://www.shop.example/callback"]"#
        registration.request.body = .json("{\"client_name\":\"Shop\",\(uris)}")
        registration.response?.body = .json(
            "{\"client_id\":\"shop-web\",\(uris),\"id_token_encrypted_response_enc\":\"\(encryption)\"}"
        )
        let recording = Recording([registration] + login.exchanges.prefix(5))
        #expect(recording.finding(rule)?.severity == .note)
        let rejected = try #require(recording.finding("callback-rejected-by-app"))
        #expect(rejected.isPrimary)
        let note = "what the client registered; the token has A256GCM"
        #expect(rejected.notes.contains(note) == isOther)
    }

    private func secret() throws -> [UInt8] {
        let request = try #require(Recording("healthy/web-code-flow").flows.first?.tokenRequests.first)
        return Array(try #require(request.authentication.secret?.value).utf8)
    }

    @Test func readsWhatTheClientSecretOpens() throws {
        let recording = try sealed(Digest.of(secret()))
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.map(\.value) == ["dir", "A128CBC-HS256", "shop-enc"])
        #expect(finding.notes == ["opened with the client secret"])
        #expect(recording.findings.count == 1)
        let flow = try #require(recording.flows.first)
        let token = try #require(flow.steps.flatMap(\.tokens).first { $0.name == "id_token" })
        #expect(token.signature == .valid)
        #expect(token.token.subject == "alice")
        #expect(token.envelope?.algorithm == "dir")
        #expect(
            flow.links.contains { $0.name == "nonce" && $0.uses.contains { $0.place.part == .jwtClaims } }
        )
    }

    @Test func readsWhatAKeyOfTheCaptureOpens() throws {
        let key = SecureRandom.bytes(32)
        let recording = try sealed(key).editingAnswer(of: "/jwks") { answer in
            let json: JSONValue = ["kty": "oct", "kid": "shop-enc", "k": .string(Base64URL.encode(key))]
            answer["keys"] = .array((answer["keys"]?.array ?? []) + [json])
        }
        #expect(recording.finding(rule)?.notes == ["opened with key shop-enc of the capture"])
        #expect(recording.flows.first?.idTokens.first?.token.token.subject == "alice")
    }

    @Test func judgesWhatIsInside() throws {
        let key = Digest.of(try secret())
        let wrong = try Recording("healthy/web-code-flow").asking("nonce", "another-nonce-0001")
        #expect(wrong.finding("id-token-nonce-mismatch")?.isPrimary == true)
        let hidden = try sealed(key, wrong)
        #expect(hidden.finding("id-token-nonce-mismatch")?.isPrimary == true)
        #expect(hidden.finding(rule) != nil)
    }

    @Test func staysClosedToOtherKeys() throws {
        let recording = try sealed(Digest.of([1, 2, 3]))
        #expect(recording.findings.map(\.rule) == [rule])
        #expect(recording.finding(rule)?.notes == [])
        #expect(
            recording.flows.first?.steps.flatMap(\.tokens).first { $0.name == "id_token" }?.signature
                == .encrypted
        )
    }
}
