import Captures

/// What says what the text of an element of XML is called, where the element's own name does not: the element before it
/// (`<key>password</key><string>…`, `<name>…</name><value>…`), the one around it (`<var name='password'><string>…`,
/// `<familyName><value>…`), or its place in a call (`<methodName>login</methodName>…<value>ada</value>…<value>Zk9!wq</value>`).
struct ElementKey {
    private var key: String?
    /// How many arguments of a call that signs in were met; nil where there is none.
    private var arguments: Int?

    /// An element begins.
    ///
    /// `field`: what it is called by its attributes; `isEmpty`: it has no text, or elements inside of it.
    mutating func meet(_ element: HTMLAttributes, named field: String?, isEmpty: Bool) {
        guard isEmpty, !element.tag.isEmpty else { return }
        // `<familyName><value>…`
        let local = element.tag.split(separator: ":").last.map(String.init) ?? ""
        if let field, MarkupSlots.isTelling(field) {
            key = field
        } else if !element.isClosed, MarkupSlots.isTelling(local), !SignInCall.isOne(local) {
            key = local
        }
        // `<ns:login><arg0>…`
        if SignInCall.isOne(element.tag) { arguments = 0 }
    }

    /// `content`: of an element, which may be the key itself, or is called by what was met before.
    mutating func name(_ content: inout Slot, of tag: String, in text: ArraySlice<UInt8>) {
        let own = SlotReader.string(text[content.range].prefix(64))
        switch tag.split(separator: ":").last ?? "" {
        case "key", "name":
            key = MarkupSlots.isTelling(own) ? own : nil
            // `<a:Name>username</a:Name>` is nobody.
            if key != nil, SecretRoles.isWord(own) { content.name = "" }
        case "methodname":
            arguments = SignInCall.isOne(own) ? 0 : nil
            key = nil
        case "string", "value", "data", "integer":
            if let key { content.name = key } else { nameArgument(&content, in: text) }
            key = nil
        default:
            if Self.isNumbered(tag) { nameArgument(&content, in: text) }
            key = nil
        }
    }

    /// Where a call ends nobody sees, as end tags have no name here; what stands further behind it is something else.
    private static let mostArguments = 6

    private mutating func nameArgument(_ content: inout Slot, in text: ArraySlice<UInt8>) {
        guard let place = arguments, place < Self.mostArguments, !SignInCall.isAddress(text[content.range])
        else { return }
        // How many follow nobody knows; a single one would be a password's.
        content.name = SignInCall.name(ofArgument: place, of: max(2, place + 1))
        arguments = place + 1
    }

    /// `arg0`, `in1`, `param2`: what generators call arguments that have no names.
    private static func isNumbered(_ tag: String) -> Bool {
        let local = tag.split(separator: ":").last ?? ""
        let stem = local.reversed().drop { $0.isASCII && $0.isNumber }.reversed()
        return stem.count < local.count && ["arg", "in", "param", "p", "string"].contains(String(stem))
    }
}
