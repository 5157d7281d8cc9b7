/// A value with the name under which it stands: a parameter, a cookie, a form field, a member of a JSON object, a claim.
package struct NamedValue: Sendable, Hashable {
    package var name: String
    /// Decoded.
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
