import Captures
import JSON

/// Variables of a query in GraphQL, which are called as their writer likes: `login(password: $p)`, `"variables": {"p": "…"}`.
///
/// They stand in the document of the query, in a text beside it (`"variables": "{\"p\": …}"`, `query=…&variables={…}`), or in
/// another part of the request: in the address, and the query in the body.
enum GraphQLVariables {
    /// The arguments by the variables that they are given; empty where there are none.
    typealias Arguments = [String: String]

    /// The slots of a document, a variable whose own name says nothing under that of the argument that it is given to.
    ///
    /// Of several queries the one beside it says so, and any where there is none beside it.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var all: Arguments = [:]
        var byObject: [Int: Arguments] = [:]
        for slot in slots where isQuery(slot.name) && !slot.isVariable {
            for (variable, argument) in arguments(in: documents(of: [slot], in: text)) {
                add(argument, of: variable, to: &all)
                add(argument, of: variable, to: &byObject[slot.object, default: [:]])
            }
        }
        guard !all.isEmpty else { return slots }
        return slots.map { slot in
            guard slot.isVariable || isVariables(slot.name) else { return slot }
            let arguments = byObject[slot.object] ?? all
            guard !slot.isVariable else { return named(slot, by: arguments) }
            var slot = slot
            slot.arguments = arguments
            return slot
        }
    }

    /// The slots of a query itself, what a variable is by default (`$p: String = "…"`) as the variable.
    static func withDefaults(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard isOperation(text) else { return slots }
        let arguments = arguments(in: CollectionOfOne(text))
        return slots.map { slot in
            guard slot.name.utf8.first == UInt8(ascii: "$") else { return slot }
            var slot = slot
            slot.name.removeFirst()
            return named(slot, by: arguments)
        }
    }

    /// Whether a text is a query that has variables: `mutation L($p: …`.
    static func isOperation(_ text: ArraySlice<UInt8>) -> Bool {
        let start = text.drop { $0 <= 0x20 }
        let word = start.prefix(while: isOfName)
        guard ["mutation", "query", "subscription"].contains(where: { word.elementsEqual($0.utf8) }) else {
            return false
        }
        let next = start[word.endIndex...].first { $0 > 0x20 && !isOfName($0) }
        return next == UInt8(ascii: "(")
    }

    /// What the variables of a request are given to that stand in its address, the query in the body, or the other way
    /// round; empty where there are none.
    static func arguments(of request: JSONObject) -> Arguments {
        let address = Array((request["url"]?.string ?? "").utf8)
        guard address.contains(0x3f), let data = request["postData"]?.object else { return [:] }
        let slots = SlotReader.slots(in: address[...], as: .url)
            .filter { isQuery($0.name) || isVariables($0.name) }
        guard !slots.isEmpty else { return [:] }
        let parameters = data["params"]?.array ?? []
        return arguments(in: documents(of: slots, in: address[...]) + documents(ofBody: data))
            .merging(arguments(beside: parameters)) { known, _ in known }
    }

    /// The queries of a body, which may be one as a whole.
    private static func documents(ofBody data: JSONObject) -> [ArraySlice<UInt8>] {
        let body = Array((data["text"]?.string ?? "").utf8)
        guard TextKind.opensDocument(body[...]) else { return [body[...]] }
        return documents(of: SlotReader.slots(in: body[...], as: .json), in: body[...])
    }

    private static func documents(of slots: [Slot], in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        slots.filter { isQuery($0.name) && !$0.isVariable }.map { slot in
            slot.coding?.decoded(text[slot.range]).bytes[...] ?? text[slot.range]
        }
    }

    /// The slots of a part of a request, its variables as another part of it names them.
    static func named(_ slots: [Slot], elsewhere arguments: Arguments) -> [Slot] {
        slots.map { slot in
            if slot.isVariable { return named(slot, by: arguments) }
            guard isVariables(slot.name), slot.arguments.isEmpty else { return slot }
            var slot = slot
            slot.arguments = arguments
            return slot
        }
    }

    /// The slots of a text of variables, which may stand in a text once more.
    static func named(_ slots: [Slot], by arguments: Arguments) -> [Slot] {
        slots.map { slot in
            guard slot.name.isEmpty else { return named(slot, by: arguments) }
            var slot = slot
            slot.arguments = arguments
            return slot
        }
    }

    private static func named(_ slot: Slot, by arguments: Arguments) -> Slot {
        // What stands in an object that is given to an argument, `password: $p`, is no less secret than that.
        let isInside = arguments[slot.name] == nil
        guard let argument = arguments[isInside ? slot.variable ?? "" : slot.name] else { return slot }
        switch (SecretRoles.role(of: slot.name, in: .json), SecretRoles.role(of: argument, in: .json)) {
        case (.unknown, .secret): break
        case (.unknown, _) where !isInside, (_, .secret) where !isInside: break
        default: return slot
        }
        var slot = slot
        slot.name = argument
        return slot
    }

    /// What the variables are given to that stand beside a query in a list of parameters.
    static func arguments(beside elements: [JSONValue]) -> Arguments {
        arguments(
            in: elements.lazy.filter { isQuery($0["name"]?.string ?? "") }.map {
                Array(($0["value"]?.string ?? "").utf8)[...]
            }
        )
    }

    private static func arguments(in queries: some Sequence<ArraySlice<UInt8>>) -> Arguments {
        let arguments: Arguments = queries.reduce(into: [:]) { read(decoded($1), into: &$0) }
        // Beside a password these are who signs in: `signIn(login: $a, password: $b)`.
        guard arguments.values.contains(where: SecretRoles.saysPassword) else { return arguments }
        return arguments.mapValues { SecretRoles.namesAccount($0) ? "username" : $0 }
    }

    /// A query that is percent-encoded more often than its place wants it.
    private static func decoded(_ query: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var query = query
        for _ in 0..<mostCodings {
            guard escapes.contains(where: { query.firstRange(of: $0) != nil }) else { break }
            query = TextCoding.form.decoded(query).bytes[...]
        }
        return query
    }

    private static let mostCodings = 4
    /// Of a dollar sign, a colon, and the percent sign of one of them.
    private static let escapes = ["%24", "%3A", "%3a", "%25"].map { Array($0.utf8) }

    /// Of what holds the query, as clients of several makes call it.
    private static func isQuery(_ name: String) -> Bool {
        ["query", "mutation", "subscription", "document"].contains { isWord(name, $0) }
    }

    /// Of what holds its variables.
    static func isVariables(_ name: String) -> Bool { isWord(name, "variables") }

    /// In small letters or not.
    private static func isWord(_ name: String, _ word: String) -> Bool {
        name.utf8.count == word.utf8.count && name.utf8.lazy.map { $0 | 0x20 }.elementsEqual(word.utf8)
    }

    /// `password: $p`, `passwords: [$p, $q]`, with white space, commas and comments anywhere.
    private static func read(_ query: ArraySlice<UInt8>, into arguments: inout Arguments) {
        for dollar in query.indices where query[dollar] == UInt8(ascii: "$") {
            let variable = query[(dollar + 1)...].prefix(while: isOfName)
            var before = withoutGap(query[..<dollar].suffix(longestGap))
            while let rest = withoutElement(before) { before = withoutGap(rest) }
            guard !variable.isEmpty, before.last == UInt8(ascii: ":") else { continue }
            let ahead = withoutGap(before.dropLast())
            let name = ahead.reversed().prefix(while: isOfName)
            guard !name.isEmpty, ahead.dropLast(name.count).last != UInt8(ascii: "$") else { continue }
            add(
                String(decoding: name.reversed(), as: UTF8.self),
                of: String(decoding: variable, as: UTF8.self),
                to: &arguments
            )
        }
    }

    /// Without the opening bracket of a list at the end of a query's part, or a variable in it; nil where there is neither.
    private static func withoutElement(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if text.last == UInt8(ascii: "[") { return text.dropLast() }
        let rest = text.dropLast(text.reversed().prefix(while: isOfName).count)
        return rest.count < text.count && rest.last == UInt8(ascii: "$") ? rest.dropLast() : nil
    }

    /// Without what means nothing at the end of a query's part: white space, commas, comments.
    private static func withoutGap(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while let last = text.last {
            guard last <= 0x20 || last == UInt8(ascii: ",") else {
                break
            }
            let isLineEnd = last == 0x0a || last == 0x0d
            text = text.dropLast()
            let line = (text.lastIndex { $0 == 0x0a || $0 == 0x0d }).map { $0 + 1 } ?? text.startIndex
            if isLineEnd, let mark = text[line...].firstIndex(of: UInt8(ascii: "#")) { text = text[..<mark] }
        }
        return text
    }

    /// Of several arguments of a variable (`signUp(password: $p, confirm: $p)`) the most secret one decides, and the first of
    /// equals.
    private static func add(_ argument: String, of variable: String, to arguments: inout Arguments) {
        if let known = arguments[variable], secrecy(of: known) >= secrecy(of: argument) { return }
        arguments[variable] = argument
    }

    private static func secrecy(of name: String) -> Int {
        switch SecretRoles.role(of: name, in: .json) {
        case .secret: 3
        case .drawn: 2
        case .unknown: 1
        case .open, .parts: 0
        }
    }

    /// Of an argument's name with what stands between it and its variable.
    private static let longestGap = 240

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
    }
}
