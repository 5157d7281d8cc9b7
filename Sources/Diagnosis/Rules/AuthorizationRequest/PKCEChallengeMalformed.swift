import Captures
import Flows
import OAuth

/// The code challenge cannot be what it says it is.
///
/// A SHA-256 digest is 32 bytes, in base64url without padding 43 characters (RFC 7636, section 4.2). Judged by its
/// form, where no verifier is there to compare it with.
struct PKCEChallengeMalformed: Rule {
    static let info = RuleInfo(
        id: "pkce-challenge-malformed",
        title: "The code challenge cannot be an S256 hash",
        severity: .errorWhenRefused,
        explanation: """
            The request says S256, but no SHA-256 hash looks like its code_challenge: that is 43 characters of letters, digits, - and _. \
            The provider refuses it at once, or later the verifier, which cannot fit.
            """,
        fix: "Hash the verifier to 32 raw bytes and encode those with base64url, without padding.",
        badExample:
            "code_challenge=13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3&code_challenge_method=S256",
        goodExample: "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
        specifications: [.rfc(7636, "4.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let challenge = attempt.parameter("code_challenge") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard attempt.namedChallengeMethod == "S256", attempt.verifiers.isEmpty,
                let looks = Self.looks(challenge)
            else { return .holds }
            return .violated(
                Violation(
                    [Evidence(challenge, note: looks), attempt.challengeMethodEvidence()]
                        + attempt.challengeRefusal,
                    severity: attempt.challengeSeverity(in: flow)
                )
            )
        }
    }

    /// What a challenge looks like that is none; nil for 43 characters of the alphabet.
    private static func looks(_ challenge: Parameter) -> String? {
        let bytes = Array(challenge.value.utf8)
        let count = challenge.value.unicodeScalars.count
        if bytes.count == 43, bytes.allSatisfy(\.isBase64URLCharacter) { return nil }
        let body = bytes.prefix { $0 != 0x3d }
        if body.count == 43, body.allSatisfy(\.isBase64URLCharacter),
            bytes.dropFirst(43).allSatisfy({ $0 == 0x3d })
        {
            return "\(count) characters: padded with \"=\""
        }
        // A plus sign that was not escaped has become a space.
        if body.count == 43, body.allSatisfy({ $0.isBase64URLCharacter || [0x2b, 0x2f, 0x20].contains($0) }) {
            return "\(count) characters: standard Base64, with \"+\", \"/\" or \"=\""
        }
        if bytes.count == 64, bytes.allSatisfy(\.isHexadecimalDigit) {
            return "64 characters: the digest in hexadecimal"
        }
        if (86...88).contains(bytes.count) {
            return "\(count) characters: base64 of the digest's hexadecimal text, say"
        }
        if bytes.count == 27, bytes.allSatisfy(\.isBase64URLCharacter) {
            return "27 characters: as many as a SHA-1 hash has"
        }
        if !bytes.allSatisfy(\.isBase64URLCharacter) {
            return "\(count.counted("character")), some of them not of base64url"
        }
        return "\(count.counted("character")) instead of 43: too \(count < 43 ? "short" : "long")"
    }
}
