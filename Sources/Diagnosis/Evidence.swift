package import Captures

/// A value that a finding rests on, with its place.
package struct Evidence: Sendable, Equatable {
    /// Where it stands; without an exchange where it was computed.
    package var place: Place
    /// Shown as it is: secrets are already cut to their first characters and length, `dBjf…(43)`.
    package var value: String
    /// What the reader should see in it, as `differs from character 31 on: "/" is missing`.
    package var note: String?

    package init(place: Place, value: String, note: String? = nil) {
        self.place = place
        self.value = value
        self.note = note
    }
}
