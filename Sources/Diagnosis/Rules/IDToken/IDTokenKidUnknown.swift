import Captures
import Flows
import OAuth

/// The ID token names a signing key that the provider's key set does not have.
///
/// Providers rotate keys: a client that keeps a key set has to fetch it again when a token names a key it
/// does not know (OpenID Connect Core, section 10.1.1). Variant `rotated`: a key set fetched later has it.
/// Variant `absent`: none in the capture has. A client that is set to the keys of another server is seen by what it
/// fetches on getting the token, and only where it turns the token away right after: else they may be for anything.
/// A note where nothing shows that the client checks: it need not what the token endpoint gave it over TLS (OpenID
/// Connect Core, section 3.1.3.7, number 6).
/// Variant `encryption`: the token is encrypted to a key that the app's own key set does not have.
struct IDTokenKidUnknown: Rule {
    static let info = RuleInfo(
        id: "id-token-kid-unknown",
        title: "The signing key is not in the provider's key set",
        severity: .error,
        explanation: """
            The ID token's header names a key (kid) that no key set of this provider had when the client had to verify it, so the signature \
            cannot be checked and the token has to be refused.
            """,
        fix: """
            Fetch the key set again when a token names an unknown key, with a limit on how often. If it is still not there, the token comes from \
            another provider, realm or environment than the key set.
            """,
        badExample: """
            GET /jwks → {"keys":[{"kid":"2025-11", …}]}
            id_token header {"alg":"RS256","kid":"2026-03"}
            """,
        goodExample: """
            GET /jwks → {"keys":[{"kid":"2025-11", …},{"kid":"2026-03", …}]}
            id_token header {"alg":"RS256","kid":"2026-03"}
            """,
        specifications: [
            .openIDConnectCore("10.1.1", "RotateSigKeys"), .rfc(7515, "4.1.4"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            if let lost = LostEncryptionKey(of: delivered, in: flow) { return .violated(violation(lost)) }
            switch KeySearch(for: delivered, in: flow) {
            case .needless, .found: return .holds
            case .notRecorded: return .abstains("no key set of this issuer is in the capture")
            case .notSaved: return .abstains("a key set of this issuer was not saved, or not whole")
            case .failed(let unknown):
                return .violated(
                    Violation(
                        unknown.evidence(in: flow),
                        variant: unknown.holder == nil ? "absent" : "rotated",
                        // It may have newer keys than this capture shows.
                        severity: !unknown.isChecking ? .note : unknown.wentOn ? .warning : .error,
                        explanation: unknown.isChecking ? nil : Self.unchecked,
                        exchange: delivered.idToken.place.exchange
                    )
                )
            }
        }
    }

    private func violation(_ lost: LostEncryptionKey) -> Violation {
        Violation(
            lost.evidence,
            variant: "encryption",
            explanation:
                "The ID token is encrypted to a key (kid) that the key set which the app publishes does not have, and the app refused it: it cannot decrypt what is for another key.",
            fix: """
                Keep the private half of a key until providers have fetched the key set without it, and see that the key set registered at the provider is \
                this app's, of this environment.
                """,
            title: "The ID token is encrypted to a key that is not in the app's key set",
            exchange: lost.exchange
        )
    }

    private static let unchecked = """
        The ID token's header names a key (kid) that no key set of this provider had when the token came. Nothing shows that this client \
        checks the signature, and it need not, as the token came from the token endpoint over TLS (OpenID Connect Core §3.1.3.7, number 6); \
        whoever does check it refuses the token.
        """
}
