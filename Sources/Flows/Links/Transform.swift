/// How a value looks at its uses, compared with its origin; raw values are those of the JSON.
package enum Transform: String, Sendable, Hashable, CaseIterable {
    case equal
    /// Percent-encoded once more.
    case percent
    case base64url
    /// BASE64URL(SHA256(…)), RFC 7636, section 4.2.
    case s256
    case atHash = "at_hash"
    case codeHash = "c_hash"
    /// A part of a longer value, as cookies carry a state beside its signature.
    case part
    /// A way in which a challenge goes wrong; see `ChallengeRelation`.
    case malformedChallenge = "malformed_challenge"
}
