import Flows

/// Values of two flows side by side.
///
/// `isSecret`: whether a value is one by where it stands, whatever its name says.
extension Masking {
    /// A value as a comparison shows it: of secrets that a person typed not even the first characters.
    static func compared(_ value: String, named name: String, isSecret: Bool) -> String {
        let isCredential = isSecretMember(name, value)
        return isSecret || isCredential
            ? masked(value, showing: isCredential ? 4 : 0) : shown(hidingSecrets(in: value), of: name)
    }

    /// Whether a value is not shown as it is, so that nothing may be said of its characters.
    static func hides(_ value: String, named name: String, isSecret: Bool) -> Bool {
        compared(value, named: name, isSecret: isSecret) != value
    }
}
