/// Values of a page and of XML: attributes, fields, elements, and what its scripts say.
enum MarkupSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var index = text.startIndex
        /// What the cell before says.
        var label: String?
        while let open = text[index...].firstIndex(of: 0x3c) {
            index = open + 1
            let attributes = HTMLAttributes(text, from: index)
            index = attributes.end
            let field =
                attributes.value(of: "name", or: "id", in: text)
                ?? attributes.value(of: "property", or: "itemprop", in: text)
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
            if let cell = cell(of: attributes, in: text) {
                let words = String(decoding: text[cell].prefix(64), as: UTF8.self)
                if let name = label, attributes.tag == "dd" || attributes.tag == "td" {
                    slots.append(Slot(name: name, range: cell, coding: .entities))
                    label = nil
                } else {
                    label = words.hasSuffix(":") ? String(words.dropLast()) : words
                }
                index = cell.upperBound
            } else if attributes.tag == "tr" || attributes.tag == "/dl" {
                label = nil
            }
            if attributes.tag == "script" {
                let end = text[index...].firstRange(of: Array("</script".utf8))?.lowerBound ?? text.endIndex
                slots += ScriptSlots.slots(in: text[index..<end])
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

    /// The text of a cell of a table or of a list of terms, without the space around it; nil for other elements and for
    /// cells that hold elements.
    private static func cell(of element: HTMLAttributes, in text: ArraySlice<UInt8>) -> Range<Int>? {
        guard ["dt", "dd", "th", "td"].contains(element.tag),
            let close = text[element.end...].firstIndex(of: 0x3c),
            let first = text[element.end..<close].firstIndex(where: { $0 > 0x20 }),
            let last = text[first..<close].lastIndex(where: { $0 > 0x20 })
        else { return nil }
        return first..<(last + 1)
    }

    /// Attributes in which something may travel; the others say how the page looks.
    private static func hasValue(_ name: String) -> Bool {
        ["value", "content", "href", "src", "action", "formaction"].contains(name) || name.hasPrefix("data-")
            || isSecret(name)
    }

    /// `<user password="…">`, as XML has it.
    private static func isSecret(_ name: String) -> Bool {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .html) else { return false }
        return SureWords.isSure(kind)
    }
}
