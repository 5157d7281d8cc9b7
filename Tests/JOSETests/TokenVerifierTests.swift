import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

/// Many tokens by one set of keys: the short way says valid only where the long one does.
struct TokenVerifierTests {
    private static let now: Int64 = 1_780_000_000
    private static let key = try? PrivateKey.generate(.elliptic(.p256))
    private static let expected = TokenExpectations(issuer: "https://idp.example", audience: "shop", now: now)

    private static let good: JSONObject = [
        "iss": "https://idp.example", "aud": "shop", "sub": "alice", "exp": .number(JSONNumber(now + 60)),
        "iat": .number(JSONNumber(now)),
    ]

    private func keys(_ id: String = "k1") throws -> [JSONWebKey] {
        [JSONWebKey(try #require(Self.key).publicKey, id: id, algorithm: .es256)]
    }

    private func token(_ claims: JSONObject, header: JSONObject = ["kid": "k1"]) throws -> String {
        try JSONWebToken.sign(
            claims: claims,
            header: header,
            algorithm: .es256,
            with: .privateKey(#require(Self.key))
        )
    }

    private func verdict(_ text: String, expecting: TokenExpectations = expected) throws
        -> TokenVerifier.Verdict
    {
        let verifier = TokenVerifier(keys: try keys(), expecting: expecting)
        return Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
    }

    @Test func whatIsEncryptedIsOpenedFirst() throws {
        let secret = SecureRandom.bytes(16)
        let shared = JSONWebKey(
            json: JSONObject([("kty", "oct"), ("k", .string(Base64URL.encode(secret)))])
        )
        func verdict(on inner: String) throws -> TokenVerifier.Verdict {
            let sealed = try #require(
                JSONWebEncryption.sealed(
                    Array(inner.utf8),
                    key: shared,
                    secret: nil,
                    header: ["alg": "dir", "enc": "A128GCM"],
                    random: { SecureRandom.bytes($0) }
                )
            )
            let verifier = TokenVerifier(keys: try keys() + [shared], expecting: Self.expected)
            return Array(sealed.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
        }
        #expect(try verdict(on: token(Self.good)) == .valid)
        #expect(try verdict(on: token(["iss": "https://other.example"])) != .valid)
        #expect(try verdict(on: "{}") == .invalid(["what is encrypted is no signed token"]))
    }

    @Test func twoTokensWithoutASpaceAreNone() throws {
        let good = try token(Self.good)
        #expect(try verdict(good + good) == .invalid(["two tokens run together"]))
    }

    /// RFC 8725, section 3.1; RFC 7517, section 4.3.
    @Test(arguments: [
        ("alg", JSONValue.string("ES384"), false), ("alg", .string("ES256"), true),
        ("key_ops", .array(["encrypt"]), false), ("key_ops", .array(["verify"]), true),
        ("key_ops", .array([]), true),
        ("use", .string("enc"), false),
    ])
    func keyForSomethingElseVerifiesNothing(name: String, value: JSONValue, isValid: Bool) throws {
        var json = try #require(try keys().first).json
        json[name] = value
        let verifier = TokenVerifier(keys: [JSONWebKey(json: json)], expecting: Self.expected)
        let verdict = Array(try token(Self.good).utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
        #expect((verdict == .valid) == isValid)
    }

    /// RFC 9864 gives EdDSA's curves names of their own: a key for the one is a key for the other, in the short way and the long one.
    @Test(arguments: [
        ("EdDSA", SignatureAlgorithm.ed25519, true), ("Ed25519", .edDSA, true), ("Ed25519", .ed25519, true),
        ("Ed448", .ed25519, false), ("ES256", .edDSA, false),
    ])
    func keyForEdDSAIsOneForItsCurve(stated: String, algorithm: SignatureAlgorithm, isValid: Bool) throws {
        let key = try PrivateKey.generate(.edwards(.ed25519))
        var json = JSONWebKey(key.publicKey, id: "k").json
        json["alg"] = .string(stated)
        let verifier = TokenVerifier(keys: [JSONWebKey(json: json)], expecting: Self.expected)
        for audience in ["shop", ["shop"]] as [JSONValue] {
            for header in [["kid": "k"], [:]] as [JSONObject] {
                var claims = Self.good
                claims["aud"] = audience
                let text = try JSONWebToken.sign(
                    claims: claims,
                    header: header,
                    algorithm: algorithm,
                    with: .privateKey(key)
                )
                let verdict = Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
                let reason = "key: key k is for \(stated), the token says \(algorithm.rawValue)"
                #expect(verdict == (isValid ? .valid : .invalid([reason])), "\(audience) \(header)")
            }
        }
    }

    @Test(arguments: [("HS256", true), ("HS512", false)])
    func secretForAnotherAlgorithmIsNamed(stated: String, isValid: Bool) throws {
        let secret = SecureRandom.bytes(64)
        let key = JSONWebKey(
            json: [
                "kty": "oct", "kid": "s", "alg": .string(stated), "k": .string(Base64URL.encode(secret)),
            ]
        )
        let text = try JSONWebToken.sign(
            claims: Self.good,
            header: ["kid": "s"],
            algorithm: .hs256,
            with: .secret(secret)
        )
        let verifier = TokenVerifier(keys: [key], expecting: Self.expected)
        let verdict = Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
        #expect(verdict == (isValid ? .valid : .invalid(["key: key s is for HS512, the token says HS256"])))
    }

    @Test func goodTokenIsValid() throws { #expect(try verdict(token(Self.good)) == .valid) }

    @Test(
        arguments: [
            (
                "iss", JSONValue.string("https://other.example"),
                "iss: https://other.example instead of https://idp.example"
            ),
            ("aud", JSONValue.string("app"), "aud: app instead of shop"),
            ("aud", .array([.string("app"), .string("web")]), "aud: app, web instead of shop"),
            ("aud", .number(JSONNumber(text: "7")), "aud: no aud; expected shop"),
            ("exp", .number(JSONNumber(now)), "exp: 1780000000, in 0 seconds"),
            ("exp", .string("soon"), "exp: \"soon\" is no time"),
            ("nbf", .number(JSONNumber(now + 1)), "nbf: 1780000001, in 1 second"),
            ("iat", .number(JSONNumber(now + 90_000)), "iat: 1780090000, in 25 hours"),
        ] as [(String, JSONValue, String)]
    )
    func faultIsNamed(name: String, value: JSONValue, reason: String) throws {
        var claims = Self.good
        claims[name] = value
        #expect(try verdict(token(claims)) == .invalid([reason]))
    }

    @Test(arguments: ["iss", "aud"]) func missingClaimIsNamed(name: String) throws {
        var claims = Self.good
        claims[name] = nil
        guard case .invalid(let reasons) = try verdict(token(claims)) else {
            Issue.record("valid without \(name)")
            return
        }
        #expect(reasons.first?.hasPrefix("\(name): no \(name); expected") == true)
    }

    @Test func unusualButGoodTokensAreValid() throws {
        var claims = Self.good
        claims["aud"] = ["app", "shop"]
        #expect(try verdict(token(claims)) == .valid, "several audiences")
        claims["exp"] = .number(JSONNumber(text: "1780000060.5"))
        #expect(try verdict(token(claims)) == .valid, "a fraction")
        #expect(try verdict(token(claims, header: [:])) == .valid, "no kid")
        // The largest number of milliseconds that Java has, in seconds.
        claims["exp"] = .number(JSONNumber(text: "9223372036854775"))
        #expect(try verdict(token(claims, header: [:])) == .valid, "never to run out")
        claims["exp"] = nil
        #expect(try verdict(token(claims)) == .valid, "no exp")
    }

    /// RFC 7519, section 7.3: é as one code point is no é as two.
    @Test(arguments: [("caf\u{e9}", true), ("cafe\u{301}", false)])
    func namesAreComparedByTheirBytes(name: String, isValid: Bool) throws {
        let expected = TokenExpectations(issuer: "caf\u{e9}", audience: "caf\u{e9}", now: Self.now)
        for claim in ["iss", "aud"] {
            var claims = Self.good
            claims["iss"] = "caf\u{e9}"
            claims["aud"] = "caf\u{e9}"
            claims[claim] = .string(name)
            #expect(try (verdict(token(claims), expecting: expected) == .valid) == isValid, "\(claim)")
        }
    }

    @Test func leewayMovesBothEnds() throws {
        var expected = Self.expected
        expected.leeway = 30
        var claims = Self.good
        claims["exp"] = .number(JSONNumber(Self.now - 29))
        claims["iat"] = .number(JSONNumber(Self.now + 30))
        #expect(try verdict(token(claims), expecting: expected) == .valid)
        claims["exp"] = .number(JSONNumber(Self.now - 30))
        #expect(try verdict(token(claims), expecting: expected) != .valid)
    }

    @Test func duplicateClaimIsNoValidToken() throws {
        var claims = Self.good
        claims.members.append(.init(name: "sub", value: "mallory"))
        guard case .invalid(let reasons) = try verdict(token(claims)) else {
            Issue.record("valid with two subjects")
            return
        }
        #expect(reasons.contains { $0.contains("member sub occurs twice") })
    }

    /// RFC 7515, section 4.1.11: whoever does not understand an extension refuses the token.
    @Test(
        arguments: [
            (["exp2"], ["exp2": 1], "crit: demands exp2, not understood here"),
            (["b64"], ["b64": false], "crit: demands b64, not understood here"),
            ([], [:], "crit: an empty list"), ("b64", [:], "crit: \"b64\" is no list of names"),
            (["alg"], [:], "crit: names alg, which is no extension"),
            (["a", "a"], ["a": 1], "crit: names an extension twice"),
            (["a"], [:], "crit: names a, which the header does not have"),
            ([1], [:], "crit: not every element of the list is a name"),
        ] as [(JSONValue, JSONObject, String)]
    )
    func criticalExtensionsAreRefused(value: JSONValue, extensions: JSONObject, reason: String) throws {
        let header = JSONObject([("kid", "k1"), ("crit", value)]).members + extensions.members
        let text = try token(Self.good, header: JSONObject(header))
        #expect(try verdict(text) == .invalid([reason]))
    }

    @Test(arguments: [[0xff, 0xfe], [0xc3], [0xc0, 0xaf]] as [[UInt8]])
    func payloadThatIsNotUTF8IsNoValidToken(bytes: [UInt8]) throws {
        let key = try #require(Self.key)
        let header = Array(#"{"alg":"ES256","kid":"k1"}"#.utf8)
        let claims =
            Array(#"{"iss":"https://idp.example","aud":"shop","sub":""#.utf8) + bytes + Array("\"}".utf8)
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        let signature = try key.sign(Array(input.utf8), #require(SignatureAlgorithm.es256.scheme))
        let text = "\(input).\(Base64URL.encode(signature))"
        #expect(try verdict(text) == .invalid(["payload: is not UTF-8 (RFC 7519 §7.2)"]))
        var good = Self.good
        good["name"] = "Ålice"
        #expect(try verdict(token(good)) == .valid)
    }

    @Test func unknownKeyIsNamed() throws {
        let verifier = TokenVerifier(keys: try keys("other"), expecting: Self.expected)
        let text = try token(Self.good)
        let verdict = Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
        #expect(verdict == .invalid(["kid: k1 is not among other"]))
    }

    /// What the claims lack does not hide it.
    @Test func unknownKeyIsNamedBesideOtherFaults() throws {
        let verifier = TokenVerifier(keys: [], expecting: Self.expected)
        var claims = Self.good
        let unknown = "signature: unknown key"
        for other in [nil, "app"] as [String?] {
            if let other { claims["aud"] = .string(other) }
            let text = try token(claims, header: [:])
            let verdict = Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) }
            #expect(verdict == .invalid([unknown] + (other == nil ? [] : ["aud: app instead of shop"])))
        }
    }

    /// Every byte changed in turn: never valid, and never a trap.
    @Test func everyChangedByteIsSeen() throws {
        let verifier = TokenVerifier(keys: try keys(), expecting: Self.expected)
        let bytes = Array(try token(Self.good).utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let verdict = changed.withUnsafeBufferPointer { verifier.verdict(on: $0) }
            #expect(verdict != .valid, "byte \(index)")
        }
        #expect(bytes.withUnsafeBufferPointer { verifier.verdict(on: $0) } == .valid)
    }

    @Test(arguments: SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
    func eachAlgorithmTakesTheShortWay(algorithm: SignatureAlgorithm) throws {
        let kind: PrivateKey.Kind =
            switch algorithm.keyType {
            case "RSA": .rsa(bits: 2048)
            case "OKP": .edwards(EdwardsCurve(rawValue: algorithm.curves.first ?? "") ?? .ed25519)
            default: .elliptic(EllipticCurve(rawValue: algorithm.curves.first ?? "") ?? .p256)
            }
        let key = try PrivateKey.generate(kind)
        let verifier = TokenVerifier(
            keys: [JSONWebKey(key.publicKey, id: "k", algorithm: algorithm)],
            expecting: Self.expected
        )
        // Several in a row: contexts are used again.
        for number in 0..<3 {
            var claims = Self.good
            claims["sub"] = .string("user-\(number)")
            let text = try JSONWebToken.sign(
                claims: claims,
                header: ["kid": "k"],
                algorithm: algorithm,
                with: .privateKey(key)
            )
            #expect(Array(text.utf8).withUnsafeBufferPointer { verifier.verdict(on: $0) } == .valid)
            let other = Array((text + "A").utf8)
            #expect(other.withUnsafeBufferPointer { verifier.verdict(on: $0) } != .valid)
        }
    }
}
