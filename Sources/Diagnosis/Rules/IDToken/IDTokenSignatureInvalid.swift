import Captures
import Flows
import JOSE
import OAuth

/// The ID token's signature does not verify with the key it names.
///
/// The token was altered, another key hides behind the same `kid`, or an ECDSA signature is in DER instead of
/// r and s side by side (variant
/// `der`; RFC 7518, section 3.4). Decided only where the key (or the client secret, for HS algorithms) is in
/// the capture. Variant `key`: it may verify, but the key set publishes the key in a way that libraries refuse, and the app refused the
/// login.
struct IDTokenSignatureInvalid: Rule {
    static let info = RuleInfo(
        id: "id-token-signature-invalid",
        title: "The ID token's signature does not verify",
        severity: .error,
        explanation: """
            The key that the ID token names is in the capture, and the token's signature does not verify with it: its content is not what was \
            signed, or was signed with another key. A client has to refuse it.
            """,
        fix: """
            Look at what changes the token between provider and client, and whether another key is published under the same kid; give every key a \
            kid of its own.
            """,
        badExample: """
            id_token header {"alg":"RS256","kid":"2026-03"}, claims {"sub":"alice", …} altered after signing
            """,
        goodExample: """
            id_token header {"alg":"RS256","kid":"2026-03"}, signature made with the key that /jwks serves as 2026-03
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (6)", "IDTokenValidation"), .rfc(7518, "3"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            let token = delivered.idToken.token
            let verification = flow.surroundings.verification(of: token, providerHosts: flow.providerHosts)
            switch verification.outcome {
            case .valid: return keyFault(delivered, flow).map { .violated($0) } ?? .holds
            case .unsigned: return .holds
            case .redacted: return .abstains("the signature was taken out of the capture")
            case .encrypted: return .abstains("the ID token is encrypted")
            case .unknownKey:
                return keyFault(delivered, flow).map { .violated($0) }
                    ?? .abstains("the key is not in the capture")
            case .notChecked where token.payload.isEmpty:
                return .abstains("what was signed is not in the token")
            case .notChecked:
                return .abstains("the algorithm \(token.algorithm ?? "(none named)") is not supported")
            case .invalid:
                // An empty signature is no wrong one: the token is unsigned, whatever its header says.
                guard !token.signature.isEmpty else { return .holds }
                // One that was cut off, or torn otherwise, cannot verify; that it cannot be read says it.
                guard token.claims != nil else { return .abstains("the claims cannot be read") }
                return .violated(violation(delivered, verification))
            }
        }
    }

    /// A fault of the key's own members, where the app refused the login.
    private func keyFault(_ delivered: DeliveredIDToken, _ flow: Flow) -> Violation? {
        let token = delivered.idToken.token
        guard let kid = token.keyID, flow.refusedCallback(of: delivered) != nil else { return nil }
        let sets = flow.surroundings.readableKeySets(for: token, providerHosts: flow.providerHosts)
        for set in sets.reversed() {
            guard let key = set.keys?.keys.first(where: { $0.id == kid }) else { continue }
            guard let fault = PublishedKeyFault(of: key, for: token) else { return nil }
            return Violation(
                [
                    Evidence(
                        place: delivered.idToken.place(ofHeader: "kid"),
                        value: Masking.shown(kid, of: "kid")
                    ),
                    Evidence(
                        place: Place(exchange: set.exchange, part: .responseBody, name: fault.member),
                        value: Masking.shown(fault.value, of: fault.member),
                        note: fault.note
                    ),
                ],
                variant: "key",
                explanation: """
                    The key that the ID token names is published in a way that libraries do not take, so they find no key to verify the token with; the app \
                    refused the login.
                    """,
                fix:
                    "Mend the key in the provider's key set; until then a client has to be told to take it as it is.",
                title: "The key set publishes the signing key in a way that libraries refuse",
                exchange: set.exchange
            )
        }
        return nil
    }

    private func violation(_ delivered: DeliveredIDToken, _ verification: SignatureVerification) -> Violation
    {
        let token = delivered.idToken
        var evidence = [
            Evidence(
                place: token.place(ofHeader: "alg"),
                value: Masking.shown(token.token.algorithm ?? "", of: "alg")
            ),
            Evidence(
                place: token.place(ofHeader: "kid"),
                value: Masking.shown(token.token.keyID ?? "none", of: "kid"),
                note: verification.key?.type.map { "a key of type \($0)" }
            ),
        ]
        for check in verification.checks where check.outcome == .failed {
            evidence.append(
                .computed(
                    check.name,
                    Masking.shown(check.detail, of: check.name),
                    in: .jwtHeader,
                    note: check.specification
                )
            )
        }
        guard verification.variant == "der" else {
            return Violation(evidence, exchange: token.place.exchange)
        }
        return Violation(
            evidence,
            variant: "der",
            explanation:
                "The signature is right, but written as DER; a JWT carries the two numbers r and s side by side.",
            fix: AssertionSignature.derFix,
            exchange: token.place.exchange
        )
    }
}
