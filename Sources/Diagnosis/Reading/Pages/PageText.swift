import Captures

/// The words a person reads on a page: tags, scripts and styles left out, white space run together.
enum PageText {
    /// Of at most the first `limit` bytes.
    static func words(of body: Body?, limit: Int = 1 << 18) -> String {
        words(of: body, limit: limit, enough: .max)
    }

    /// The first 200 characters of them.
    static func start(of body: Body?) -> String {
        // A character reference has up to twelve bytes.
        Excerpt.start(of: words(of: body, limit: 1 << 18, enough: 12 * 200))
    }

    /// What a page tells a person of an error, in the box that is there for it, else its first words.
    static func told(by body: Body?) -> String { alert(of: body) ?? start(of: body) }

    /// The words of that box, at most 200 characters; nil where there is none.
    static func alert(of body: Body?) -> String? {
        guard let body, body.isPage, (body.size ?? 0) < 1 << 18, let bytes = body.bytes else { return nil }
        return HTMLAlert.first(in: bytes).map { Excerpt.start(of: $0) }
    }

    /// `enough`: so many bytes of words, or more, will do.
    private static func words(of body: Body?, limit: Int, enough: Int) -> String {
        guard let body, let bytes = body.bytes else { return "" }
        return bytes.withUnsafeBufferPointer { whole in
            let bytes = UnsafeBufferPointer(rebasing: whole.prefix(limit))
            let isMarkup = body.essence == "text/html" || bytes.first { $0 > 0x20 } == 0x3c
            guard isMarkup else { return collapsed(bytes) }
            let text = HTMLText.decode(HTMLWords.outsideOfTags(bytes, enough: enough))
            // The pages of LemonLDAP::NG have the number of their message alone.
            if ByteSearch.index(of: NumberedMessage.attribute, in: bytes) != nil,
                let message = HTMLAlert.first(in: Array(bytes))
            {
                return collapsed(Array((message + " " + text).utf8))
            }
            // The Entra pages keep their message in a script and write it from there.
            guard let start = entraCode(in: bytes), !text.containsBytes("AADSTS") else {
                return collapsed(text.utf8)
            }
            let message = bytes[start...].prefix(400).prefix { $0 != 0x22 && $0 != 0x3c }
            return collapsed(Array(text.utf8) + [0x20] + message)
        }
    }

    /// Whether an error number of Entra stands in a body.
    static func hasEntraCode(_ body: Body?) -> Bool {
        body?.bytes?.withUnsafeBufferPointer { entraCode(in: $0) != nil } ?? false
    }

    /// What a page without words leaves its script to show (ForgeRock): the strings of `error` in `pageData`.
    static func statedError(of body: Body?) -> [String]? {
        guard let bytes = body?.bytes else { return nil }
        let object = bytes.withUnsafeBufferPointer { bytes -> [UInt8]? in
            guard let data = ByteSearch.index(of: "pageData", in: bytes) else { return nil }
            let rest = UnsafeBufferPointer(rebasing: bytes[data...])
            guard let error = ByteSearch.index(of: "error", in: rest) else { return nil }
            return rest[error...].prefix(1000).drop { $0 != 0x7b }.prefix { $0 != 0x7d }.map { $0 }
        }
        // What stands between quotes, names of members aside.
        let parts = object?.split(separator: 0x22, omittingEmptySubsequences: false) ?? []
        var strings: [String] = []
        for index in stride(from: 1, to: parts.count - 1, by: 2)
        where parts[index + 1].first(where: { $0 > 0x20 }) != 0x3a {
            strings.append(String(decoding: parts[index], as: UTF8.self))
        }
        return strings.isEmpty ? nil : strings
    }

    private static func entraCode(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        ByteSearch.index(of: "AADSTS", in: bytes) ?? ByteSearch.index(of: "aadsts", in: bytes)
    }

    private static func collapsed(_ bytes: some Collection<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var isBetween = false
        for byte in bytes {
            guard byte > 0x20 else {
                isBetween = true
                continue
            }
            if isBetween, !output.isEmpty { output.append(0x20) }
            isBetween = false
            output.append(byte)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
