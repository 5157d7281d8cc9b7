import JSON
import LibCrypto
import TestSupport
import Testing

struct AuthenticatedCipherTests {
    private struct Vector {
        var key, nonce, data, plaintext, sealed: [UInt8]

        init() throws {
            let vector = try Vectors.named("rfc8439-2.8.2")
            let bytes = { (name: String) in [UInt8](hex: try #require(vector[name]?.string)) }
            key = try bytes("key")
            nonce = try bytes("nonce")
            data = try bytes("aad")
            plaintext = try bytes("plaintext")
            sealed = try bytes("ciphertext") + bytes("tag")
        }
    }

    @Test func sealedTextIsThatOfTheSpecification() throws {
        let vector = try Vector()
        let sealed = AuthenticatedCipher.seal(
            vector.plaintext[...],
            key: vector.key,
            nonce: vector.nonce,
            authenticating: vector.data
        )
        #expect(sealed == vector.sealed)
        let opened = AuthenticatedCipher.open(
            vector.sealed[...],
            key: vector.key,
            nonce: vector.nonce,
            authenticating: vector.data
        )
        #expect(opened == vector.plaintext)
    }

    @Test func changedBitOpensNowhere() throws {
        let vector = try Vector()
        for index in vector.sealed.indices {
            var changed = vector.sealed
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(
                AuthenticatedCipher.open(
                    changed[...],
                    key: vector.key,
                    nonce: vector.nonce,
                    authenticating: vector.data
                ) == nil
            )
        }
        for (key, nonce, data) in [
            (Array(vector.key.reversed()), vector.nonce, vector.data),
            (vector.key, Array(vector.nonce.reversed()), vector.data), (vector.key, vector.nonce, []),
        ] {
            let opened = AuthenticatedCipher.open(
                vector.sealed[...],
                key: key,
                nonce: nonce,
                authenticating: data
            )
            #expect(opened == nil)
        }
    }

    @Test func emptyTextIsATagAlone() throws {
        let vector = try Vector()
        let sealed = try #require(AuthenticatedCipher.seal([], key: vector.key, nonce: vector.nonce))
        #expect(sealed.count == 16)
        #expect(AuthenticatedCipher.open(sealed[...], key: vector.key, nonce: vector.nonce) == [])
        #expect(AuthenticatedCipher.open(sealed[1...], key: vector.key, nonce: vector.nonce) == nil)
    }

    @Test func keysAndNoncesOfOtherLengthsAreRefused() throws {
        let vector = try Vector()
        for (key, nonce) in [
            (Array(vector.key.dropLast()), vector.nonce), (vector.key, Array(vector.nonce.dropLast())),
            (vector.key + [0], vector.nonce), (vector.key, vector.nonce + [0]), ([], []),
        ] {
            #expect(AuthenticatedCipher.seal([1, 2], key: key, nonce: nonce) == nil)
            #expect(AuthenticatedCipher.open(vector.sealed[...], key: key, nonce: nonce) == nil)
        }
    }

    @Test func sliceIsReadFromWhereItBegins() throws {
        let vector = try Vector()
        let framed = [1, 2, 3] + vector.sealed + [4, 5]
        let slice = framed[3..<(3 + vector.sealed.count)]
        let opened = AuthenticatedCipher.open(
            slice,
            key: vector.key,
            nonce: vector.nonce,
            authenticating: vector.data
        )
        #expect(opened == vector.plaintext)
    }
}
