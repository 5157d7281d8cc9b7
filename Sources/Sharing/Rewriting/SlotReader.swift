/// Finds the named values of a text, in linear time and without failing: what is shared is often broken.
enum SlotReader {
    static func slots(in text: ArraySlice<UInt8>, as kind: TextKind) -> [Slot] {
        switch kind {
        case .url: url(text)
        case .refresh: refresh(text)
        case .form: items(text, separators: text.contains(0x26) ? [0x26] : [0x26, 0x3b])
        case .lines: lines(text)
        case .cookies: cookies(text)
        case .setCookie: text.split(separator: 0x0a).flatMap { cookies($0).prefix(1) }
        case .authorization: authorization(text)
        case .userPassword: userPassword(text)
        case .json, .claims: json(text)
        case .html: html(text)
        case .multipart(let boundary): MultipartSlots.slots(in: text, boundary: boundary)
        case .text: []
        }
    }

    // MARK: - URLs and forms

    private static func url(_ text: ArraySlice<UInt8>) -> [Slot] {
        // What follows behind white space is another text.
        let text = text.prefix { $0 > 0x20 }
        var slots: [Slot] = []
        let end = text.firstIndex { $0 == 0x3f || $0 == 0x23 } ?? text.endIndex
        let address = text[..<end]
        var pathStart = address.startIndex
        if let colon = address.firstIndex(of: 0x3a), address[colon...].starts(with: "://".utf8) {
            let authority = colon + 3
            let slash = address[authority...].firstIndex(of: 0x2f) ?? address.endIndex
            if let at = address[authority..<slash].lastIndex(of: 0x40) {
                slots += userPassword(address[authority..<at])
            }
            pathStart = slash
        }
        var start = pathStart
        for index in pathStart...address.endIndex {
            guard index == address.endIndex || address[index] == 0x2f || address[index] == 0x3b else {
                continue
            }
            if index > start { slots.append(pathPart(address[start..<index])) }
            start = index + 1
        }
        guard end < text.endIndex else { return slots }
        return slots + items(text[(end + 1)...], separators: [0x26, 0x3f, 0x23])
    }

    /// `0; url=…`, as a header and as a page's `meta` have it.
    private static func refresh(_ text: ArraySlice<UInt8>) -> [Slot] {
        guard let equals = text.firstIndex(of: 0x3d) else { return [] }
        return [Slot(name: "refresh", range: (equals + 1)..<text.endIndex)]
    }

    /// A segment of a path, or a parameter behind a semicolon (`;jsessionid=…`).
    private static func pathPart(_ part: ArraySlice<UInt8>) -> Slot {
        if let equals = part.firstIndex(of: 0x3d), equals > part.startIndex {
            return Slot(name: string(part[..<equals]), range: (equals + 1)..<part.endIndex, coding: .percent)
        }
        return Slot(name: pathSegment, range: part.startIndex..<part.endIndex, coding: .percent, kind: .text)
    }

    /// The name of what is behind `Basic`, user and password together.
    static let basicCredentials = "(basic)"

    /// The name of a segment of a path.
    static let pathSegment = "(path)"

    private static func items(_ text: ArraySlice<UInt8>, separators: Set<UInt8> = [0x26]) -> [Slot] {
        var slots: [Slot] = []
        var start = text.startIndex
        let end = text.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? text.startIndex
        for index in text.startIndex...max(text.startIndex, end) {
            guard index >= end || separators.contains(text[index]) else { continue }
            if start < index {
                let item = text[start..<index]
                if let equals = item.firstIndex(of: 0x3d) {
                    let name = TextCoding.form.decoded(item[..<equals]).bytes
                    slots.append(Slot(name: string(name), range: (equals + 1)..<index, coding: .form))
                } else {
                    slots.append(Slot(name: "", range: start..<index, coding: .form, kind: .text))
                }
            }
            start = index + 1
        }
        return slots
    }

    /// `name=value` or `name: value`, a line each.
    private static func lines(_ text: ArraySlice<UInt8>) -> [Slot] {
        text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d || $0 == 0 }).compactMap { line in
            guard let mark = line.firstIndex(where: { $0 == 0x3d || $0 == 0x3a }) else { return nil }
            let value = trimmed(line[(mark + 1)...])
            return Slot(name: string(trimmed(line[..<mark])), range: value.startIndex..<value.endIndex)
        }
    }

    // MARK: - Headers

    private static func cookies(_ text: ArraySlice<UInt8>) -> [Slot] {
        text.split(separator: 0x3b).compactMap { part in
            let pair = trimmed(part)
            guard let equals = pair.firstIndex(of: 0x3d) else {
                return pair.isEmpty ? nil : Slot(name: "", range: pair.startIndex..<pair.endIndex)
            }
            let value = trimmed(pair[(equals + 1)...])
            return Slot(name: string(trimmed(pair[..<equals])), range: value.startIndex..<value.endIndex)
        }
    }

    private static func authorization(_ text: ArraySlice<UInt8>) -> [Slot] {
        let value = trimmed(text)
        guard let space = value.firstIndex(of: 0x20) else {
            return [Slot(name: "authorization", range: value.startIndex..<value.endIndex)]
        }
        let scheme = string(value[..<space]).lowercased()
        let rest = trimmed(value[(space + 1)...])
        let range = rest.startIndex..<rest.endIndex
        if scheme == "basic" {
            return [Slot(name: basicCredentials, range: range, kind: .userPassword, isBase64: true)]
        }
        return [
            Slot(
                name: scheme == "bearer" || scheme == "dpop" ? "access_token" : "authorization",
                range: range
            )
        ]
    }

    private static func userPassword(_ text: ArraySlice<UInt8>) -> [Slot] {
        guard let colon = text.firstIndex(of: 0x3a) else { return [] }
        return [
            Slot(name: "client_id", range: text.startIndex..<colon, coding: .form, kind: .text),
            Slot(name: "client_secret", range: (colon + 1)..<text.endIndex, coding: .form, kind: .text),
        ]
    }

    // MARK: - JSON

    /// Strings and numbers with the name of the member that they belong to.
    ///
    /// By its tokens alone, so that scripts, several documents and torn ones are read as well.
    private static func json(_ text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var name = ""
        /// The objects around.
        var objects: [OpenObject] = []
        var index = text.startIndex
        func add(_ slot: Slot) {
            slots.append(slot)
            if objects.isEmpty { return }
            if name == "name" || name == "key", !slot.isNumber {
                let own = string(TextCoding.escapes.decoded(text[slot.range]).bytes)
                objects[objects.count - 1].said = own
                if let value = objects[objects.count - 1].value { slots[value].name = own }
            } else if objects[objects.count - 1].isValue(name) {
                objects[objects.count - 1].value = slots.count - 1
            }
        }
        while index < text.endIndex {
            let byte = text[index]
            if byte == 0x7b {
                objects.append(OpenObject(name: objects.count < 256 ? name : ""))
                index += 1
            } else if byte == 0x7d {
                name = objects.popLast()?.name ?? ""
                index += 1
            } else if byte == 0x22 {
                guard let end = endOfString(text, from: index + 1) else { break }
                let next = text[(end + 1)...].prefix(64).first { $0 > 0x20 }
                if next == 0x3a {
                    let own = string(TextCoding.escapes.decoded(text[(index + 1)..<end]).bytes)
                    name = own == "value" || own == "nbr" ? objects.last?.nameOfValue ?? own : own
                } else {
                    add(Slot(name: name, range: (index + 1)..<end, coding: .escapes, kind: kind(of: name)))
                }
                index = end + 1
            } else if Self.beginsWord(byte) {
                let end =
                    text[index...].firstIndex { !Self.beginsWord($0) && !(0x30...0x39).contains($0) }
                    ?? text.endIndex
                guard let value = startOfValue(text, from: end) else {
                    index = end
                    continue
                }
                name = string(text[index..<min(end, index + 64)])
                index = value
                // Behind a name, these are quotation marks and no apostrophes.
                guard index < text.endIndex, text[index] == 0x27 || text[index] == 0x60,
                    let close = text[(index + 1)...].prefix(1 << 14).firstIndex(of: text[index])
                else { continue }
                add(Slot(name: name, range: (index + 1)..<close, coding: .escapes, kind: kind(of: name)))
                index = close + 1
            } else if (0x30...0x39).contains(byte) {
                let end = text[index...].firstIndex { !(0x30...0x39).contains($0) } ?? text.endIndex
                let before = index > text.startIndex ? text[index - 1] : 0x20
                let after = end < text.endIndex ? text[end] : 0x20
                // Whole numbers only: a fraction or an exponent is no identifier.
                if !isPartOfNumber(before), !isPartOfNumber(after) {
                    add(Slot(name: name, range: index..<end, kind: .text, isNumber: true))
                }
                index = end
            } else {
                index += 1
            }
        }
        return slots
    }

    /// `document.cookie = "…"`.
    private static func kind(of name: String) -> TextKind? { name == "cookie" ? .setCookie : nil }

    private static func beginsWord(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f || byte == 0x24
    }

    /// Where the value begins that a script gives a name: `password: 'x'`, `token = "x"`; nil where it gives none.
    private static func startOfValue(_ text: ArraySlice<UInt8>, from end: Int) -> Int? {
        guard let mark = text[end...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[mark] == 0x3a || text[mark] == 0x3d,
            let value = text[(mark + 1)...].prefix(8).firstIndex(where: { $0 > 0x20 }),
            text[value] != 0x3d, text[value] != 0x3e
        else { return nil }
        return value
    }

    /// An object that is being read.
    private struct OpenObject {
        /// The member that it is the value of.
        var name: String
        /// What a member `name` or `key` of it says: `{"name": "IDToken2", "value": "…"}`.
        var said: String?
        /// The slot of its member `value`, which may come first.
        var value: Int?

        /// `"mobileno": {"value": "…"}`: the object is what the value is called by.
        var nameOfValue: String { said ?? (name.isEmpty ? "value" : name) }

        func isValue(_ name: String) -> Bool { said == nil && name == nameOfValue }
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        byte == 0x2e || byte == 0x2d || byte == 0x2b || byte == 0x5f || (0x61...0x7a).contains(byte | 0x20)
    }

    private static func endOfString(_ text: ArraySlice<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.endIndex {
            if text[index] == 0x5c {
                index += 2
            } else if text[index] == 0x22 {
                return index
            } else {
                index += 1
            }
        }
        return nil
    }

    // MARK: - HTML

    private static func html(_ text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var index = text.startIndex
        while let open = text[index...].firstIndex(of: 0x3c) {
            index = open + 1
            let attributes = HTMLAttributes(text, from: index)
            index = attributes.end
            let field = attributes.value(of: "name", or: "id", in: text)
            for attribute in attributes.list where !attribute.value.isEmpty && hasValue(attribute.name) {
                let isValue = attribute.name == "value"
                if attribute.name == "content" {
                    // `0; url=…`
                    let value = text[attribute.value]
                    let url = value.firstIndex(of: 0x3d).map { $0 + 1 } ?? value.startIndex
                    slots.append(
                        Slot(name: field ?? "content", range: url..<value.endIndex, coding: .entities)
                    )
                } else {
                    let name = isValue ? field ?? "" : attribute.name
                    slots.append(Slot(name: name, range: attribute.value, coding: .entities))
                }
            }
            if let content = content(of: attributes, named: field, in: text) {
                slots.append(content)
                index = content.range.upperBound
            }
            if attributes.tag == "script" {
                let end = text[index...].firstRange(of: Array("</script".utf8))?.lowerBound ?? text.endIndex
                slots += json(text[index..<end])
                index = end
            }
        }
        return slots
    }

    /// The text of an element that is called by what it holds: a field of a form, an element of XML.
    private static func content(of element: HTMLAttributes, named field: String?, in text: ArraySlice<UInt8>)
        -> Slot?
    {
        let isField = element.tag == "textarea" || element.tag == "option"
        let local = element.tag.split(separator: ":").last.map(String.init) ?? ""
        guard isField || element.tag.contains(":") || element.isXML,
            let close = text[element.end...].firstIndex(of: 0x3c), close > element.end,
            text[close...].dropFirst().first == 0x2f
        else { return nil }
        return Slot(name: isField ? field ?? "" : local, range: element.end..<close, coding: .entities)
    }

    /// Attributes in which something may travel; the others say how the page looks.
    private static func hasValue(_ name: String) -> Bool {
        ["value", "content", "href", "src", "action", "formaction"].contains(name) || name.hasPrefix("data-")
    }

    // MARK: - Small things

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else {
            return text[text.startIndex..<text.startIndex]
        }
        return text[...last].drop(while: isSpace)
    }

    private static func string(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
