import Captures
import Flows
import JOSE
import OAuth

/// What keeps a provider from verifying a client assertion although its algorithm is one that it takes.
///
/// It is no finding by itself: what of it a provider refuses stands with the refusal, by ``StatedAssertionRefusal``.
enum AssertionSignature {
    /// Nil where nothing in the capture speaks against the signature.
    static func fault(of assertion: ClientAssertion, _ call: ClientCall, _ flow: Flow) -> StatedClientRefusal?
    {
        let token = assertion.token
        // Whoever was let in has keys that the provider knows; a signature that was taken out says nothing.
        guard call.mayBlameClient else { return nil }
        if token.isSignedInDER { return inDER(assertion) }
        guard call.isClientRefused, !token.signature.isEmpty, !token.isSignatureTakenOut,
            AssertionRefusal.of(call).map({ $0 == .signature }) ?? true, !isSymmetric(token)
        else { return nil }
        // As the provider may have fetched it last for this call.
        let end = flow.capture[call.exchange].endedAt
        let set = flow.appKeySets.last { $0.servedAt <= end }
        guard let kid = token.keyID else { return unnamed(assertion, set, flow) }
        guard let set, let keys = set.keys?.keys, !keys.contains(where: { $0.id == kid }) else { return nil }
        return unknown(kid, assertion, set)
    }

    /// An ECDSA signature as libraries for certificates write it.
    private static func inDER(_ assertion: ClientAssertion) -> StatedClientRefusal {
        StatedClientRefusal(
            words: Violation.Words(
                title: "The client assertion's signature is in DER",
                explanation:
                    "The signature of the client_assertion is written as DER; a JWT carries the two numbers r and s side by side.",
                fix: derFix
            ),
            evidence: [
                Evidence(
                    place: assertion.place(ofHeader: "alg"),
                    value: Masking.shown(assertion.token.algorithm ?? "", of: "alg")
                ),
                .computed(
                    "signature",
                    "DER; r and s side by side are required",
                    in: .jwtHeader,
                    note: "RFC 7518 §3.4"
                ),
            ]
        )
    }

    static let derFix =
        "Convert the signature on the signing side: JWA wants r and s as fixed-length big-endian numbers (RFC 7518 §3.4)."

    /// An assertion whose key the app does not publish.
    private static func unknown(_ kid: String, _ assertion: ClientAssertion, _ set: KeySetDocument)
        -> StatedClientRefusal
    {
        StatedClientRefusal(
            words: Violation.Words(
                title: "The client assertion's key is not in the app's key set",
                explanation:
                    "The client_assertion names a key (kid) that the key set which the app publishes does not have, so the provider cannot verify it.",
                fix:
                    "Publish the public half of the signing key under this kid before signing with it, and keep the old one until the provider has fetched the new."
            ),
            evidence: [
                Evidence(
                    place: assertion.place(ofHeader: "kid"),
                    value: Masking.shown(kid, of: "kid"),
                    note: "not in the app's key set"
                ), set.appEvidence,
            ]
        )
    }

    /// An assertion that names no key, where the provider has to have one or several may be meant.
    private static func unnamed(_ assertion: ClientAssertion, _ set: KeySetDocument?, _ flow: Flow)
        -> StatedClientRefusal?
    {
        let family = assertion.token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.keyType
        let fitting = set?.keys?.keys.filter { $0.type == family && $0.use != "enc" }.count ?? 0
        guard [.singpass, .myinfo].contains(flow.provider) || fitting > 1 else { return nil }
        return StatedClientRefusal(
            words: Violation.Words(
                title: "The client assertion names no key",
                explanation:
                    "The header of the client_assertion does not say which of the app's keys signed it (kid), so the provider does not find the key to verify it with.",
                fix: "Set kid in the header of the assertion to that of the key in the app's key set."
            ),
            evidence: [
                Evidence(
                    place: assertion.place(ofHeader: "kid"),
                    value: "missing",
                    note: "says with which key it is signed"
                ), fitting > 1 ? set?.appEvidence : nil,
            ].compactMap(\.self)
        )
    }

    private static func isSymmetric(_ token: JSONWebToken) -> Bool {
        token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.isSymmetric ?? true
    }
}
