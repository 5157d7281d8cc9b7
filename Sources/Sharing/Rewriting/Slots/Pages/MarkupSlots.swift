import Captures

/// Values of a page and of XML: attributes, fields, elements, and what its scripts say.
struct MarkupSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var reader = MarkupSlots(text)
        while let open = text[reader.index...].firstIndex(of: 0x3c) {
            reader.readText(to: open)
            reader.readTag(at: open)
        }
        reader.readText(to: text.endIndex)
        return reader.slots
    }

    private let text: ArraySlice<UInt8>
    private var index: Int
    private var slots: [Slot] = []
    /// Its names are its own, also those that HTML has.
    private let isXML: Bool
    private var cells = TableCells()
    private var labels = TextLabels()
    private var key = ElementKey()
    private var dumped = DumpedNames()
    private var highlighted = HighlightedText()
    private var chosen = ChosenUsers()
    /// The text that follows is a style sheet, in which a colon gives nothing to a name.
    private var isOfStyle = false
    /// What the labels of fields say, by the `id` of the field.
    private var captions: [String: String] = [:]
    private lazy var comments = CommentEnds(text)
    /// The first `<![CDATA[` of those that were met without an end behind them: a later one has none either.
    private var endless: Int

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        index = text.startIndex
        endless = text.endIndex
        isXML = Self.isXML(text)
    }

    private mutating func readText(to open: Int) {
        let node = text[index..<open]
        slots += AddressSlots.slots(in: node, coding: .entities)
        guard !isOfStyle else { return }
        if let slot = labels.slot(in: node) { slots.append(slot) }
        slots += GreetingSlots.slots(in: node, coding: .entities)
        readWords(node)
    }

    /// What a text between two tags says by itself, but for who is greeted in it.
    private mutating func readWords(_ node: ArraySlice<UInt8>) {
        if isDocument(node) {
            slots.append(Slot(name: "", range: node.startIndex..<node.endIndex, coding: .entities))
        } else if node.count <= Self.longestDocument, EmbeddedMarkup.mayHold(node) {
            // A message as a page of an error, or a tool's, shows it.
            slots.append(
                Slot(name: "", range: node.startIndex..<node.endIndex, coding: .entities, kind: .text)
            )
        } else if tellsSecret(node) {
            // `password=Zk9!wq` alone is no sentence, and read as it looks.
            let kind: TextKind? = node.contains(0x20) ? .text : nil
            slots.append(
                Slot(name: "", range: node.startIndex..<node.endIndex, coding: .entities, kind: kind)
            )
        }
    }

    /// Whether a text between tags is a document of JSON, as pages for trying things out show what was answered, or that of an
    /// attribute: `wire:snapshot="{&quot;data&quot;:…}"`.
    private func isDocument(_ node: ArraySlice<UInt8>) -> Bool {
        guard node.count <= Self.longestDocument, let first = node.first(where: { $0 > 0x20 }),
            let last = node.last(where: { $0 > 0x20 }),
            first == 0x7b && last == 0x7d || first == 0x5b && last == 0x5d
        else { return false }
        return TextKind.opensDocument(TextCoding.entities.decoded(node).bytes[...])
    }

    /// In bytes.
    private static let longestDocument = 1 << 16

    /// Whether a text between tags gives something to a name for it, as errors print what was posted, or says what it is, as mail
    /// does.
    private func tellsSecret(_ node: ArraySlice<UInt8>) -> Bool {
        guard node.count <= SentenceSlots.longest else { return false }
        let text = node.contains(0x26) ? TextCoding.entities.decoded(node).bytes[...] : node
        if SentenceSlots.tellPassword(text) || SentenceSlots.refuseAccount(text) { return true }
        guard node.contains(where: { [0x27, 0x3a, 0x3d, 0x3e].contains($0) })
        else { return false }
        return !PairSlots.slots(in: text).isEmpty || !PrintedSlots.slots(in: text).isEmpty
            || !DatabaseSlots.slots(in: text).isEmpty || !LoggedStatements.slots(in: text).isEmpty
            || !SignInCall.slots(in: text).isEmpty || !TypedCalls.slots(in: text).isEmpty
    }

    /// A tag with what belongs to it: the text of a field, of a cell, of a script; or a comment.
    private mutating func readTag(at open: Int) {
        if let comment = Self.comment(at: open, in: text) {
            if !comment.isEmpty { slots.append(Slot(name: "", range: comment)) }
            index = comment.upperBound + 3
            return
        }
        let element = HTMLAttributes(text, from: open + 1)
        index = element.end
        isOfStyle = element.tag == "style"
        labels.meet(element.tag)
        let isOfXML = isXML || element.isXML
        readCaption(of: element)
        let field = name(of: element, isXML: isOfXML)
        let isOfSomebody = element.list.contains { $0.name == "alt" } && self.isOfSomebody(element)
        for attribute in element.list where Self.isRead(attribute.name) {
            var label = TextLabels()
            if let slot = label.slot(in: text[attribute.value]) { slots.append(slot) }
            slots += GreetingSlots.slots(in: text[attribute.value], coding: .entities)
            if attribute.name == "alt" {
                let value = text[attribute.value]
                let name = isOfSomebody ? GreetingSlots.name(in: value, coding: .entities) : nil
                slots += [name ?? GreetingSlots.handle(in: value, coding: .entities)].compactMap(\.self)
            }
        }
        for attribute in element.list
        where !attribute.value.isEmpty
            && (Self.hasValue(attribute.name) || isDocument(text[attribute.value])
                || isOfXML && Self.mayTell(attribute, of: element, in: text))
        {
            readValue(of: attribute, named: field)
        }
        let content = content(of: element, named: field, isXML: isOfXML)
        // Nothing stands in `<email></email>`.
        let isAround = content == nil && !text[element.end...].starts(with: "</".utf8)
        if isOfXML { key.meet(element, named: field, isEmpty: isAround) }
        slots += shown(by: element, named: field)
        if var content {
            if isOfXML { key.name(&content, of: element.tag, in: text) }
            if content.name.isEmpty, let named = labels.slot(in: text[content.range]) { content = named }
            slots.append(content)
            index = content.range.upperBound
        }
        readCell(of: element)
        if element.tag == "script" {
            if let streamed = StreamedScripts.range(from: index, in: text) {
                slots.append(Slot(name: "", range: streamed, coding: .streamed, kind: .json))
                index = streamed.upperBound
                return
            }
            let end = Self.endOfScript(from: index, in: text)
            slots += ScriptSlots.slots(in: text[index..<end])
            index = end
        }
    }

    /// What an element shows of a program's values, of somebody, or of users to choose from.
    private mutating func shown(by element: HTMLAttributes, named field: String?) -> [Slot] {
        let shown =
            dumped.slot(in: element, of: text) ?? ShownNames.slot(in: element, of: text)
            ?? OfferedAccounts.slot(in: element, of: text)
        return highlighted.slots(in: element, of: text) + [shown].compactMap(\.self)
            + chosen.slots(in: element, named: field, of: text)
    }

    /// `field`: what the element is called.
    private mutating func readValue(of attribute: HTMLAttributes.Attribute, named field: String?) {
        let value = text[attribute.value]
        switch attribute.name {
        case let name where Self.holdsAddresses(name):
            slots += AddressSlots.slots(in: value, coding: .entities)
        case "content":
            // `0; url=…`; what has a name is no refresh, and may begin with a number.
            let target = field == nil ? SlotReader.target(ofRefresh: value) : value
            slots.append(
                Slot(name: field ?? "content", range: target.startIndex..<target.endIndex, coding: .entities)
            )
        case let name where BoundAttribute(name, attribute.value, in: text) != nil:
            guard let bound = BoundAttribute(name, attribute.value, in: text) else { return }
            slots.append(Slot(name: bound.name, range: bound.text, coding: .entities))
        case let name where Self.holdsCode(name) || BoundAttribute.isExpression(name, value):
            slots.append(Slot(name: "", range: attribute.value, coding: .entities, kind: .json))
        case let name:
            let own = name == "value" ? field ?? "" : name
            slots.append(Slot(name: own, range: attribute.value, coding: .entities))
        }
    }

    /// Whether a picture is somebody's, by how the page calls it, and where it is.
    private func isOfSomebody(_ element: HTMLAttributes) -> Bool {
        let name = element.value(of: "class", or: "id", in: text)?.lowercased() ?? ""
        if ["avatar", "profile-p", "userpic", "user-p", "user-image"].contains(where: name.containsBytes) {
            return true
        }
        return element.value(of: "src", or: "src", in: text)?.lowercased().containsBytes("avatar") ?? false
    }

    private mutating func readCell(of element: HTMLAttributes) {
        guard let (cell, isLink) = Self.cell(of: element, in: text) else { return cells.meet(element.tag) }
        let words = SlotReader.string(text[cell].prefix(64))
        if isLink {
            // The link is read by itself.
            let name = cells.name(ofLink: element.tag, saying: words)
            slots += [name.map { Slot(name: $0, range: cell, coding: .entities) }].compactMap(\.self)
            return
        }
        let name = cells.name(ofCell: element.tag, saying: words)
        let count = slots.count
        // It may say so itself: mail is laid out in tables.
        if !(name.map(Self.isTelling) ?? false) {
            var label = TextLabels()
            if let slot = label.slot(in: text[cell]) { slots.append(slot) }
            // `User Pool Client` is what a row is about.
            let isTitle = words.lowercased().hasPrefix("user ") && !words.contains("(")
            if !isTitle { slots += GreetingSlots.slots(in: text[cell], coding: .entities) }
            readWords(text[cell])
        }
        if let name, slots.count == count {
            slots.append(Slot(name: name, range: cell, coding: .entities))
        } else {
            slots += AddressSlots.slots(in: text[cell], coding: .entities)
        }
        // `Your password is <b>Zk9!wq</b>`: what it says of the element behind it.
        let behind = text[cell.upperBound...].prefix(Self.longestCaption).drop { $0 <= 0x20 }
        if !behind.starts(with: "</".utf8) { _ = labels.slot(in: text[cell]) }
        index = cell.upperBound
    }

    /// Where a script ends that begins at a place: at the end tag, in any case, or with the text.
    private static func endOfScript(from start: Int, in text: ArraySlice<UInt8>) -> Int {
        var rest = text[start...]
        while let open = rest.firstIndex(of: 0x3c) {
            rest = rest[open...]
            if rest.prefix(8).withUnsafeBufferPointer({ ASCIICase.areEqual($0, "</script") }) { return open }
            rest = rest.dropFirst()
        }
        return text.endIndex
    }

    /// The text of a comment without tags in it; nil for others, of which each tag is looked at.
    private static func comment(at open: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        guard text[open...].starts(with: "<!--".utf8), let close = text[(open + 4)...].firstIndex(of: 0x3e),
            close >= open + 6, text[(close - 2)..<close].elementsEqual("--".utf8),
            !text[(open + 4)..<close].contains(0x3c)
        else { return nil }
        return (open + 4)..<(close - 2)
    }

    /// `onclick="…"`, `ng-init="…"`: what runs, or is put into a page's variables.
    private static func holdsCode(_ name: String) -> Bool {
        name.hasPrefix("on") && name.utf8.count > 4 || name.hasPrefix("ng-") || name.hasPrefix("x-")
            || name.hasPrefix("v-")
    }

    /// What an element is called; a field whose own name says nothing by what a browser shall fill in, by its kind, or by what
    /// the page says of it; nil for one that stands for a header, whatever `id` it has.
    private func name(of element: HTMLAttributes, isXML: Bool) -> String? {
        guard element.value(of: "http-equiv", or: "http-equiv", in: text) == nil else { return nil }
        let own =
            element.value(of: "name", or: "id", in: text)
            ?? element.value(of: "property", or: "itemprop", in: text)
            // `<add key="password" value="…"/>`, as settings have it.
            ?? (isXML ? element.value(of: "key", or: "key", in: text) : nil)
        guard element.tag == "input", own.map({ !Self.isTelling($0) }) ?? true else { return own }
        func value(_ name: String) -> String? { element.value(of: name, or: name, in: text) }
        let fill = value("autocomplete")?.split(separator: " ").last.map(String.init)
        let caption = value("id").flatMap { captions[$0] }
        let said: [String?] = [fill, value("type"), caption, value("aria-label"), value("placeholder")]
        return said.compactMap(\.self).first(where: Self.isTelling) ?? own
    }

    /// Takes note of what a label says of its field: `<label for="q7">Last name</label>`.
    private mutating func readCaption(of element: HTMLAttributes) {
        guard element.tag == "label", let field = element.value(of: "for", or: "for", in: text) else {
            return
        }
        let caption = text[element.end...].prefix(Self.longestCaption).prefix { $0 != 0x3c }
        let words = caption.split(whereSeparator: Self.captionMarks.contains)
        captions[field] = words.map(SlotReader.string).joined(separator: " ")
    }

    /// Space, and what says that a field has to be filled in.
    private static let captionMarks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20, 0x2a, 0x3a]
    /// In bytes.
    private static let longestCaption = 64

    /// The text of an element that is called by what it holds: a field of a form, an element of XML.
    private mutating func content(of element: HTMLAttributes, named field: String?, isXML: Bool) -> Slot? {
        let isField = element.tag == "textarea" || element.tag == "option"
        let local = element.tag.split(separator: ":").last.map(String.init) ?? ""
        let isQuoted = element.tag == "pre" || element.tag == "code"
        let property = element.value(of: "itemprop", or: "itemprop", in: text)
        let isProperty = property.map(Self.isTelling) ?? false
        guard isField || isQuoted || isProperty || element.tag.contains(":") || isXML else { return nil }
        // `<entry key="password">…`: the name of the element says nothing.
        let key = field ?? element.value(of: "key", or: "key", in: text)
        let name =
            isField ? field ?? "" : key.map { Self.isTelling($0) ? $0 : local } ?? (isQuoted ? "" : local)
        var start = element.end
        guard var open = text[start...].firstIndex(of: 0x3c) else { return nil }
        if text[open...].starts(with: "<!--".utf8), let end = comments.end(ofCommentAt: open, in: text) {
            guard let next = end.open else { return nil }
            (start, open) = (end.start, next)
        }
        let rest = text[open...]
        if rest.starts(with: "<![CDATA[".utf8) {
            guard open < endless, let end = rest.firstRange(of: Array("]]>".utf8))?.lowerBound else {
                endless = min(endless, open)
                return nil
            }
            return end > open + 9 ? Slot(name: name, range: (open + 9)..<end) : nil
        }
        guard rest.dropFirst().first == 0x2f, open > start else { return nil }
        return Slot(name: name, range: start..<open, coding: .entities)
    }

    static func isTelling(_ name: String) -> Bool {
        if case .secret = SecretRoles.role(of: name, in: .html) { true } else { false }
    }

    /// Whether a text begins as XML does, and is no page.
    private static func isXML(_ text: ArraySlice<UInt8>) -> Bool {
        let head = String(decoding: text.prefix(1 << 10), as: UTF8.self).lowercased()
        return head.contains("<?xml") && !head.contains("<html") && !head.contains("<!doctype html")
    }

    /// Whether an attribute of XML says who somebody is, or has parts of its own: `connectionString="Server=db;Password=…"`.
    private static func mayTell(
        _ attribute: HTMLAttributes.Attribute,
        of element: HTMLAttributes,
        in text: ArraySlice<UInt8>
    ) -> Bool {
        if saysWho(attribute.name, of: element) { return true }
        return !attribute.name.hasPrefix("xmlns") && text[attribute.value].contains(0x3d)
            && text[attribute.value].contains(0x3b)
    }

    /// `<user given-name="…">`; of `name` and `id` alone nobody knows whose they are.
    private static func saysWho(_ name: String, of element: HTMLAttributes) -> Bool {
        if ["name", "id", "title", "key", "type", "class"].contains(name) {
            return name == "name" && PersonalRoles.namesSomebody(element.tag)
        }
        return isTelling(name)
    }

    /// The text of a cell of a table or of a list of terms, without the space around it, and whether it is that of a link; nil
    /// for other elements and for cells that hold other elements.
    private static func cell(of element: HTMLAttributes, in text: ArraySlice<UInt8>) -> (
        text: Range<Int>, isLink: Bool
    )? {
        guard ["dt", "dd", "th", "td"].contains(element.tag) else { return nil }
        var start = element.end
        var isLink = false
        // `<td><b>…`
        if let open = text[start...].firstIndex(where: { $0 > 0x20 }), text[open] == 0x3c {
            let inner = HTMLAttributes(text, from: open + 1)
            isLink = inner.tag == "a"
            if isLink || Self.inCells.contains(inner.tag) { start = inner.end }
        }
        guard let close = text[start...].firstIndex(of: 0x3c),
            let first = text[start..<close].firstIndex(where: { $0 > 0x20 }),
            let last = text[first..<close].lastIndex(where: { $0 > 0x20 })
        else { return nil }
        return (first..<(last + 1), isLink)
    }

    /// Elements that a cell has around its text.
    private static let inCells: Set<String> = [
        "b", "strong", "span", "code", "em", "i", "p", "div", "pre", "samp", "kbd", "tt", "font", "small",
    ]

    /// Attributes in which something may travel; the others say how the page looks.
    private static func hasValue(_ name: String) -> Bool {
        values.contains(name) || name.hasPrefix("data-") || holdsCode(name) || isSecret(name)
            || holdsAddresses(name)
    }

    private static let values: Set<String> = [
        "value", "content", "href", "src", "srcdoc", "action", "formaction", "poster", "data", "ping", "cite",
        "background", "longdesc", "manifest", "codebase", "xlink:href", "xml:base",
    ]

    /// Attributes that tell somebody something, as the text of the page does.
    private static func isRead(_ name: String) -> Bool {
        name == "title" || name == "alt" || name == "aria-label" || name == "aria-description"
    }

    /// Attributes with addresses among other words: `/a?sid=1 1x, /b?sid=1 2x`, `background: url(/a?sid=1)`.
    private static func holdsAddresses(_ name: String) -> Bool {
        name == "srcset" || name == "imagesrcset" || name == "style"
    }

    /// `<user password="…">`, as XML has it.
    private static func isSecret(_ name: String) -> Bool {
        guard case .secret(let kind) = SecretRoles.role(of: name, in: .html) else { return false }
        return SureWords.isSure(kind)
    }
}
