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
        "cpfcontributions", "cpfemployers", "householdincome", "hdbownership", "cpfhousingwithdrawal",
    ]

    /// Whether the name of an object says of its value what it is, in claims and elsewhere alike, or what somebody is called.
    static func tells(_ name: String) -> Bool {
        func isKnown(in container: TextKind) -> Bool {
            if case .unknown = SecretRoles.role(of: name, in: container) { false } else { true }
        }
        return isKnown(in: .claims) && (isKnown(in: .json) || SecretRoles.namesSomebody(name))
    }
}
