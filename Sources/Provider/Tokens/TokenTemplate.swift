import JSON

/// Whose login the values of a recorded answer belong to: what is replaced by the values of the one at hand.
struct RecordedOrigin: Sendable {
    var clientID = ""
    var subject = ""
    var userName: String?
    /// As asked for.
    var scope = ""
    /// What was granted of it, in the same order.
    var grantedScope = ""
    var redirectURI: String?
    var resource: String?
    var acrValues: String?
    /// What logins asked for, and what their first tokens carried; nil where no login was recorded.
    var nonces: Set<String>?
    /// Seconds; what times in the answer are counted from.
    var issuedAt: Int64 = 0

    init() {}
}

/// A signed token as a recording shows it: names and order of its members stay, what belongs to one login does not.
struct TokenTemplate: Sendable {
    var header: JSONObject
    var claims: JSONObject
    var origin: RecordedOrigin
    /// The header of the encrypted token around it (RFC 7516, section 4); nil where there was none.
    var envelope: JSONObject?

    init(header: JSONObject, claims: JSONObject, origin: RecordedOrigin, envelope: JSONObject? = nil) {
        self.header = header
        self.claims = claims
        self.origin = origin
        self.envelope = envelope
    }
}

/// What tokens of one kind are.
enum TokenForm: Sendable {
    case opaque(ValueTemplate)
    case signed(TokenTemplate)
}
