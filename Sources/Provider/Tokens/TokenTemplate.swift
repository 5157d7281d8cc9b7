package import JSON

/// Whose login the values of a recorded answer belong to: what is replaced by the values of the one at hand.
package struct RecordedOrigin: Sendable {
    package var clientID = ""
    package var subject = ""
    package var userName: String?
    /// As asked for.
    package var scope = ""
    /// What was granted of it, in the same order.
    package var grantedScope = ""
    package var redirectURI: String?
    package var resource: String?
    package var acrValues: String?
    /// What logins asked for, and what their first tokens carried; nil where no login was recorded.
    package var nonces: Set<String>?
    /// Seconds; what times in the answer are counted from.
    package var issuedAt: Int64 = 0

    package init() {}
}

/// A signed token as a recording shows it: names and order of its members stay, what belongs to one login does not.
package struct TokenTemplate: Sendable {
    package var header: JSONObject
    package var claims: JSONObject
    package var origin: RecordedOrigin
    /// The header of the encrypted token around it (RFC 7516, section 4); nil where there was none.
    package var envelope: JSONObject?

    package init(header: JSONObject, claims: JSONObject, origin: RecordedOrigin, envelope: JSONObject? = nil)
    {
        self.header = header
        self.claims = claims
        self.origin = origin
        self.envelope = envelope
    }
}

/// What tokens of one kind are.
package enum TokenForm: Sendable {
    case opaque(ValueTemplate)
    case signed(TokenTemplate)
}
