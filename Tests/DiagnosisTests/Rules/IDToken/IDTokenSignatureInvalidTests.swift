import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Testing

struct IDTokenSignatureInvalidTests {
    private let rule = "id-token-signature-invalid"
    private let broken = "id-token/id-token-signature-invalid"

    /// A healthy login whose ID token and key set are replaced.
    private func login(_ token: String, _ key: JSONWebKey?) throws -> Recording {
        try Recording("healthy/web-code-flow").editingAnswer(of: "/token") { $0["id_token"] = .string(token) }
            .editingAnswer(of: "/jwks") { if let key { $0["keys"] = [.object(key.json)] } }
    }

    private func claims() throws -> JSONObject {
        try #require(Recording("healthy/web-code-flow").flows.first?.idTokens.first?.token.token.claims)
    }

    @Test func namesAlgorithmAndKey() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.prefix(2) == ["4 jwt.header alg", "4 jwt.header kid"])
        #expect(finding.evidence[1].value == "2026-03")
        #expect(finding.notes.first == "a key of type RSA")
        #expect(finding.variant == nil)
    }

    /// One that was cut off is told of as such.
    @Test func leavesATokenAloneThatCannotBeRead() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { answer in
            let parts = (answer["id_token"]?.string ?? "").split(separator: ".")
            answer["id_token"] = .string("\(parts[0]).\(parts[1].prefix(41)).\(parts[2])")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("id-token-malformed")?.isPrimary == true)
    }

    @Test func leavesATokenWithoutKeyNameAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// A key that verifies the token, and that libraries do not take as it is published.
    @Test(arguments: [
        ("use", "enc", true), ("use", "sig", false), ("alg", "RS512", true), ("alg", "RS256", false),
        ("n", "=", true), ("n", "zero", true), ("key_ops", "", true),
    ])
    func namesAFaultOfThePublishedKey(member: String, value: String, isFault: Bool) throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let token = try JSONWebToken.sign(
            claims: claims(),
            header: ["kid": "k"],
            algorithm: .rs256,
            with: .privateKey(key)
        )
        var json = JSONWebKey(key.publicKey, id: "k", algorithm: .rs256).json
        json[member] =
            switch member {
            case "key_ops": .array(["encrypt"])
            case "n" where value == "zero":
                .string(Base64URL.encode([0] + (json["n"]?.string.flatMap { Base64URL.decode($0) } ?? [])))
            case "n": .string((json["n"]?.string ?? "") + value)
            default: .string(value)
            }
        let went = try login(token, JSONWebKey(json: json))
        #expect(went.finding(rule) == nil)
        let refused = went.answeringCallback(
            401,
            Body(text: "<h1>Login failed</h1><p>invalid id token</p>", mediaType: "text/html")
        )
        let finding = refused.finding(rule)
        #expect((finding != nil) == isFault)
        guard let finding else { return }
        #expect(finding.isPrimary && finding.variant == "key" && finding.evidence[1].place.name == member)
        #expect(refused.finding("callback-rejected-by-app")?.effectOf == rule)
    }

    @Test func namesDER() throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let token = try JSONWebToken.sign(
            claims: claims(),
            header: ["kid": "k"],
            algorithm: .es256,
            with: .privateKey(key)
        )
        let jwk = JSONWebKey(key.publicKey, id: "k", algorithm: .es256)
        #expect(try login(token, jwk).finding(rule) == nil)
        let parts = token.split(separator: ".")
        let raw = try #require(Base64URL.decode(parts[2]))
        let der = parts[0] + "." + parts[1] + "." + Base64URL.encode(Self.der(raw))
        #expect(try login(der, jwk).finding(rule)?.variant == "der")
    }

    /// SEQUENCE of two INTEGERs, each with a zero before a leading bit.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw[..<32], raw[32...]].flatMap { half -> [UInt8] in
            let digits = Array(half.drop { $0 == 0 })
            let positive = (digits.first ?? 0) & 0x80 == 0 ? digits : [0] + digits
            return [2, UInt8(positive.count)] + positive
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    @Test func checksASymmetricSignatureWithTheKnownSecret() throws {
        let right = Array("not-a-secret-of-anyone".utf8)
        let good = try JSONWebToken.sign(
            claims: claims(),
            header: [:],
            algorithm: .hs256,
            with: .secret(right)
        )
        let bad = try JSONWebToken.sign(
            claims: claims(),
            header: [:],
            algorithm: .hs256,
            with: .secret([1, 2, 3])
        )
        #expect(try login(good, nil).finding(rule) == nil)
        #expect(try login(bad, nil).finding(rule)?.severity == .error)
    }

    @Test func abstainsWithoutTheKey() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/jwks" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == "the key is not in the capture")
    }

    @Test func abstainsOnAnAlgorithmNobodyKnows() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { object in
            let parts = object["id_token"]?.string?.split(separator: ".") ?? []
            object["id_token"] = .string(
                "\(encoded(#"{"alg":"XX256","kid":"2026-03"}"#)).\(parts[1]).\(parts[2])"
            )
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsOnATokenWithoutWhatWasSigned() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { object in
            let parts = object["id_token"]?.string?.split(separator: ".") ?? []
            object["id_token"] = .string("\(parts[0])..\(parts[2])")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == "what was signed is not in the token")
    }

    @Test func leavesAnUnsignedTokenToItsOwnRule() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { object in
            let parts = object["id_token"]?.string?.split(separator: ".") ?? []
            object["id_token"] = .string("\(encoded(#"{"alg":"none"}"#)).\(parts[1]).")
        }
        #expect(recording.finding(rule) == nil)
    }
}
