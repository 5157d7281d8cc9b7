import Captures

/// What a state knows of somebody, as MyInfo of Singapore tells it: an object for each thing, with its `value` or its `code`.
enum PersonRegister {
    /// Under which a value of such a document is known whose own name says nothing.
    static let unnamed = "(registered)"

    /// Whether a document has names that only a register gives, or what it says beside each value.
    static func describes(_ text: ArraySlice<UInt8>) -> Bool {
        let head = Array(text.prefix(1 << 16))
        func has(_ name: String) -> Bool { ByteSearch.index(of: Array("\"\(name)\"".utf8), in: head) != nil }
        guard has("value") else { return false }
        return has("lastupdated") && has("classification") || names.contains(where: has)
    }

    private static let names = [
        "uinfin", "partialuinfin", "noa", "noa-basic", "noahistory", "noahistory-basic", "cpfbalances",
        "cpfcontributions", "cpfemployers", "householdincome", "hdbownership", "cpfhousingwithdrawal", "uen",
        "entity-name",
    ]

    /// What a value is called in the object of a name: by that where it says what the value is, in claims and elsewhere alike.
    static func name(ofValueIn name: String) -> String {
        func tells(in container: TextKind) -> Bool {
            switch SecretRoles.role(of: name, in: container) {
            // The `status` of somebody's vehicle is none of a protocol's.
            case .unknown, .open: false
            default: true
            }
        }
        guard tells(in: .claims) else { return unnamed }
        if tells(in: .json) { return name }
        // In a document of other things, `name` alone may be theirs.
        return SecretRoles.namesSomebody(name) ? "full_name" : unnamed
    }

    /// Whether the `type` of an address is a country, as its `code` says, too: both become the same.
    static func isCountry(_ type: ArraySlice<UInt8>) -> Bool {
        type.count == 2 && type.allSatisfy { (0x41...0x5a).contains($0) }
    }
}
