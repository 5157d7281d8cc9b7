import Captures

/// The identifier of a person with the type before it: `User:1048219`, `04:User1048219`, `gid://shop/Customer/1048219`.
///
/// In base64, mostly, where GraphQL servers give it out.
struct GlobalID {
    /// Of the identifier without the type.
    let id: Range<Int>

    /// Under which it is known.
    static let name = "enduserid"

    private static let longest = 128

    /// Nil for other texts, and for the identifiers of other things.
    init?(_ text: ArraySlice<UInt8>) {
        guard text.count <= Self.longest, let last = text.last, last.isBase64URLCharacter else { return nil }
        var rest = text
        // A URI of the app (`gid://shop/`), or the length of the type (`04:`).
        if rest.starts(with: "gid://".utf8) {
            guard let slash = rest.dropFirst(6).firstIndex(of: 0x2f) else { return nil }
            rest = rest[(slash + 1)...]
        } else if let colon = rest.prefix(4).firstIndex(of: 0x3a), rest[..<colon].allSatisfy(\.isASCIIDigit) {
            rest = rest[(colon + 1)...]
        }
        let type = rest.prefix { $0.isASCIILetter }
        guard (4...24).contains(type.count), type.endIndex < rest.endIndex, Self.isPerson(type) else {
            return nil
        }
        rest = rest[type.endIndex...]
        let isJoined = rest.first == 0x3a || rest.first == 0x2f
        if isJoined { rest = rest.dropFirst() }
        guard !rest.isEmpty,
            rest.allSatisfy({ isJoined ? $0.isBase64URLCharacter : $0.isASCIIDigit }),
            rest.contains(where: \.isASCIIDigit) || !Self.isWord(rest)
        else { return nil }
        id = rest.startIndex..<rest.endIndex
    }

    /// Whether a type's name is one for people: `User`, `AppUser`, `CustomerNode`.
    private static func isPerson(_ type: ArraySlice<UInt8>) -> Bool {
        let name = SlotReader.string(type).lowercased()
        return persons.contains { name.hasPrefix($0) || name.hasSuffix($0) }
    }

    /// Whether it is no identifier: what an attribute is mapped to, a right, a page (`userName:email_verified`, `user:read`).
    private static func isWord(_ id: ArraySlice<UInt8>) -> Bool {
        let own = SlotReader.string(id)
        return SecretRoles.isWord(own) || rights.contains(own.lowercased()) || SureWords.isCommon(own)
            || PersonSegments.isOfPages(id)
    }

    private static let rights: Set<String> = [
        "full", "impersonation", "none", "read", "readonly", "readwrite", "write",
    ]

    private static let persons = [
        "user", "customer", "person", "member", "viewer", "profile", "employee", "contact", "patient",
        "account",
    ]
}
