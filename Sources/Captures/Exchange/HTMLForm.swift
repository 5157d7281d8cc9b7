/// A form found in an HTML page: what a login page sends back.
///
/// Read by a tokenizer that never fails and takes linear time; pages are hostile. Scripts and comments are
/// skipped.
package struct HTMLForm: Sendable, Hashable {
    /// A field that would be submitted.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String
        /// `hidden`, `text`, `password`, `submit`, … in lower case; `text` where none is written.
        package var type: String
    }

    /// As written; empty where there is none (then the page's own URL).
    package var action: String
    /// `get` or `post`.
    package var method: String
    package var fields: [Field]

    /// The forms of a page, in order.
    ///
    /// Fields outside of any form are dropped.
    package static func all(in html: String) -> [HTMLForm] {
        var forms: [HTMLForm] = []
        var current: HTMLForm?
        for tag in HTMLTags(html) {
            switch tag.name {
            case "form":
                if let form = current { forms.append(form) }
                current = HTMLForm(
                    action: tag.attribute("action") ?? "",
                    method: (tag.attribute("method") ?? "get").lowercased() == "post" ? "post" : "get",
                    fields: []
                )
            case "/form":
                if let form = current { forms.append(form) }
                current = nil
            case "input", "button", "select", "textarea":
                guard let name = tag.attribute("name"), !name.isEmpty else { continue }
                let type = tag.attribute("type")?.lowercased() ?? (tag.name == "button" ? "submit" : "text")
                current?.fields.append(Field(name: name, value: tag.attribute("value") ?? "", type: type))
            default: continue
            }
        }
        if let form = current { forms.append(form) }
        return forms
    }

    /// The target of `<meta http-equiv="refresh" content="0; url=…">`; nil without one.
    package static func refreshTarget(in html: String) -> String? {
        for tag in HTMLTags(html) where tag.name == "meta" {
            guard tag.attribute("http-equiv")?.lowercased() == "refresh",
                let content = tag.attribute("content").map({ Array($0.utf8) }),
                let semicolon = content.firstIndex(of: 0x3b)
            else { continue }
            let rest = content[(semicolon + 1)...].drop { $0 == 0x20 }
            guard rest.prefix(4).map({ $0 | 0x20 }).elementsEqual("url=".utf8.map { $0 | 0x20 }) else {
                continue
            }
            let target = rest.dropFirst(4).drop { $0 == 0x20 || $0 == 0x27 || $0 == 0x22 }
            return String(decoding: target.prefix { $0 != 0x27 && $0 != 0x22 }, as: UTF8.self)
        }
        return nil
    }
}

/// The tags of a page, one after the other; everything between them is passed over.
private struct HTMLTags: Sequence, IteratorProtocol {
    struct Tag {
        /// In lower case; an end tag keeps its slash.
        var name: String
        var attributes: [(name: String, value: String)]

        func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ html: String) { bytes = Array(html.utf8) }

    mutating func next() -> Tag? {
        while position < bytes.count {
            guard let open = bytes[position...].firstIndex(of: 0x3c), open + 1 < bytes.count else { break }
            position = open + 1
            if bytes[position] == 0x21 || bytes[position] == 0x3f {
                skipDeclaration()
                continue
            }
            let start = position
            if bytes[position] == 0x2f { position += 1 }
            guard position < bytes.count, Self.isLetter(bytes[position]) else { continue }
            while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            let tag = Tag(name: name, attributes: attributes())
            if name == "script" || name == "style" { skipRawText(until: name) }
            return tag
        }
        position = bytes.count
        return nil
    }

    private mutating func skipDeclaration() {
        if bytes[position...].starts(with: [0x21, 0x2d, 0x2d]) {
            var index = position + 3
            while index + 2 < bytes.count,
                !(bytes[index] == 0x2d && bytes[index + 1] == 0x2d && bytes[index + 2] == 0x3e)
            {
                index += 1
            }
            position = Swift.min(index + 3, bytes.count)
        } else {
            position = bytes[position...].firstIndex(of: 0x3e).map { $0 + 1 } ?? bytes.count
        }
    }

    private mutating func skipRawText(until name: String) {
        let end = Array("</\(name)".utf8)
        while position < bytes.count {
            guard let open = bytes[position...].firstIndex(of: 0x3c) else {
                position = bytes.count
                return
            }
            position = open
            let candidate = bytes[open...].prefix(end.count)
            if candidate.count == end.count, zip(candidate, end).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
                return
            }
            position += 1
        }
    }

    private mutating func attributes() -> [(name: String, value: String)] {
        var result: [(String, String)] = []
        while position < bytes.count {
            while position < bytes.count, Self.isSpace(bytes[position]) || bytes[position] == 0x2f {
                position += 1
            }
            guard position < bytes.count else { break }
            if bytes[position] == 0x3e {
                position += 1
                break
            }
            let start = position
            repeat {
                position += 1
            } while position < bytes.count && !Self.endsName(bytes[position]) && bytes[position] != 0x3d
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            guard position < bytes.count, bytes[position] == 0x3d else {
                result.append((name, ""))
                continue
            }
            position += 1
            result.append((name, HTMLText.decode(attributeValue())))
        }
        return result
    }

    private mutating func attributeValue() -> ArraySlice<UInt8> {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count else { return [] }
        let quote = bytes[position]
        if quote == 0x22 || quote == 0x27 {
            let start = position + 1
            let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
            position = Swift.min(end + 1, bytes.count)
            return bytes[start..<end]
        }
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]), bytes[position] != 0x3e {
            position += 1
        }
        return bytes[start..<position]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    private static func endsName(_ byte: UInt8) -> Bool { isSpace(byte) || byte == 0x3e || byte == 0x2f }
}

/// Text of HTML with its character references.
package enum HTMLText {
    /// Undoes `&amp;`, `&#47;`, `&#x2f;` and the other references that form values meet.
    package static func decode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == 0x26, let end = bytes[index...].prefix(12).firstIndex(of: 0x3b),
                let scalar = scalar(of: bytes[(index + 1)..<end])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result.append(contentsOf: Array(String(Character(scalar)).utf8))
            index = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: reference, as: UTF8.self)
        if text.hasPrefix("#x") || text.hasPrefix("#X") {
            return UInt32(text.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        }
        if text.hasPrefix("#") { return UInt32(text.dropFirst()).flatMap(Unicode.Scalar.init) }
        return [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{a0}", "sol": "/",
            "equals": "=", "plus": "+", "colon": ":",
        ][text]
    }
}
