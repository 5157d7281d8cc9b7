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
