import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

/// What is sealed for a key is what its holder opens: with the keys and headers of tokens that another implementation made.
struct SealingTests {
    private static let plaintext = Array(#"{"sub":"alice"}"#.utf8)

    private struct Case: CustomTestStringConvertible {
        var header: JSONObject
        var key: JSONWebKey?
        var secret: [UInt8]?

        var testDescription: String { "\(header["alg"]?.string ?? "") \(header["enc"]?.string ?? "")" }

        func sealed(_ other: JSONObject? = nil) -> String? {
            JSONWebEncryption.sealed(
                SealingTests.plaintext,
                key: key,
                secret: secret,
                header: other ?? header,
                random: { SecureRandom.bytes($0) }
            )
        }
    }

    /// Those for a key pair or for a secret; symmetric keys are nobody's who gives out tokens.
    private static let cases: [Case] = {
        let tokens = (try? Vectors.named("jwe"))?["tokens"]?.array ?? []
        return tokens.compactMap { vector in
            guard let header = vector["token"]?.string.flatMap(JSONWebToken.parse)?.header else { return nil }
            let key = vector["key"]?.object.map(JSONWebKey.init(json:))
            let isKnown = header["alg"]?.string.map { !$0.hasSuffix("GCMKW") } ?? false
            guard isKnown, key?.type != "oct" else { return nil }
            return Case(header: header, key: key, secret: vector["secret"]?.string.map { Array($0.utf8) })
        }
    }()

    @Test func thereAreSome() {
        let algorithms = Set(Self.cases.compactMap { $0.header["alg"]?.string })
        #expect(algorithms.isSuperset(of: ["dir", "RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A256KW"]))
    }

    @Test func holderOpensWhatWasSealed() throws {
        for item in Self.cases {
            let text = try #require(item.sealed(), "\(item.testDescription)")
            let token = try #require(JSONWebToken.parse(text))
            #expect(token.header?["alg"] == item.header["alg"] && token.header?["enc"] == item.header["enc"])
            let opened = JSONWebEncryption(token)?.open(
                keys: item.key.map { [$0] } ?? [],
                secret: item.secret
            )
            #expect(opened?.plaintext == Self.plaintext, "\(item.testDescription)")
            // Every time with another content key.
            #expect(text != item.sealed())
        }
    }

    @Test func nothingIsSealedForTheWrongKindOfKey() throws {
        let rsa = try #require(Self.cases.first { $0.header["alg"] == "RSA-OAEP" })
        let elliptic = try #require(Self.cases.first { $0.header["alg"] == "ECDH-ES" })
        #expect(rsa.sealed(elliptic.header) == nil && elliptic.sealed(rsa.header) == nil)
        #expect(rsa.sealed(["alg": "PBES2-HS256+A128KW", "enc": "A128GCM"]) == nil)
        #expect(rsa.sealed(["alg": "RSA-OAEP", "enc": "none"]) == nil)
    }
}
