import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A key set that anybody can fetch holds what only the provider may know.
struct JWKSPrivateKeyExposed: Rule {
    static let info = RuleInfo(
        id: "jwks-private-key-exposed",
        title: "The published key set contains private keys",
        severity: .warning,
        explanation: """
            The provider serves the private half of a signing key, or a shared secret, together with its public keys. Whoever fetched the key \
            set can sign tokens that every client accepts.
            """,
        fix: """
            Treat the key as known to everybody: make a new one, take the old one out of use at once, and publish only its public members. \
            A secret for HMAC never belongs into a key set.
            """,
        badExample: """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"…","y":"…","d":"…"}]}
            """,
        goodExample: """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"…","y":"…"}]}
            """,
        specifications: [.rfc(7517, "9.2"), .rfc(7518, "6")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var told: Set<String> = []
        var evidence: [Evidence] = []
        for document in flow.keySets {
            guard let status = document.answer.status, (200..<300).contains(status) else { continue }
            for key in document.keys?.keys ?? [] {
                let members = privateMembers(of: key)
                let name = key.id.map { "kid \(Excerpt.start(of: $0, 80))" } ?? "key without kid"
                guard !members.isEmpty, told.insert(name).inserted, evidence.count < 8 else { continue }
                evidence.append(
                    Evidence(
                        place: document.answer.place("keys"),
                        value: name,
                        note: "private: \(members.joined(separator: ", "))"
                    )
                )
            }
        }
        return evidence.isEmpty ? .holds : .violated(Violation(evidence))
    }

    /// By name; what stands in them is nobody's business.
    private func privateMembers(of key: JSONWebKey) -> [String] {
        let names = key.type == "oct" ? ["k"] : ["d", "p", "q", "dp", "dq", "qi"]
        return names.filter { !(key.json[$0]?.string ?? "").isEmpty }
    }
}
