/// Which names of a text say a password: a log has the same ones in each of its lines, and each is asked for once.
struct PasswordNames {
    private let says: (String) -> Bool
    private var known: [String: Bool] = [:]

    private static let mostNames = 1 << 10

    /// `says`: whether a name is one.
    init(where says: @escaping (String) -> Bool) { self.says = says }

    mutating func contain(_ name: String) -> Bool {
        if let known = known[name] { return known }
        let isOne = says(name)
        if known.count < Self.mostNames { known[name] = isOne }
        return isOne
    }
}
