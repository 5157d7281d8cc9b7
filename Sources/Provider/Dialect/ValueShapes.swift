/// Shapes of what a provider makes up, by the parameter that carries it: `code`, `session_state`, `device_code`.
struct ValueShapes: Sendable {
    private var byName: [String: ValueTemplate] = [:]

    /// The shape that the recording shows; nil where it shows none.
    subscript(name: String) -> ValueTemplate? {
        get { byName[name] }
        set { byName[name] = newValue }
    }

    /// A fresh value for a parameter, in the shape that the recording shows for it.
    ///
    /// `random`: so many random bytes.
    func fresh(_ name: String, _ random: (Int) -> [UInt8]) -> String {
        (byName[name] ?? .token).make(random)
    }
}
