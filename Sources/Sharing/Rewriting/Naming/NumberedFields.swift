import Captures

/// What holds the fields of a signed cookie together that tells the length of each before it, as Tornado's does:
/// `2|1:0|10:1790000000|11:oauth_state|48:…|…`.
///
/// The cookie's own name is among the fields, and no secret.
enum NumberedFields {
    /// The fields that hold a name, each with what stands around it up to the next value.
    static func joints(in secret: String, isName: (String) -> Bool) -> [String] {
        let fields = secret.split(separator: "|", omittingEmptySubsequences: false)
        guard fields.count > 2 else { return [] }
        return fields.indices.dropLast().compactMap { index in
            guard let text = text(of: fields[index]), !text.isEmpty, text.utf8.allSatisfy(isOfName),
                isName(String(text))
            else { return nil }
            let next = self.text(of: fields[index + 1]).map { fields[index + 1].dropLast($0.count) } ?? ""
            return "|\(fields[index])|\(next)"
        }
    }

    /// The fields that hold when a cookie in base64 was made, in seconds: JupyterHub's `_xsrf` is such a one, and a token of the
    /// same login tells nearly the same time in base64.
    static func times(in secret: String) -> [String] {
        guard let inner = Base64Text(Array(secret.utf8), where: { $0.contains(0x7c) })?.text else {
            return []
        }
        let fields = SlotReader.string(inner).split(separator: "|", omittingEmptySubsequences: false)
        return fields.dropFirst().dropLast().compactMap { field in
            guard let time = text(of: field), time.utf8.count == 10, time.utf8.allSatisfy(\.isASCIIDigit)
            else {
                return nil
            }
            return "|\(field)|"
        }
    }

    /// What is behind the number, where it is as long as that says.
    private static func text(of field: Substring) -> Substring? {
        guard let colon = field.firstIndex(of: ":"), let count = Int(field[..<colon]) else { return nil }
        let text = field[field.index(after: colon)...]
        return text.utf8.count == count ? text : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isBase64URLCharacter || byte == 0x2e
    }
}
