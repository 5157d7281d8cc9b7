package import Captures
import JOSE

/// A value of a request, with where it comes from in a new run.
package struct PlannedParameter: Sendable, Hashable {
    package var name: String
    package var part: Place.Part
    /// As recorded.
    package var value: String
    package var source: ValueSource

    /// Whether it is a request object with a parameter of this name (RFC 9101, section 4).
    package func asksFor(_ name: String) -> Bool {
        source == .generated(.requestObject) && JSONWebToken.parse(value)?.claim(name) != nil
    }
}

/// Where a value comes from in a new run.
package enum ValueSource: Sendable, Hashable {
    /// Sent as recorded.
    case literal
    /// Made anew by the client.
    case generated(GeneratedValue)
    /// Taken from what was issued at this place of the recording: from the same place of the new run.
    case issued(Place)
    /// Known to a person or a client only; the recording's own is used where it holds one.
    case secret(String, isRecorded: Bool)
    /// Found in the live page's form.
    case form
}
