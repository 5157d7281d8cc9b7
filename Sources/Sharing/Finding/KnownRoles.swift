import JSON

/// What the names of a capture's values were told to say: a document has the same ones in each of its rows, and a log in each
/// of its lines, and each is asked for once.
struct KnownRoles {
    private var known: [TextKind: [ByteText: SecretRoles.Role]] = [:]
    /// Names, each in each kind of text.
    private var count = 0

    private static let mostNames = 1 << 14
    /// In bytes: longer names are met once.
    private static let longestName = 64

    /// As ``SecretRoles/role(of:in:)`` tells it.
    mutating func role(of name: String, in container: TextKind) -> SecretRoles.Role {
        let key = ByteText(name)
        if let role = known[container]?[key] { return role }
        let role = SecretRoles.role(of: name, in: container)
        if count < Self.mostNames, name.utf8.count <= Self.longestName {
            known[container, default: [:]][key] = role
            count += 1
        }
        return role
    }
}
