import Captures
import Flows
import JOSE
import OAuth

/// What keeps a provider from verifying a client assertion although its algorithm is one that it takes.
enum AssertionSignature {
    /// Nil where nothing in the capture speaks against the signature.
    static func fault(of assertion: ClientAssertion, _ call: ClientCall, _ flow: Flow) -> Violation? {
        let answer = call.answer.evidence()
        let token = assertion.token
        if token.isSignedInDER { return inDER(assertion, call, answer) }
        // Whoever was let in has keys that the provider knows; a signature that was taken out says nothing.
        guard call.mayBlameClient, call.isClientRefused, !token.signature.isEmpty, !token.isSignatureTakenOut,
            AssertionRefusal.of(call).map({ $0 == .signature }) ?? true, !isSymmetric(token)
        else { return nil }
        // As the provider may have fetched it last for this call.
        let end = flow.capture[call.exchange].endedAt
        let set = flow.appKeySets.last { $0.servedAt <= end }
        guard let kid = token.keyID else { return unnamed(assertion, call, set, flow, answer) }
        guard let set, let keys = set.keys?.keys, !keys.contains(where: { $0.id == kid }) else { return nil }
        return unknown(kid, assertion, call, set, answer)
    }

    /// An ECDSA signature as libraries for certificates write it.
    private static func inDER(_ assertion: ClientAssertion, _ call: ClientCall, _ answer: Evidence)
        -> Violation
    {
        Violation(
            [
                Evidence(
                    place: assertion.place(ofHeader: "alg"),
                    value: Masking.shown(assertion.token.algorithm ?? "", of: "alg")
                ),
                .computed(
                    "signature",
                    "DER; r and s side by side are required",
                    in: .jwtHeader,
                    note: "RFC 7518 §3.4"
                ), answer,
            ],
            variant: "der",
            severity: call.severity,
            explanation:
                "The signature of the client_assertion is written as DER; a JWT carries the two numbers r and s side by side.",
            fix: derFix,
            title: "The client assertion's signature is in DER",
            exchange: call.exchange
        )
    }

    static let derFix =
        "Convert the signature on the signing side: JWA wants r and s as fixed-length big-endian numbers (RFC 7518 §3.4)."

    /// An assertion whose key the app does not publish.
    private static func unknown(
        _ kid: String,
        _ assertion: ClientAssertion,
        _ call: ClientCall,
        _ set: KeySetDocument,
        _ answer: Evidence
    ) -> Violation {
        Violation(
            [
                Evidence(
                    place: assertion.place(ofHeader: "kid"),
                    value: Masking.shown(kid, of: "kid"),
                    note: "not in the app's key set"
                ), set.appEvidence, answer,
            ],
            variant: "kid-unknown",
            severity: call.severity,
            explanation:
                "The client_assertion names a key (kid) that the key set which the app publishes does not have, so the provider cannot verify it.",
            fix:
                "Publish the public half of the signing key under this kid before signing with it, and keep the old one until the provider has fetched the new.",
            title: "The client assertion's key is not in the app's key set",
            exchange: call.exchange
        )
    }

    /// An assertion that names no key, where the provider has to have one or several may be meant.
    private static func unnamed(
        _ assertion: ClientAssertion,
        _ call: ClientCall,
        _ set: KeySetDocument?,
        _ flow: Flow,
        _ answer: Evidence
    ) -> Violation? {
        let family = assertion.token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.keyType
        let fitting = set?.keys?.keys.filter { $0.type == family && $0.use != "enc" }.count ?? 0
        guard [.singpass, .myinfo].contains(flow.provider) || fitting > 1 else { return nil }
        return Violation(
            [
                Evidence(
                    place: assertion.place(ofHeader: "kid"),
                    value: "missing",
                    note: "says with which key it is signed"
                ), fitting > 1 ? set?.appEvidence : nil, answer,
            ].compactMap(\.self),
            variant: "kid-missing",
            severity: call.severity,
            explanation:
                "The header of the client_assertion does not say which of the app's keys signed it (kid), so the provider does not find the key to verify it with.",
            fix: "Set kid in the header of the assertion to that of the key in the app's key set.",
            title: "The client assertion names no key",
            exchange: call.exchange
        )
    }

    private static func isSymmetric(_ token: JSONWebToken) -> Bool {
        token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.isSymmetric ?? true
    }
}
