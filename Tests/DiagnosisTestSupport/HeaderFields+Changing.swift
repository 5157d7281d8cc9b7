package import Captures

extension HeaderFields {
    /// Takes all fields of a name out.
    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
    }

    /// One field in the place of all of its name, at the end.
    package mutating func replace(_ name: String, with value: String) {
        remove(name)
        append(name, value)
    }
}
