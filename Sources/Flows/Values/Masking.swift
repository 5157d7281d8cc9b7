import Captures

/// Makes evidence of values: what is secret is cut to its first characters and its length.
package enum Masking {
    /// The first characters of a secret and its length, `dBjf…(43)`.
    ///
    /// Never more than a third of it, and nothing of one that is too short to spare any.
    package static func masked(_ value: String, showing most: Int = 4) -> String {
        let count = value.unicodeScalars.count
        let shown = count < 12 ? 0 : min(most, count / 3)
        return String(String.UnicodeScalarView(value.unicodeScalars.prefix(shown))) + "…(\(count))"
    }

    /// A value as evidence shows it, by the name it travels under.
    package static func shown(_ value: String, of name: String) -> String {
        if isSecret(name) { return masked(value) }
        let open = value.utf8.contains(0x40) ? withoutPassword(value) : value
        let text = open.utf8.contains(0x3d) ? withoutSecrets(open) : open
        guard text.unicodeScalars.count > limit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
            + "…(\(value.unicodeScalars.count))"
    }

    /// A text in which somebody may have repeated secrets: as a whole, or cut after twelve bytes or more.
    package static func hiding(_ secrets: [String], in text: String) -> String {
        let secrets = secrets.filter { !$0.isEmpty }.map { (text: $0, bytes: Array($0.utf8)) }
        guard !secrets.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var place = 0
        while place < bytes.count {
            var longest: (secret: String, count: Int)?
            for secret in secrets where secret.bytes[0] == bytes[place] {
                let count = zip(bytes[place...], secret.bytes).prefix { $0 == $1 }.count
                // Secrets may begin alike: where another one goes on, this one was not cut.
                let isMet =
                    count == secret.bytes.count
                    || count >= start && (place + count == bytes.count || !isOfToken(bytes[place + count]))
                if isMet, count > longest?.count ?? 0 { longest = (secret.text, count) }
            }
            if let longest {
                output += Array(masked(longest.secret).utf8)
                place += longest.count
            } else {
                output.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The same for one secret.
    package static func hiding(_ secret: String, in text: String) -> String { hiding([secret], in: text) }

    /// How many bytes of a secret are too many to be met by chance.
    private static let start = 12

    static func isOfToken(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e, 0x2f, 0x3d, 0x5f, 0x7e].contains(byte)
    }

    /// Whether values of this name let their holder in somewhere.
    package static func isSecret(_ name: String) -> Bool { secretNames.contains(name.lowercased()) }

    private static let limit = 300

    static let secretNames: Set<String> = [
        "code", "access_token", "refresh_token", "id_token", "id_token_hint", "code_verifier",
        "client_secret",
        "client_assertion", "assertion", "password", "token", "subject_token", "actor_token", "device_code",
        "registration_access_token", "logout_token", "authorization", "cookie", "set-cookie", "response",
        // Another provider's, which Supabase hands on to the page.
        "provider_token", "provider_refresh_token",
    ]

    /// A URL with the password before its host masked (RFC 3986, section 3.2.1); any other text as it is.
    private static func withoutPassword(_ text: String) -> String {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: 0x3a), bytes[colon...].starts(with: "://".utf8) else {
            return text
        }
        let start = bytes.index(colon, offsetBy: 3)
        let end = bytes[start...].firstIndex { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 } ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: 0x40),
            let mark = bytes[start..<at].firstIndex(of: 0x3a)
        else { return text }
        let password = bytes.index(after: mark)
        return String(text[..<password]) + masked(String(text[password..<at])) + String(text[at...])
    }

    /// What is longer is no number of an error.
    private static let longestNumber = 15

    /// Whether a value is such a number, as `PX-E0013` or `7000218`; codes that logins have are drawn from small letters, too.
    private static func isNumberOfError(_ value: String) -> Bool {
        value.utf8.count <= longestNumber && value.utf8.contains(where: \.isASCIIDigit)
            && !value.utf8.contains { (0x61...0x7a).contains($0) }
    }

    /// Whether a URL is that of a page of errors, where `code` is the number of one: its path ends in `error`.
    private static func isPageOfErrors(_ text: String) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").last?.lowercased() == "error"
    }

    /// A URL, or part of one, with the secrets among its parameters masked.
    private static func withoutSecrets(_ text: String) -> String {
        var output: [UInt8] = []
        var start = text.utf8.startIndex
        // Few texts have a code that may be a number.
        lazy var isOfErrors = isPageOfErrors(text)
        // Bytes that end a parameter: `&`, `?`, `#`.
        while start < text.utf8.endIndex {
            let end =
                text.utf8[start...].firstIndex { $0 == 0x26 || $0 == 0x3f || $0 == 0x23 }
                ?? text.utf8.endIndex
            let part = text[start..<end]
            if let equals = part.utf8.firstIndex(of: 0x3d), isSecret(String(part[..<equals])) {
                let value = String(part[part.utf8.index(after: equals)...])
                // Those of excerpts are masked already.
                let isOpen =
                    isMasked(value.utf8.prefix { $0 != 0x20 })
                    || part[..<equals] == "code" && isNumberOfError(value) && isOfErrors
                output += Array(part[...equals].utf8)
                output += Array((isOpen ? value : masked(value)).utf8)
            } else {
                output += Array(part.utf8)
            }
            guard end < text.utf8.endIndex else { break }
            output.append(text.utf8[end])
            start = text.utf8.index(after: end)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
