import Captures

/// What a server says of a field under the name of that field: `{"errors": {"password": ["is too short"]}}`,
/// `{"password": ["This password is too common."]}`, `{"rules": {"email": "required|email"}}`.
///
/// Nobody has such a password or such a name, and what is wrong with it has to be read.
enum FieldFaults {
    /// Whether the members of an object say what is wrong with fields, by what the object is called.
    static func isList(_ name: String) -> Bool { isOne(of: lists, name) }

    /// Whether an object says what was sent, as some errors do: `{"error": {"request": {"password": "…"}}}`.
    static func isSent(_ name: String) -> Bool { isOne(of: sent, name) }

    private static func isOne(of names: Set<String>, _ name: String) -> Bool {
        name.utf8.count <= longestName && names.contains(SecretRoles.normalized(name))
    }

    /// In bytes.
    private static let longestName = 24

    private static let lists: Set<String> = [
        "constraints", "error", "errormessages", "errors", "fielderrors", "formerrors", "modelerrors",
        "modelstate", "rules", "validation", "validationerrors", "validationmessages", "violations",
    ]

    private static let sent: Set<String> = [
        "arguments", "body", "config", "context", "credentials", "data", "form", "formdata", "input",
        "params",
        "parameters", "payload", "query", "request", "requestbody", "values", "variables",
    ]

    /// Whether a value only says what is wrong with the field that it is called by.
    ///
    /// `isTold`: it stands in such an object; `isListed`: in a list that is called like the field.
    static func isOne(_ value: ArraySlice<UInt8>, of name: String, isTold: Bool, isListed: Bool) -> Bool {
        let text = value.contains(0x5c) ? TextCoding.escapes.decoded(value).bytes[...] : value
        guard isTold ? isOne(text) : isListed && isSentence(text),
            case .secret(let kind) = SecretRoles.role(of: name, in: .claims)
        else { return false }
        return kind.isPersonal || kind.isChosen
    }

    /// A sentence, or the words for a rule.
    private static func isOne(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.count <= longestText else { return false }
        let words = value.split(separator: 0x20)
        return words.count > 1 ? FaultWords.sayFault(words) : FaultWords.areRule(value)
    }

    /// In bytes.
    private static let longestText = 512

    /// Whether it is a sentence about the field, wherever it stands.
    private static func isSentence(_ value: ArraySlice<UInt8>) -> Bool {
        guard (12...256).contains(value.count), value.last == 0x2e,
            let first = value.first, (0x41...0x5a).contains(first)
        else { return false }
        let words = value.split(separator: 0x20)
        let text = SlotReader.string(value).lowercased()
        return words.count >= leastWords && subjects.contains(where: text.containsBytes)
            && FaultWords.sayFault(words)
    }

    private static let leastWords = 4

    /// What such a sentence is about.
    private static let subjects = [
        " field ", "password ", "username ", " user ", "valid ", " value ", " characters", "required",
    ]

    /// Whether a value says whether there has to be one, of which type it is, or what became of it: `"password": "enabled"`,
    /// `"given_name": "string"`, `"password": "expired"`.
    static func saysWhether(_ value: String) -> Bool { states.contains(value) }

    private static let states: Set<String> = [
        "enabled", "disabled", "required", "optional", "mandatory", "supported", "unsupported", "string",
        "boolean", "integer",
        "allowed", "changed", "denied", "expired", "incorrect", "invalid", "locked", "mismatch", "missing",
        "rejected",
        "unchanged", "unknown", "weak", "wrong",
    ]
}
