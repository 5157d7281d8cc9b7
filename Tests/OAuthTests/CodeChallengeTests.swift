import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import TestSupport
import Testing

/// How a challenge was made of its verifier, rightly or in one of the wrong ways.
struct CodeChallengeTests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    @Test func vectorOfTheSpecification() throws {
        let vector = try Vectors.named("rfc7636-b")
        #expect(
            CodeChallenge.s256(of: vector["code_verifier"]?.string ?? "") == vector["code_challenge"]?.string
        )
    }

    /// Verifiers whose hash shows each fault: it has to hold `+`, `/` or both in standard Base64.
    private static func verifier(where condition: (String) -> Bool) -> String {
        (0...).lazy.map { "a-verifier-of-forty-three-characters-\($0)-xxxx" }.first {
            condition(Base64.encode(Digest.of($0.utf8)))
        } ?? ""
    }

    static let wrongWays: [(ChallengeRelation, @Sendable (_ hash: [UInt8]) -> String)] = [
        (.s256, { Base64URL.encode($0) }), (.padded, { Base64URL.encode($0) + "=" }),
        (.base64, { Base64.encode($0) }),
        (.base64, { String(Base64.encode($0).dropLast()) }), (.hex, { hex($0) }),
        (.hex, { hex($0).uppercased() }),
        (.hexBase64URL, { Base64URL.encode(Array(hex($0).utf8)) }),
        (.doubleHash, { Base64URL.encode(Digest.of($0)) }),
        (.doubleHash, { Base64URL.encode(Digest.of(hex($0).utf8)) }),
        (.truncated, { String(Base64URL.encode($0).prefix(32)) }),
        (.base64SlashAsDash, { String(Base64.encode($0).map { $0 == "/" ? "-" : $0 == "+" ? "_" : $0 }) }),
    ]

    @Test(arguments: wrongWays.indices) func wayIsNamed(index: Int) {
        let (relation, make) = Self.wrongWays[index]
        let verifier = Self.verifier { $0.contains("+") && $0.contains("/") }
        #expect(CodeChallenge.relation(of: make(Digest.of(verifier.utf8)), to: verifier) == relation)
    }

    @Test func verifierItselfIsPlain() {
        #expect(CodeChallenge.relation(of: Self.verifier, to: Self.verifier) == .plain)
    }

    @Test(arguments: ["\n", "=", " "]) func verifierThatWasTrimmedOnTheWay(ending: String) {
        #expect(
            CodeChallenge.relation(of: CodeChallenge.s256(of: Self.verifier + ending), to: Self.verifier)
                == (ending == " " ? nil : .trimmed)
        )
        #expect(
            CodeChallenge.relation(of: CodeChallenge.s256(of: Self.verifier), to: Self.verifier + ending)
                == .trimmed
        )
    }

    @Test func hashesOfOtherBytesAreNamed() {
        let verifier = Self.verifier
        let utf16 = verifier.utf8.flatMap { [$0, 0] as [UInt8] }
        let right = CodeChallenge.s256(of: verifier)
        let made: [(String, ChallengeRelation)] = [
            (Base64URL.encode(Digest.of(Base64URL.decode(verifier) ?? [])), .decodedVerifier),
            (Base64URL.encode(Digest.of(utf16)), .utf16),
            (Base64URL.encode(Digest.of(verifier.utf8, .sha1)), .sha1),
            (Base64URL.encode(Digest.of(verifier.utf8, .sha512)), .sha512),
            (right.lowercased(), .letterCase),
        ]
        for (challenge, relation) in made {
            #expect(CodeChallenge.relation(of: challenge, to: verifier) == relation)
        }
        #expect(CodeChallenge.relation(of: right, to: "\"\(verifier)\"") == .quoted)
    }

    @Test(arguments: ["", "x", "another-challenge-of-another-login-altogether"]) func unrelatedValuesHaveNone(
        challenge: String
    ) {
        #expect(CodeChallenge.relation(of: challenge, to: Self.verifier) == nil)
        #expect(CodeChallenge.relation(of: challenge, to: "") == nil)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16) }.joined()
    }
}
