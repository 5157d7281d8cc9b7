import JOSE
import LibCrypto
import OAuth
import Testing

@testable import Sharing

/// Values that are made of others, made anew in the same way, right or wrong.
struct RelationsTests {
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let other = "zX81hYt0Lk-QpR7uVw2nM5bC9dE3fG6jH4sA_oItN1q"

    /// Ways in which clients make a challenge.
    enum Making: String, CaseIterable, Sendable {
        case right, padded, hexadecimal, cutOff, oneTooMany, standardBase64

        func challenge(of verifier: String) -> String {
            let hash = Digest.of(verifier.utf8)
            return switch self {
            case .right: Base64URL.encode(hash)
            case .padded: Base64URL.encode(hash) + "="
            case .hexadecimal:
                hash.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
            case .cutOff: String(Base64URL.encode(hash).prefix(40))
            case .oneTooMany: Base64URL.encode(hash) + "A"
            case .standardBase64: Base64URL.encode(hash).replacing("-", with: "+").replacing("_", with: "/")
            }
        }
    }

    @Test(arguments: Making.allCases)
    func challengeFollowsItsVerifier(making: Making) throws {
        var found = FoundSecrets()
        found.verifiers = [Self.verifier, "another-verifier-that-has-nothing-to-do-with-it"]
        let challenge = making.challenge(of: Self.verifier)
        found.derived = [challenge]
        let remade = Relations(found).remade(challenge) { $0 == Self.verifier ? Self.other : $0 }
        #expect(remade == making.challenge(of: Self.other))
    }

    /// A hash without "+" and "/" is the same in both alphabets.
    @Test(arguments: [(making: Making.standardBase64, isTold: false), (.right, true), (.hexadecimal, true)])
    func alphabetIsToldByWhatIsMade(making: Making, isTold: Bool) throws {
        let spellings = (0..<100).map { "\(Self.other)-\($0)" }
        let plain = try #require(
            spellings.first { !Making.right.challenge(of: $0).contains { $0 == "-" || $0 == "_" } }
        )
        let marked = try #require(
            spellings.first { Making.right.challenge(of: $0).contains { $0 == "-" || $0 == "_" } }
        )
        var found = FoundSecrets()
        found.verifiers = [Self.verifier]
        found.derived = [making.challenge(of: Self.verifier)]
        let relations = Relations(found)
        #expect(relations.areTold { _ in plain } == isTold)
        #expect(relations.areTold { _ in marked })
    }

    @Test func challengeOfNothingThatIsKnownIsNotRemade() {
        var found = FoundSecrets()
        found.verifiers = [Self.verifier]
        let challenge = Making.right.challenge(of: Self.other)
        found.derived = [challenge]
        #expect(Relations(found).remade(challenge) { $0 } == nil)
    }

    @Test func halfHashFollowsItsToken() {
        var found = FoundSecrets()
        let (token, next) = ("at-8Xk2mQ7vLp4RzT9w", "at-1Hb6nC3jSd0FyU5e")
        found.values = [token: .accessToken]
        let hash = JSONWebToken.halfHash(of: token, algorithm: .es384)
        found.derived = [hash, "AAAAAAAAAAAAAAAAAAAAAA"]
        let relations = Relations(found)
        #expect(relations.remade(hash) { _ in next } == JSONWebToken.halfHash(of: next, algorithm: .es384))
        #expect(relations.remade("AAAAAAAAAAAAAAAAAAAAAA") { _ in next } == nil)
    }

    /// Verifiers and challenges by the thousand are not compared one by one.
    @Test func thousandsOfPairsAreFound() {
        var found = FoundSecrets()
        let verifiers = (0..<5000).map { "verifier-\($0)-\(Self.verifier)" }
        found.verifiers = Set(verifiers)
        found.derived = Set(verifiers.map { Making.cutOff.challenge(of: $0) })
        let relations = Relations(found)
        for verifier in [verifiers[0], verifiers[4999]] {
            let remade = relations.remade(Making.cutOff.challenge(of: verifier)) { $0 + "x" }
            #expect(remade == Making.cutOff.challenge(of: verifier + "x"))
        }
    }
}
