import Captures
import Flows

/// What an answer hands to a page's script beside its forms: a token against forgery in a `meta` tag, in an attribute, in a script,
/// in JSON however deep or in a header, which the script sends on with its own requests.
///
/// Found by what stands before it, `name="value"` or `"name": "value"`, in whatever language; takes time linear in the page.
enum ScriptTokens {
    /// The values that are long enough to be drawn at random, each with the name before it, in order.
    static func ofAnswer(_ body: Body?) -> [(name: String, value: String)] {
        guard let bytes = text(of: body) else { return [] }
        var found: [(String, String)] = []
        var position = 0
        while position < bytes.count, found.count < most {
            let quote = bytes[position]
            position += 1
            guard quote == 0x22 || quote == 0x27 else { continue }
            let start = position
            // The mark between a name and its value begins none.
            if start < bytes.count, isMark(bytes[start]) { continue }
            while position < bytes.count, isOfToken(bytes[position]) { position += 1 }
            guard position < bytes.count, bytes[position] == quote else { continue }
            let end = position
            position += 1
            guard lengths.contains(end - start), let name = name(before: start - 1, in: bytes) else {
                continue
            }
            found.append((name, String(decoding: bytes[start..<end], as: UTF8.self)))
        }
        return found
    }

    /// What scripts read, with its escapes undone (`\x2D`, `\/`), and in a page with JSON in attributes its quotation marks (`&quot;`):
    /// a page, or an object or list of JSON; nil of anything else.
    static func text(of body: Body?) -> [UInt8]? {
        guard let body, (body.size ?? 0) < largest, let bytes = body.bytes else { return nil }
        let first = bytes.first { $0 > 0x20 }
        guard body.isPage || first == 0x7b || first == 0x5b else { return nil }
        let read = body.isPage && hasQuotedMarks(bytes) ? Array(HTMLText.decode(bytes).utf8) : bytes
        return ScriptEscape.undone(in: read) ?? read
    }

    /// Whether a page has JSON in an attribute, whose quotation marks are references there.
    private static func hasQuotedMarks(_ bytes: [UInt8]) -> Bool {
        ["&quot;", "&#34;", "&#x22;"].contains { bytes.firstRange(of: Array($0.utf8)) != nil }
    }

    /// Whether a value looks drawn at random, or a part of it does that stands between colons.
    static func looksDrawn(_ value: String) -> Bool {
        value.utf8.split(separator: 0x3a).contains { ValueShape.looksRandom(String(Substring($0))) }
    }

    /// The fields of an answer whose values are as long, but for those that browsers and proofs see to.
    static func ofHeaders(_ headers: HeaderFields) -> [(name: String, value: String)] {
        headers.fields.lazy.map { ($0.name.lowercased(), $0.value) }.filter { name, value in
            !seenTo.contains(name) && lengths.contains(value.utf8.count)
                && value.utf8.allSatisfy(isOfToken)
        }
    }

    /// What is called so by an equals sign or a colon before the quotation mark at a place.
    private static func name(before place: Int, in bytes: [UInt8]) -> String? {
        var end = place
        func skip(while isSkipped: (UInt8) -> Bool) { while end > 0, isSkipped(bytes[end - 1]) { end -= 1 } }
        let isSpace = { (byte: UInt8) in byte == 0x20 }
        skip(while: isSpace)
        guard end > 0, isMark(bytes[end - 1]) else { return nil }
        end -= 1
        skip(while: isSpace)
        if end > 0, bytes[end - 1] == 0x22 || bytes[end - 1] == 0x27 { end -= 1 }
        var start = end
        while start > 0, end - start < longestName, isOfName(bytes[start - 1]) { start -= 1 }
        return start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2d || byte == 0x5f
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        isOfName(byte) || isMark(byte) || [0x2b, 0x2e, 0x2f, 0x7e].contains(byte)
    }

    /// An equals sign or a colon.
    private static func isMark(_ byte: UInt8) -> Bool { byte == 0x3d || byte == 0x3a }

    private static let seenTo: Set<String> = ["dpop-nonce", "etag", "location", "set-cookie"]
    /// The states that sign-in pages seal run to thousands.
    private static let lengths = 16...4096
    private static let longestName = 64
    private static let most = 2048
    private static let largest = 1 << 20
}
