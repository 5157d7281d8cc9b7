import JOSE
import LibCrypto
import OAuth

/// How values of a capture are made of others: a challenge of its verifier, the hash of a token in the token beside it.
///
/// Kept as they are, the right ones and the wrong ones.
struct Relations {
    /// What a value is made of, and how.
    private var makings: [String: (source: String, make: (String) -> String)] = [:]
    /// Hashes in another alphabet of Base64 than the one of URLs.
    private var inOtherAlphabets: [(source: String, making: ChallengeMaking)] = []

    init(_ found: FoundSecrets) {
        hashes(among: found.nonces)
        let wanted = found.derived
        guard !wanted.isEmpty else { return }
        for verifier in found.verifiers {
            for making in ChallengeMaking.known {
                let challenge = making.make(verifier)
                if challenge != verifier, wanted.contains(challenge) { add(challenge, of: verifier, making) }
            }
        }
        let sources = Set(found.tokens.keys).union(found.values.keys).union(found.named.keys.map(\.value))
        for source in sources {
            for algorithm in [SignatureAlgorithm.es256, .es384, .es512] {
                let hash = JSONWebToken.halfHash(of: source, algorithm: algorithm)
                guard wanted.contains(hash), makings[hash] == nil else { continue }
                makings[hash] = (source, { JSONWebToken.halfHash(of: $0, algorithm: algorithm) })
            }
            let whole = Base64URL.encode(Digest.of(source.utf8))
            if wanted.contains(whole), makings[whole] == nil {
                makings[whole] = (source, { Base64URL.encode(Digest.of($0.utf8)) })
            }
        }
        cutOff(wanted.filter { makings[$0] == nil && !found.verifiers.contains($0) }, found.verifiers)
    }

    /// Nonces that come back hashed: as a challenge is of its verifier.
    private mutating func hashes(among nonces: Set<String>) {
        guard nonces.count > 1 else { return }
        for nonce in nonces {
            for making in ChallengeMaking.known where Self.ofNonces.contains(making.relation) {
                let hash = making.make(nonce)
                if nonces.contains(hash) { add(hash, of: nonce, making) }
            }
        }
    }

    private mutating func add(_ value: String, of source: String, _ making: ChallengeMaking) {
        guard makings[value] == nil else { return }
        makings[value] = (source, making.make)
        if making.relation.kind == .base64, source.utf8.count <= Self.longestTried {
            inOtherAlphabets.append((source, making))
        }
    }

    /// In bytes, of what is written anew for each key that is tried: four times what a verifier may have.
    private static let longestTried = 512

    private static let ofNonces: Set<ChallengeRelation> = [.s256, .hex, .base64, .padded]

    /// Challenges that lack their end, or have one too many.
    ///
    /// What fits as a whole was found by looking it up; of these the beginning is.
    private mutating func cutOff(_ challenges: Set<String>, _ verifiers: Set<String>) {
        let byBeginning = Dictionary(
            grouping: verifiers,
            by: { Self.beginning(of: CodeChallenge.s256(of: $0)) }
        )
        for challenge in challenges {
            for verifier in byBeginning[Self.beginning(of: challenge)] ?? [] {
                guard let making = CodeChallenge.making(challenge, from: verifier) else { continue }
                let right = CodeChallenge.s256(of: verifier)
                // Sent twice in one, the second is made anew as well.
                makings[challenge] = (
                    verifier,
                    { other in
                        making.make(other).replacing(right, with: CodeChallenge.s256(of: other))
                    }
                )
                break
            }
        }
    }

    /// As much as a challenge has to have in common with what it is made of.
    private static func beginning(of challenge: String) -> Substring { challenge.prefix(8) }

    /// Whether what is made of stand-ins shows in which way: the alphabets differ by two characters, which a hash need not have.
    func areTold(by standIn: (String) -> String) -> Bool {
        inOtherAlphabets.allSatisfy { source, making in
            let other = standIn(source)
            return CodeChallenge.relation(of: making.make(other), to: other) == making.relation
        }
    }

    /// A value made anew; nil for one that is made of nothing that is known.
    func remade(_ value: String, standIn: (String) -> String) -> String? {
        makings[value].map { $0.make(standIn($0.source)) }
    }
}
