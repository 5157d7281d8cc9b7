import Captures

/// A value with its name, as a walk meets it.
struct NamedText {
    var name: String
    /// Decoded.
    var bytes: [UInt8]
    /// What it stands in.
    var container: TextKind
    /// Digits in JSON that are no string.
    var isNumber = false
    /// The `id` of a document's own object, or of one that says what somebody is called.
    var isOwnID = false
    /// Of an object that says of itself that it is a person.
    var isOfPerson = false
    /// Of a text with the variables of a query in GraphQL: what they are given to.
    var arguments: GraphQLVariables.Arguments = [:]
    /// The variables stand in a part of it, since it is one of a request whose query is in another one.
    var isPartOfRequest = false

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What is no UTF-8 is read as Latin-1, in which every byte is a character.
    var readable: String {
        String(validating: bytes, as: UTF8.self)
            ?? bytes.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
    }

    /// The bytes of a text in the encoding that these are in.
    func encoded(_ text: String) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) == nil else { return Array(text.utf8) }
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

/// Goes through the named values of a text, and of the texts inside of it, and writes it anew with what changed.
///
/// What did not change keeps its bytes. One way through for those who look and for those who write.
struct TextWalker {
    /// What was read before.
    var memory: SlotMemory?
    /// Another value in the place of one; nil leaves it, and goes on inside of it.
    let visit: (NamedText) -> [UInt8]?

    private static let deepest = 7

    /// The text with other values in it; nil where nothing changed.
    ///
    /// `arguments`, `isPartOfRequest`: see ``NamedText``.
    func rewriting(
        _ text: [UInt8],
        as kind: TextKind,
        depth: Int = 0,
        arguments: GraphQLVariables.Arguments = [:],
        isPartOfRequest: Bool = false
    ) -> [UInt8]? {
        guard depth < Self.deepest, !text.isEmpty else { return nil }
        var output = Splicer(text)
        var end = 0
        var slots = memory?.slots(in: text, as: kind) ?? SlotReader.slots(in: text[...], as: kind)
        if !arguments.isEmpty {
            slots =
                isPartOfRequest
                ? GraphQLVariables.named(slots, elsewhere: arguments)
                : GraphQLVariables.named(slots, by: arguments)
        }
        // Those of a large document are many, and mostly in order as they are read.
        if !Self.areInOrder(slots) { slots.sort { $0.range.lowerBound < $1.range.lowerBound } }
        for slot in slots
        where slot.range.lowerBound >= end {
            guard let other = changed(slot, in: text, of: kind, depth: depth) else { continue }
            output.replace(slot.range, with: other)
            end = slot.range.upperBound
        }
        return output.finished()
    }

    private static func areInOrder(_ slots: [Slot]) -> Bool {
        slots.indices.dropFirst().allSatisfy {
            slots[$0 - 1].range.lowerBound <= slots[$0].range.lowerBound
        }
    }

    /// A value of a name with another one in its place, or with others inside of it; nil where nothing changed.
    func rewritingValue(_ value: NamedText) -> [UInt8]? { inside(value, nil, 0) }

    private func changed(_ slot: Slot, in text: [UInt8], of kind: TextKind, depth: Int) -> [UInt8]? {
        let raw = text[slot.range]
        guard !raw.isEmpty else { return nil }
        if slot.isBase64 {
            let coding = BinaryCoding.base64
            let whole = Array(raw)
            return inside(
                NamedText(
                    name: slot.name,
                    bytes: coding.decoded(whole.filter { $0 != 0x3d }),
                    container: kind
                ),
                slot.kind,
                depth
            ).map { Array(Base64.encode($0).utf8) }
        }
        if slot.isByteList {
            return ByteLists.rewriting(raw) { bytes in
                inside(NamedText(name: slot.name, bytes: bytes, container: kind), nil, depth)
            }
        }
        guard let coding = slot.coding else {
            return inside(
                NamedText(
                    name: slot.name,
                    bytes: Array(raw),
                    container: kind,
                    isNumber: slot.isNumber,
                    isOwnID: slot.isOwnID,
                    isOfPerson: slot.isOfPerson,
                    arguments: slot.arguments
                ),
                slot.kind,
                depth
            )
        }
        let decoded = coding.decoded(raw)
        let value = NamedText(
            name: slot.name,
            bytes: decoded.bytes,
            container: kind,
            isOwnID: slot.isOwnID,
            isOfPerson: slot.isOfPerson,
            arguments: slot.arguments
        )
        return inside(value, slot.kind, depth).map { decoded.encoding($0, as: coding) }
    }

    /// A decoded value, whole or by its parts.
    private func inside(_ value: NamedText, _ kind: TextKind?, _ depth: Int) -> [UInt8]? {
        // The value of a header that has parts with names of their own.
        if let kind, kind == .authorization || kind == .clientAuthorization {
            return rewriting(value.bytes, as: kind, depth: depth + 1)
        }
        if let other = visit(value) { return other == value.bytes ? nil : other }
        var guess = kind ?? TextKind.guessed(value.bytes[...])
        let isPerson = PersonalRoles.isPerson(value.name)
        if guess == .json, isPerson || value.container != .json,
            isPerson || EntrySubject.saysWhoSomebodyIs(value.bytes)
        {
            guess = .claims
        }
        // A client may be called as somebody's computer is.
        let isParty =
            guess == .text && !value.bytes.contains { $0 <= 0x20 } && SecretRoles.isParty(value.name)
        if !isParty,
            let other = rewriting(
                value.bytes,
                as: guess,
                depth: depth + 1,
                arguments: value.arguments,
                isPartOfRequest: value.isPartOfRequest
            )
        {
            return other
        }
        // What has parts was decoded where it was read; once more would read it as something else.
        guard guess == .text || Bytes.index(of: Array("%22".utf8), in: value.bytes, from: 0) != nil else {
            return nil
        }
        return encodedOnceMore(value, depth)
            ?? rewritingBase64(value.bytes, isPerson: isPerson, depth)
            ?? inDataURI(value.bytes, depth)
    }

    /// A value that is percent-encoded once more than its place wants it.
    private func encodedOnceMore(_ value: NamedText, _ depth: Int) -> [UInt8]? {
        guard depth < Self.deepest, TextCoding.percent.mayApply(to: value.bytes[...]) else { return nil }
        let decoded = TextCoding.percent.decoded(value.bytes[...])
        guard decoded.bytes != value.bytes else { return nil }
        var inner = value
        inner.bytes = decoded.bytes
        return inside(inner, nil, depth + 1).map { decoded.encoding($0, as: .percent) }
    }

    /// A body that is percent-encoded as a whole, as some send tables; nil where nothing changed.
    func rewritingEncoded(_ body: [UInt8]) -> [UInt8]? {
        guard !body.contains(where: { $0 <= 0x20 }) else { return nil }
        return encodedOnceMore(NamedText(name: "", bytes: body, container: .text), 0)
    }

    /// A text with other values in the documents that stand in base64 somewhere in it; nil where nothing changed.
    ///
    /// Not in the parts of tokens, which say what they say by themselves.
    func rewritingDocuments(in text: [UInt8]) -> [UInt8]? {
        var output = Splicer(text)
        for run in BinaryCoding.documents(in: text) where run.count >= Self.shortestDocument {
            let before = run.lowerBound > 0 ? text[run.lowerBound - 1] : 0x20
            let after = run.upperBound < text.count ? text[run.upperBound] : 0x20
            guard before != 0x2e, after != 0x2e, run.count < text.count,
                let inner = Base64Text(Array(text[run])),
                TextKind.opensDocument(inner.text[...]) || TextKind.guessed(inner.text[...]) == .html,
                let other = rewritingBase64(Array(text[run]), 1), other.count == run.count
            else { continue }
            output.replace(run, with: other)
        }
        return output.finished()
    }

    /// In characters.
    private static let shortestDocument = 48

    /// A value that is a text in base64: JSON mostly; nil where nothing changed.
    ///
    /// `isPerson`: its name says that it is somebody.
    func rewritingBase64(_ value: [UInt8], isPerson: Bool = false, _ depth: Int = 0) -> [UInt8]? {
        guard depth < Self.deepest, let last = value.last else { return nil }
        // A body ends with a line break.
        let count = last > 0x20 ? value.count : value.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0
        guard let inner = Base64Text(Array(value[..<count])) else { return nil }
        var kind = TextKind.guessed(inner.text[...])
        if kind == .json, isPerson || EntrySubject.saysWhoSomebodyIs(inner.text) { kind = .claims }
        let other =
            rewriting(inner.text, as: kind, depth: depth + 1)
            ?? (kind == .text ? rewritingBase64(inner.text, depth + 1) : nil)
        return other.map { inner.encoding($0) + value[count...] }
    }

    /// `data:application/json;base64,…`: what a page carries with it; a picture, of a code to scan or of somebody, is
    /// replaced as a whole unless it is SVG.
    private func inDataURI(_ value: [UInt8], _ depth: Int) -> [UInt8]? {
        guard depth < Self.deepest, value.count > 5,
            value.prefix(5).map({ $0 | 0x20 }).elementsEqual("data:".utf8.map { $0 | 0x20 }),
            let comma = value.prefix(256).firstIndex(of: 0x2c)
        else { return nil }
        let head = String(decoding: value[5..<comma], as: UTF8.self).lowercased()
        guard head.hasSuffix(";base64") else {
            let rest = NamedText(name: "", bytes: Array(value[(comma + 1)...]), container: .text)
            return inside(rest, nil, depth + 1).map { value[...comma] + $0 }
        }
        if BinaryForm(head) == .unreadable {
            let bytes = Base64.decode(String(decoding: value[(comma + 1)...], as: UTF8.self))
            let other = value[...comma] + Array(Base64.encode(CodedBody.replacement(of: bytes)).utf8)
            return other.elementsEqual(value) ? nil : Array(other)
        }
        return rewritingBase64(Array(value[(comma + 1)...]), depth + 1).map { value[...comma] + $0 }
    }
}
