import Captures

/// Members that only say how the value of the object around them is written, in which language, or when it was so:
/// `{"given_name": {"S": "Ada"}}` of DynamoDB, `{"family_name": {"en": "Quill"}}`, `{"password": {"old": "…", "new": "…"}}`,
/// `{"arrayValue": {"values": [{"stringValue": "…"}]}}` of OpenTelemetry.
enum WrappedValues {
    /// Whether a member is what the object around it is called by.
    ///
    /// `member`: in small letters. `name`: of the object.
    static func isValue(_ member: String, of name: String) -> Bool {
        // What a form offers for a choice is nobody's.
        if member == "values", PersonalRoles.isChoice(SecretRoles.normalized(name)) { return false }
        let isOfText = member == "text" && ["name", "address"].contains(name)
        guard isOfText || types.contains(member) || isLanguage(member),
            case .secret(let kind) = SecretRoles.role(of: name, in: .claims)
        else { return false }
        if isOfText || types.contains(member) { return true }
        // What pages say of a password, an address or an account, and what a client is called, they say in several languages.
        return kind == .personal && SecretRoles.namesSomebody(name) && !SecretRoles.namesAccount(name)
            && SecretRoles.normalized(name) != "displayname"
    }

    /// Of DynamoDB, of MongoDB, of JSON-LD, of XML that was made JSON, of localised names, and of changes.
    private static let types: Set<String> = [
        "s", "ss", "n", "ns", "l", "$numberlong", "$numberint", "$date", "@value", "#text", "_text", "__text",
        "#cdata-section", "$t", "_", "integervalue", "arrayvalue", "values", "raw", "localized", "old", "new",
        "current",
        "previous", "before", "after", "oldvalue", "newvalue",
    ]

    /// Whether it is a language, of two letters and with whatever follows (RFC 5646): `en`, `de-at`, `ja_kana_jp`.
    private static func isLanguage(_ member: String) -> Bool {
        // Most names are none: nothing is taken apart for them.
        guard member.utf8.count == 2 || member.utf8.dropFirst(2).first.map(isJoint) ?? false else {
            return false
        }
        let parts = member.utf8.split(
            maxSplits: 4,
            omittingEmptySubsequences: false,
            whereSeparator: isJoint
        )
        return parts[0].count == 2 && !words.contains(member)
            && parts[0].allSatisfy { (0x61...0x7a).contains($0) }
            && parts.dropFirst().allSatisfy {
                (2...8).contains($0.count) && $0.allSatisfy(\.isASCIIAlphanumeric)
            }
    }

    private static func isJoint(_ byte: UInt8) -> Bool { byte == 0x2d || byte == 0x5f }

    /// Which are languages and other things as well.
    private static let words: Set<String> = ["id", "ip", "is", "ok", "to"]
}
