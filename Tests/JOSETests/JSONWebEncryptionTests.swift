import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

/// Tokens that another implementation encrypted, for every algorithm that is opened here.
struct JSONWebEncryptionTests {
    private struct Example {
        var token: JSONWebToken
        var keys: [JSONWebKey]
        var secret: [UInt8]?

        func opened(_ text: String? = nil) -> (plaintext: [UInt8], key: JSONWebEncryption.Key)? {
            let parsed = text.map { JSONWebToken.parse($0) } ?? token
            return parsed.flatMap { JSONWebEncryption($0) }?.open(keys: keys, secret: secret)
        }
    }

    private static let count = 28

    private func claims() throws -> JSONValue { try #require(try Vectors.named("jwe")["claims"]) }

    private func example(_ index: Int) throws -> Example {
        let all = try #require(try Vectors.named("jwe")["tokens"]?.array)
        #expect(all.count == Self.count)
        let vector = all[index]
        return Example(
            token: try #require(vector["token"]?.string.flatMap(JSONWebToken.parse)),
            keys: vector["key"]?.object.map { [JSONWebKey(json: $0)] } ?? [],
            secret: vector["secret"]?.string.map { Array($0.utf8) }
        )
    }

    @Test(arguments: 0..<count) func opens(index: Int) throws {
        let example = try example(index)
        let opened = try #require(example.opened())
        #expect(try JSONParser.parse(opened.plaintext) == claims())
        #expect(opened.key == (example.keys.first.map { .key($0) } ?? .secret))
    }

    @Test(arguments: 0..<count) func oneBitAnywhereClosesIt(index: Int) throws {
        let example = try example(index)
        let parts = example.token.text.split(separator: ".", omittingEmptySubsequences: false)
        for (place, part) in parts.enumerated() where !part.isEmpty {
            var bytes = Base64URL.decodeLeniently(part).bytes
            // Of the header a letter of a value: what it says must change nothing but the tag.
            let at = place == 0 ? bytes.count - 3 : bytes.count / 2
            bytes[at] ^= 1
            var changed = parts.map(String.init)
            changed[place] = Base64URL.encode(bytes)
            #expect(example.opened(changed.joined(separator: ".")) == nil, "part \(place)")
        }
    }

    @Test(arguments: 0..<count) func anotherKeyOpensNothing(index: Int) throws {
        var example = try example(index)
        let others = try (0..<Self.count).filter { $0 != index }.flatMap { try self.example($0).keys }
        example.keys = others.filter { !example.keys.map(\.thumbprint).contains($0.thumbprint) }
        example.secret = example.secret.map { $0 + [0] }
        #expect(example.opened() == nil)
    }

    @Test func publicKeysAreNoHelp() throws {
        for index in 0..<Self.count {
            var example = try example(index)
            guard let key = example.keys.first, key.type != "oct" else { continue }
            var json = key.json
            for name in ["d", "p", "q", "dp", "dq", "qi"] { json.members.removeAll { $0.name == name } }
            example.keys = [JSONWebKey(json: json)]
            #expect(example.opened() == nil)
        }
    }

    @Test(arguments: ContentEncryption.allCases) func opensWhatItSealed(encryption: ContentEncryption) throws
    {
        func key(_ bytes: [UInt8]) -> JSONWebKey {
            JSONWebKey(json: JSONObject([("kty", "oct"), ("k", .string(Base64URL.encode(bytes)))]))
        }
        func sealed(_ text: String, _ key: JSONWebKey) -> String? {
            JSONWebEncryption.sealed(
                Array(text.utf8),
                key: key,
                secret: nil,
                header: ["alg": "dir", "enc": .string(encryption.rawValue), "kid": "1"],
                random: { SecureRandom.bytes($0) }
            )
        }
        let bytes = SecureRandom.bytes(encryption.keyLength)
        for text in ["", "{}", String(repeating: "long ", count: 10_000)] {
            let outer = try #require(sealed(text, key(bytes)))
            let token = try #require(JSONWebToken.parse(outer).flatMap { JSONWebEncryption($0) })
            #expect(token.open(keys: [key(bytes)])?.plaintext == Array(text.utf8))
            #expect(token.keyID == "1")
        }
        #expect(sealed("{}", key(bytes.dropLast())) == nil)
    }

    @Test func whatIsCompressedOrCriticalStaysClosed() throws {
        let key = SecureRandom.bytes(16)
        let json = JSONObject([("kty", "oct"), ("k", .string(Base64URL.encode(key)))])
        let members: [(member: (String, JSONValue), opens: Bool)] = [
            (("kid", "1"), true), (("zip", "DEF"), false), (("crit", ["b64"]), false),
        ]
        for (member, opens) in members {
            let header = JSONObject([("alg", "dir"), ("enc", "A128GCM")] + [member])
            let protected = Base64URL.encode(JSONWriter.bytes(of: .object(header)))
            let vector = SecureRandom.bytes(12)
            let sealed = try #require(
                Cipher.sealGCM([1, 2], key: key, nonce: vector, authenticating: Array(protected.utf8))
            )
            let parts = [[], vector, sealed.ciphertext, sealed.tag].map { Base64URL.encode($0) }
            let text = ([protected] + parts).joined(separator: ".")
            let token = try #require(JSONWebToken.parse(text).flatMap { JSONWebEncryption($0) })
            #expect((token.open(keys: [JSONWebKey(json: json)]) != nil) == opens)
        }
    }

    @Test func hostileParametersAreRefusedQuietly() throws {
        let headers = [
            #"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}"#,
            #"{"alg":"ECDH-ES","enc":"A128GCM","epk":7}"#,
            #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"","tag":""}"#,
            #"{"alg":"A128KW","enc":"A128GCM"}"#, #"{"alg":"dir","enc":"A128CBC-HS256"}"#, #"{"alg":"dir"}"#,
            #"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, #"{"enc":"A128GCM"}"#,
        ]
        let keys = try (0..<Self.count).flatMap { try example($0).keys }
        for header in headers {
            for rest in ["....", ".AA.AA.AA.AA", ".." + String(repeating: "A", count: 200) + ".."] {
                let text = Base64URL.encode(Array(header.utf8)) + rest
                let token = JSONWebToken.parse(text).flatMap { JSONWebEncryption($0) }
                #expect(token?.open(keys: keys, secret: [1, 2, 3]) == nil)
            }
        }
    }
}
