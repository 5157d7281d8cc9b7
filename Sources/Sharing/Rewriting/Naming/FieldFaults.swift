import Captures

/// What a server says of a field under the name of that field: `{"errors": {"password": ["is too short"]}}`,
/// `{"password": ["This password is too common."]}`, `{"rules": {"email": "required|email"}}`.
///
/// Nobody has such a password or such a name, and what is wrong with it has to be read.
enum FieldFaults {
    /// Whether the members of an object say what is wrong with fields, by what the object is called.
    static func isList(_ name: String) -> Bool {
        name.utf8.count <= longestName && lists.contains(SecretRoles.normalized(name))
    }

    /// In bytes.
    private static let longestName = 24

    private static let lists: Set<String> = [
        "constraints", "error", "errormessages", "errors", "fielderrors", "formerrors", "modelerrors",
        "modelstate", "rules", "validation", "validationerrors", "validationmessages", "violations",
    ]

    /// Whether a value only says what is wrong with the field that it is called by.
    ///
    /// `isTold`: it stands in such an object; `isListed`: in a list that is called like the field.
    static func isOne(_ value: ArraySlice<UInt8>, of name: String, isTold: Bool, isListed: Bool) -> Bool {
        guard isTold ? isOne(value) : isListed && isSentence(value),
            case .secret(let kind) = SecretRoles.role(of: name, in: .claims)
        else { return false }
        return kind.isPersonal || kind.isChosen
    }

    /// A sentence, or the words for a rule.
    private static func isOne(_ value: ArraySlice<UInt8>) -> Bool {
        let words = value.split(separator: 0x20)
        guard words.count > 1 else { return isRule(value) }
        return words.contains(where: isSmall) && !words.contains(where: isRepeated)
    }

    /// Whether a word may be what was sent, which some say once more: `bolund77 is taken`.
    private static func isRepeated(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.count(where: \.isASCIIDigit)
        return digits > 4 || digits > 0 && word.contains(where: \.isASCIILetter) || word.contains(0x40)
    }

    /// Whether it is a sentence about the field, wherever it stands.
    private static func isSentence(_ value: ArraySlice<UInt8>) -> Bool {
        guard (12...256).contains(value.count), value.last == 0x2e,
            let first = value.first, (0x41...0x5a).contains(first),
            value.split(separator: 0x20).count >= leastWords
        else { return false }
        let text = SlotReader.string(value).lowercased()
        return subjects.contains(where: text.containsBytes)
    }

    private static let leastWords = 4

    /// What such a sentence is about.
    private static let subjects = [
        " field ", "password ", "username ", " user ", "valid ", " value ", " characters", "required",
    ]

    /// A word of small letters, as every sentence has one; names have a capital in front.
    private static func isSmall(_ word: ArraySlice<UInt8>) -> Bool {
        let letters = word.prefix { (0x61...0x7a).contains($0) }
        return letters.count >= 2 && letters.count + 1 >= word.count
    }

    /// `required|min:8`, `TOO_SHORT`, `invalid`.
    private static func isRule(_ value: ArraySlice<UInt8>) -> Bool {
        guard (4...64).contains(value.count),
            value.allSatisfy({ $0.isASCIIWordByte || [0x2c, 0x2d, 0x2e, 0x3a, 0x7c].contains($0) })
        else { return false }
        let text = SlotReader.string(value).lowercased()
        return faults.contains(where: text.containsBytes)
    }

    private static let faults = [
        "blank", "empty", "exists", "incorrect", "invalid", "mismatch", "missing", "required", "taken",
        "too_long", "too_short", "toolong", "tooshort", "tooweak", "too_weak",
    ]

    /// Whether a value of a document says whether there has to be one, or of which type it is: `"password": "enabled"`,
    /// `"given_name": "string"`.
    static func saysWhether(_ value: String) -> Bool { states.contains(value) }

    private static let states: Set<String> = [
        "enabled", "disabled", "required", "optional", "mandatory", "supported", "unsupported", "string",
        "boolean", "integer",
    ]
}
