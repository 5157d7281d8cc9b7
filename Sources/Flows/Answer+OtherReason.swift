package import Captures
package import OAuth

extension Answer {
    /// Whether a refusal gives a reason of its own, which has nothing to do with a token that was given back: in its challenge, its
    /// error, or the start of its body.
    package func isForAnotherReason(in capture: Capture) -> Bool {
        let response = capture[exchange].response
        let challenges = response.map { AuthenticationChallenge.all(in: $0.headers) } ?? []
        let said = challenges.flatMap { challenge in
            ["error", "error_description"].compactMap { challenge[$0] }
        }
        let words = (said + [error?.text ?? ""]).joined(separator: " ").asciiLowercased()
        if words.containsBytes("scope") { return true }
        let body = response?.body?.bytes.map { String(decoding: $0.prefix(4096), as: UTF8.self) } ?? ""
        return [words, body.asciiLowercased()].contains { text in
            otherReasons.contains(where: text.containsBytes)
        }
    }
}

/// As resource servers name them, in lower case.
private let otherReasons = [
    "audience", "'aud'", "aud claim", "issuer", "'iss'", "iss claim", "signature", "signing key",
    "insufficient_scope",
]
