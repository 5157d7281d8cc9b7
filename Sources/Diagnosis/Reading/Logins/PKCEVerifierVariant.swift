import OAuth

/// How a code verifier and a code challenge that do not belong together came about.
enum PKCEVerifierVariant {
    /// The challenge was made of the verifier, in a way that its method does not mean.
    case made(ChallengeRelation)
    /// In the verifier's place stands a word for nothing.
    case noValue
    /// The verifier is that of another login of the capture.
    case otherFlow
    case unknown

    /// As a finding's `variant` has it.
    var name: String {
        switch self {
        case .made(.plain): "plain-as-s256"
        case .made(.s256): "s256-as-plain"
        case .made(let relation): relation.rawValue
        case .noValue: "no-value"
        case .otherFlow: "other-flow"
        case .unknown: "unknown"
        }
    }

    /// Whether the challenge is the wrong value of the two: one that is no hash was wrong from the start, another login's
    /// verifier only where it was sent.
    var isOfChallenge: Bool {
        switch self {
        case .made(.trimmed), .made(.quoted), .noValue, .otherFlow, .unknown: false
        case .made: true
        }
    }

    /// What is said of it, and what to do.
    var words: (what: String, fix: String) {
        switch self {
        case .made(.padded):
            (
                "The challenge is the right hash with \"=\" at its end; base64url is used without padding here.",
                "Take the \"=\" off the challenge."
            )
        case .made(.base64):
            (
                "The challenge is the right hash in standard Base64; with \"+\", \"/\" or \"=\" it is not base64url.",
                "Encode the 32 bytes of the digest with the URL alphabet (- and _) and without padding."
            )
        case .made(.base64SlashAsDash):
            (
                "The challenge is standard Base64 with the two characters replaced the wrong way: \"+\" has to become \"-\" and \"/\" has to become \"_\".",
                "Use a base64url function instead of replacing characters by hand."
            )
        case .made(.hex):
            (
                "The challenge is the digest in hexadecimal.",
                "Encode the 32 raw bytes of the digest with base64url, without padding."
            )
        case .made(.hexBase64URL):
            (
                "The challenge is base64url of the digest's hexadecimal text, not of its bytes.",
                "Ask the hash function for bytes instead of text, and encode those."
            )
        case .made(.doubleHash): ("The challenge is the hash of a hash.", "Hash the verifier once.")
        case .made(.plain):
            (
                "The challenge is the verifier itself, but the method says S256.",
                "Send BASE64URL(SHA256(verifier)) as the challenge; keep the method."
            )
        case .made(.s256):
            ("The challenge is a hash, but the method says plain.", "Send code_challenge_method=S256.")
        case .made(.truncated):
            (
                "Of challenge and right hash one is the beginning of the other: it was cut off, or something was added.",
                "Send all 43 characters; look at column widths and URL limits where the value is kept."
            )
        case .made(.trimmed):
            (
                "The challenge belongs to another spelling of this verifier: white space around it, or characters that were encoded once too often or "
                    + "too seldom.",
                "Use 43 characters of A-Z, a-z, 0-9, - and _ as the verifier, and send them as they are."
            )
        case .made(.decodedVerifier):
            (
                "The challenge is the hash of the bytes that the verifier stands for in base64url, not of the verifier's characters.",
                "Hash the verifier as it is sent, ASCII(code_verifier)."
            )
        case .made(.utf16):
            (
                "The challenge is the hash of the verifier in UTF-16; the specification wants its ASCII bytes.",
                "Turn the verifier into bytes as ASCII or UTF-8 before it is hashed (.NET: Encoding.ASCII, not Encoding.Unicode)."
            )
        case .made(.sha1), .made(.sha512):
            (
                "The challenge is a hash of the verifier by \(name == "sha1" ? "SHA-1" : "SHA-512"); S256 is SHA-256.",
                "Hash the verifier with SHA-256."
            )
        case .made(.letterCase):
            (
                "The challenge is the right hash but for upper and lower case, which base64url tells apart.",
                "Send the challenge as it was encoded; look for what changes the case of the URL or its parameters."
            )
        case .made(.quoted):
            (
                "The verifier was sent in quotes, and the challenge belongs to what stands between them.",
                "Parse the stored value (JSON.parse) before it is sent, or store the text without JSON.stringify."
            )
        case .noValue:
            (
                "In the verifier's place stands a word for nothing: the app had no verifier when it made this request.",
                "Keep the verifier where the callback finds it: the same origin, storage and window that began the login."
            )
        case .otherFlow:
            (
                "The verifier is the one of another login: the app started two and kept only one verifier, or mixed them up.",
                "Keep one verifier per login, found by its state."
            )
        case .unknown:
            (
                "The verifier does not hash to the challenge in any of the ways that are tried here; which of the two is wrong the capture does not show. "
                    + "Mostly the verifier was made anew, or belongs to a login outside of this capture.",
                "Make the verifier once per login, keep it until the exchange, and find it by the state."
            )
        }
    }
}
