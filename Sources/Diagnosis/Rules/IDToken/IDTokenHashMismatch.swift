import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A hash in the ID token is not that of the access token, code or state that came with it.
///
/// `at_hash`, `c_hash` and `s_hash` are the left half of the hash that goes with `alg` (OpenID Connect Core,
/// sections 3.1.3.6 and 3.3.2.11). In the front channel they are required, for nothing else protects what comes
/// beside the ID token.
struct IDTokenHashMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-hash-mismatch",
        title: "The ID token does not belong to the accompanying code, token or state",
        severity: .errorWhenRefused,
        explanation: """
            The ID token carries a hash of what was issued with it, and the access token, code or state that came beside it gives another one, or a \
            hash that has to be there is missing. They may be of two logins, or somebody exchanged one.
            """,
        fix: """
            Keep the parts of one answer together; do not verify a stored ID token against a refreshed access token. At the provider, hash with the \
            function that the token's alg names, and take the left half of the bytes.
            """,
        badExample: """
            POST /token → {"access_token":"SlAV32hkKG", …}
            id_token claims {"at_hash":"77QmUPtjPfzWtF2AnpK9RQ", …}, made of another access token
            """,
        goodExample: """
            POST /token → {"access_token":"SlAV32hkKG", …}
            id_token claims {"at_hash": the left half of SHA-256("SlAV32hkKG"), …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.8", "CodeFlowTokenValidation"),
            .openIDConnectCore("3.3.2.11", "HybridIDToken"),
            SpecificationReference(text: "FAPI 1.0 Advanced §5.2.2.1", url: nil),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens.filter { !$0.isOfTokenExchange }) { delivered in
            let token = delivered.idToken.token
            guard token.claims != nil else {
                return .abstains(Gap.idTokenClaims)
            }
            return Verdict.firstViolation(among: accompaniment(delivered)) { name, value in
                guard let claim = token.claim(name), claim != .null else {
                    guard isRequired(name, delivered) else { return .holds }
                    return violated(
                        [Evidence(value, note: "delivered with the token"), delivered.missing(name)],
                        delivered,
                        flow
                    )
                }
                guard let algorithm = algorithm(of: delivered, flow) else {
                    return .abstains("the hash function of the ID token's algorithm is not known")
                }
                let expected = JSONWebToken.halfHash(of: value.value, algorithm: algorithm)
                let seen = claim.string ?? JSONWriter.text(of: claim)
                guard seen != expected else { return .holds }
                let note = otherFunction(seen, value.value, algorithm) ?? "\(expected) is expected"
                return violated(
                    [delivered.evidence(ofClaim: name, note: note), Evidence(value)],
                    delivered,
                    flow
                )
            }
        }
    }

    private func violated(_ evidence: [Evidence], _ delivered: DeliveredIDToken, _ flow: Flow) -> Verdict {
        .violated(
            Violation(
                evidence,
                severity: flow.wentOn(after: delivered) ? .warning : nil,
                exchange: delivered.idToken.place.exchange
            )
        )
    }

    /// What was delivered together with the token, by the claim that holds its hash.
    private func accompaniment(_ delivered: DeliveredIDToken) -> [(String, Parameter)] {
        let found: [(String, Parameter?)]
        if let request = delivered.tokenRequest {
            found = [
                ("at_hash", request.answer.parameters.parameter("access_token")),
                ("c_hash", request.isCodeExchange ? request.parameters.parameter("code") : nil),
            ]
        } else {
            let response = delivered.login?.response?.parameters
            found = [
                ("at_hash", response?.parameter("access_token")), ("c_hash", response?.parameter("code")),
                ("s_hash", response?.parameter("state")),
            ]
        }
        return found.compactMap { name, value in
            value.flatMap { $0.value.isEmpty ? nil : (name, $0) }
        }
    }

    private func isRequired(_ name: String, _ delivered: DeliveredIDToken) -> Bool {
        delivered.tokenRequest == nil && name != "s_hash"
    }

    /// Nil where the hash function is not known: unsigned tokens, unknown algorithms, and Ed448 (SHAKE256).
    private func algorithm(of delivered: DeliveredIDToken, _ flow: Flow) -> SignatureAlgorithm? {
        let token = delivered.idToken.token
        guard let algorithm = token.algorithm.flatMap({ SignatureAlgorithm(rawValue: $0) }) else {
            return nil
        }
        guard algorithm != .ed448 else { return nil }
        guard algorithm == .edDSA else { return algorithm }
        let sets = flow.surroundings.keySets(for: token, providerHosts: flow.providerHosts)
        let keys = sets.flatMap { $0.keys?.keys ?? [] }.filter { token.keyID == nil || $0.id == token.keyID }
        return keys.contains { $0.curve == "Ed25519" } ? algorithm : nil
    }

    /// Whether it is right but for the hash function.
    private func otherFunction(_ seen: String, _ value: String, _ algorithm: SignatureAlgorithm) -> String? {
        let others: [(SignatureAlgorithm, String)] = [
            (.hs256, "SHA-256"), (.hs384, "SHA-384"), (.hs512, "SHA-512"),
        ]
        return others.first { JSONWebToken.halfHash(of: value, algorithm: $0.0) == seen }
            .map { "made with \($0.1), which does not go with \(algorithm.rawValue)" }
    }
}
