import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

struct JSONWebTokenTests {
    private func token(_ header: String, _ payload: String = #"{"sub":"alice"}"#, signature: String = "c2ln")
        -> String
    {
        "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8))).\(signature)"
    }

    @Test(arguments: [
        "", "a.b.c", "eyJhbGciOiJub25lIn0", "idp.example.com", "eyJ.eyJ", "192.168.0.1",
        "eyJhbGciOiJub25lIn0.eyJ9", "x eyJhbGciOiJub25lIn0.e30.",
    ])
    func textsOfAnotherShapeAreNoToken(text: String) {
        #expect(JSONWebToken.parse(text) == nil)
    }

    @Test func unknownAlgorithmIsShownAndNotChecked() throws {
        let parsed = try #require(JSONWebToken.parse(token(#"{"alg":"XY512"}"#)))
        #expect(parsed.algorithm == "XY512")
        let verification = parsed.verify(keys: [])
        #expect(verification.outcome == .notChecked)
        #expect(
            verification.checks.contains {
                $0.name == "alg" && $0.outcome == .failed && $0.detail.contains("XY512")
            }
        )
    }

    @Test func signatureThatWasNotVerifiedIsTold() throws {
        let unknown = try #require(JSONWebToken.parse(token(#"{"alg":"RS256"}"#))).verify(keys: [])
        #expect(!unknown.checks.contains { $0.name == "signature" })
        let told = unknown.tellingOfSignature
        #expect(told.checks.dropLast() == unknown.checks[...] && told.outcome == .unknownKey)
        #expect(told.checks.last?.name == "signature" && told.checks.last?.outcome == .skipped)
        #expect(told.tellingOfSignature == told)
        let unsigned = try #require(JSONWebToken.parse(token(#"{"alg":"none"}"#, signature: ""))).verify(
            keys: [])
        #expect(unsigned.tellingOfSignature == unsigned)
    }

    /// What an Open Banking API signs stands in the body (RFC 7515, appendix F); an empty payload may be signed as well.
    @Test func signatureOverWhatIsNotThereIsLeftOpen() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let secret = JSONWebKey(json: ["kty": "oct", "k": .string(Base64URL.encode(key))])
        let input = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "."
        let sign = { (text: String) in
            Base64URL.encode(MessageAuthentication.hmac(Array(text.utf8), key: key, .sha256))
        }
        let detached = try #require(JSONWebToken.parse(input + "." + sign(input + "eyJhIjoxfQ")))
        let verification = detached.verify(keys: [secret])
        #expect(verification.outcome == .notChecked)
        let check = verification.checks.last
        #expect(check?.name == "signature" && check?.outcome == .skipped)
        let empty = try #require(JSONWebToken.parse(input + "." + sign(input)))
        #expect(empty.verify(keys: [secret]).outcome == .valid)
    }

    @Test func emptyHeaderIsATokenWithoutAlgorithm() throws {
        let verification = try #require(JSONWebToken.parse(token("{}"))).verify(keys: [])
        #expect(verification.checks.map(\.detail) == ["the header has no alg"])
        let number = try #require(JSONWebToken.parse(token(#"{"alg":5}"#))).verify(keys: [])
        #expect(number.checks.map(\.detail) == ["alg is no string"])
    }

    @Test func whatIsNotUTF8IsNamed() throws {
        let payload = Base64URL.encode(Array(#"{"sub":""#.utf8) + [0xff] + Array("\"}".utf8))
        let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
        let parsed = try #require(JSONWebToken.parse("\(header).\(payload).c2ln"))
        #expect(parsed.deviations.map(\.description) == ["payload: is not UTF-8 (RFC 7519 §7.2)"])
        #expect(parsed.claims != nil)
    }

    @Test func duplicateMembersAreNamedAndTheLastOneCounts() throws {
        let parsed = try #require(
            JSONWebToken.parse(token(#"{"alg":"RS256"}"#, #"{"sub":"a","aud":"x","sub":"b"}"#))
        )
        #expect(parsed.deviations.map(\.what) == ["member sub occurs twice"])
        #expect(parsed.subject == "b")
    }

    @Test(
        arguments: [
            ("1772615000", 1_772_615_000, 1_772_615_000), ("1772615000.75", 1_772_615_000, 1_772_615_000),
            ("-0.5", -1, -1), (#""1772615000""#, nil, 1_772_615_000), (#""soon""#, nil, nil),
            ("1e15", nil, nil), (#""1000000000000000""#, nil, nil), ("null", nil, nil),
        ] as [(String, Int64?, Int64?)]
    ) func timesAreNumbersOrDigitsWhereTheyAreTaken(value: String, number: Int64?, either: Int64?) throws {
        let parsed = try #require(
            JSONWebToken.parse(token(#"{"alg":"RS256"}"#, #"{"auth_time":\#(value)}"#))
        )
        #expect(parsed.seconds("auth_time") == number)
        #expect(parsed.seconds("auth_time", takingDigits: true) == either)
        #expect(parsed.seconds("iat", takingDigits: true) == nil)
    }

    @Test func standardBase64AndPaddingAreReadAndNamed() throws {
        // 0xfb 0xff give + and / in the standard alphabet.
        let header = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))
        let parsed = try #require(
            JSONWebToken.parse("\(header)==.\(Base64URL.encode(Array("{}".utf8))).+/8=")
        )
        #expect(parsed.signature == [0xfb, 0xff])
        #expect(parsed.deviations.map(\.part) == ["header", "signature", "signature"])
        #expect(parsed.deviations.contains { $0.what.contains("standard Base64") })
    }

    @Test func encryptedTokenShowsItsHeader() throws {
        let header = Base64URL.encode(Array(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8))
        let parsed = try #require(JSONWebToken.parse("\(header).a2V5.aXY.Y2lwaGVy.dGFn"))
        #expect(parsed.form == .encrypted)
        #expect(parsed.header?["enc"] == "A256GCM")
        #expect(parsed.claims == nil)
        #expect(parsed.verify(keys: []).outcome == .encrypted)
    }

    @Test(arguments: [
        (#"{"alg":"RS256","kid":"1"}"#, true), (#"{"alg":"none"}"#, true),
        (#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#, false), (#"{"alg":"RS256","enc":"A256GCM"}"#, false),
        (#"{"alg":"dir"}"#, false), (#"{"kid":"1"}"#, false),
    ])
    func fivePartsBehindTheHeaderOfASignedTokenAreTwoTokens(header: String, isTwo: Bool) throws {
        let one = token(header)
        #expect(try #require(JSONWebToken.parse(one + one)).isTwoRunTogether == isTwo)
        #expect(try !#require(JSONWebToken.parse(one)).isTwoRunTogether)
    }

    @Test func payloadThatIsNoObjectIsKeptAndNamed() throws {
        let parsed = try #require(JSONWebToken.parse(token(#"{"alg":"RS256"}"#, "[1,2]")))
        #expect(parsed.claims == nil)
        #expect(parsed.deviations.map(\.part) == ["payload"])
        #expect(parsed.payload == Array("[1,2]".utf8))
    }

    @Test(arguments: ["1e300", "-1e300", "\"soon\"", "null", "[1]"]) func absurdTimesAreNoTimes(exp: String)
        throws
    {
        let parsed = try #require(JSONWebToken.parse(token(#"{"alg":"RS256"}"#, "{\"exp\":\(exp)}")))
        #expect(parsed.expiresAt == nil)
    }

    @Test func megabytesAreReadWithoutTrouble() throws {
        let payload = #"{"sub":"alice","x":""# + String(repeating: "y", count: 2 << 20) + #""}"#
        let parsed = try #require(JSONWebToken.parse(token(#"{"alg":"RS256"}"#, payload)))
        #expect(parsed.subject == "alice")
    }

    @Test func hostileTextsNeverTrap() {
        var random = SeededGenerator(seed: 7519)
        let letters = Array("eyJhbGciOiJSUzI1NiJ9.eyJ.==+/_-A".utf8)
        for _ in 0..<20_000 {
            let text =
                "ey"
                + String(
                    decoding: random.hostileBytes(Int.random(in: 8...60, using: &random), among: letters),
                    as: UTF8.self
                )
            guard let parsed = JSONWebToken.parse(text) else { continue }
            _ = parsed.verify(keys: [JSONWebKey(json: ["kty": "RSA", "n": "AQ", "e": "AQ"])])
        }
    }
}
