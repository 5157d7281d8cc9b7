package import Captures

/// One place at which a value stands.
package struct Occurrence: Sendable, Hashable {
    /// Where it stands.
    package var place: Place
    /// As decoded at this place.
    package var value: String
    /// As on the wire.
    package var rawValue: String
    /// What the value is called: the name at its place, unless that says less (`client_secret` in an
    /// `Authorization` header).
    package var name: String

    init(place: Place, value: String, rawValue: String? = nil, name: String? = nil) {
        self.place = place
        self.value = value
        self.rawValue = rawValue ?? value
        self.name = name ?? place.name
    }
}

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

/// The way of a value: the place where it was made and every later one that carries it.
package struct Link: Sendable {
    /// Of the parameter at the origin.
    package var name: String
    /// Where it was made.
    package var origin: Occurrence
    /// In the order of time.
    package var uses: [Occurrence]
    /// The same of all uses.
    package var transform: Transform
}
