import Captures
import Flows
import JSON
import JOSE
import OAuth

/// The ID token is encrypted for the client, so nothing can be said of its claims.
struct IDTokenEncrypted: Rule {
    static let info = RuleInfo(
        id: "id-token-encrypted",
        title: "The ID token is encrypted for the client",
        severity: .note,
        explanation: """
            The ID token has five parts: it is encrypted with a key of the client's (JWE). Its header can be read, its claims cannot, so nothing is \
            said of them here.
            """,
        fix:
            "Look inside with the client's private key if the claims matter; Singpass and others encrypt every ID token.",
        badExample: """
            id_token header {"alg":"ECDH-ES+A256KW","enc":"A256GCM","kid":"shop-enc"}, five parts
            """,
        goodExample: """
            id_token header {"alg":"RS256","kid":"2026-03"}, three parts
            """,
        specifications: [.rfc(7516, "3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for delivered in flow.deliveredIDTokens {
            let token = delivered.outermost
            guard token.form == .encrypted else { continue }
            let opened = flow.surroundings.opened[token]
            let evidence = ["alg", "enc", "kid"].map { name in
                Evidence(
                    place: delivered.idToken.place(ofHeader: name),
                    value: Masking.shown(token.header?[name]?.string ?? "none", of: name),
                    note: name == "alg"
                        ? opened.map { "opened with \(Masking.shown($0.key, of: "kid"))" } : nil
                )
            }
            if let registered = delivered.otherEncryption(in: flow) {
                return .violated(
                    Violation(
                        evidence + registered,
                        explanation: Self.otherwise,
                        fix: Self.otherwiseFix,
                        title: "The ID token is encrypted in another way than was registered",
                        exchange: delivered.idToken.place.exchange
                    )
                )
            }
            return .violated(
                Violation(
                    evidence,
                    explanation: opened == nil ? nil : Self.isOpened,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
        return .holds
    }

    private static let otherwise = """
        The client registered by which algorithms its ID tokens are to be encrypted, and the provider used others. A client that goes by its registration \
        refuses the token, or has no key or code for it.
        """
    private static let otherwiseFix = """
        Correct the client's settings at the provider (id_token_encrypted_response_alg and _enc), or register what the provider uses; the client has to allow \
        the pair that arrives.
        """

    private static let isOpened = """
        The ID token has five parts: it is encrypted (JWE). The capture has the key, so what is said of its claims rests on what was inside.
        """
}
