import Captures
import JSON

/// Variables of a query in GraphQL, which are called as their writer likes: `login(password: $p)`, `"variables": {"p": "…"}`.
///
/// They stand in the document of the query, or in a text beside it: `"variables": "{\"p\": …}"`, `query=…&variables={…}`.
enum GraphQLVariables {
    /// The arguments by the variables that they are given; empty where there are none.
    typealias Arguments = [String: String]

    /// The slots of a document, a variable whose own name says nothing under that of the argument that it is given to.
    ///
    /// Of several queries the one beside it says so, and any where there is none beside it.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var all: Arguments = [:]
        var byObject: [Int: Arguments] = [:]
        for slot in slots where slot.name == query && !slot.isVariable {
            let query = slot.coding?.decoded(text[slot.range]).bytes[...] ?? text[slot.range]
            for (variable, argument) in arguments(in: CollectionOfOne(query)) {
                add(argument, of: variable, to: &all)
                add(argument, of: variable, to: &byObject[slot.object, default: [:]])
            }
        }
        guard !all.isEmpty else { return slots }
        return slots.map { slot in
            guard slot.isVariable || slot.name == variables else { return slot }
            let arguments = byObject[slot.object] ?? all
            guard !slot.isVariable else { return named(slot, by: arguments) }
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
        guard let argument = arguments[slot.name] else { return slot }
        switch (SecretRoles.role(of: slot.name, in: .json), SecretRoles.role(of: argument, in: .json)) {
        case (.unknown, _), (_, .secret): break
        default: return slot
        }
        var slot = slot
        slot.name = argument
        return slot
    }

    /// What the variables are given to that stand beside a query in a list of parameters.
    static func arguments(beside elements: [JSONValue]) -> Arguments {
        arguments(
            in: elements.lazy.filter { $0["name"]?.string == query }.map {
                Array(($0["value"]?.string ?? "").utf8)[...]
            }
        )
    }

    private static func arguments(in queries: some Sequence<ArraySlice<UInt8>>) -> Arguments {
        queries.reduce(into: [:]) { read(decoded($1), into: &$0) }
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

    /// What holds the query, and its variables.
    private static let query = "query"
    static let variables = "variables"

    /// `password: $p`.
    private static func read(_ query: ArraySlice<UInt8>, into arguments: inout Arguments) {
        for dollar in query.indices where query[dollar] == UInt8(ascii: "$") {
            let variable = query[(dollar + 1)...].prefix(while: isOfName)
            let before = query[..<dollar].suffix(longestGap).reversed().drop { $0 <= 0x20 }
            guard !variable.isEmpty, before.first == UInt8(ascii: ":") else { continue }
            let ahead = before.dropFirst().drop { $0 <= 0x20 }
            let name = ahead.prefix(while: isOfName)
            guard !name.isEmpty, ahead.dropFirst(name.count).first != UInt8(ascii: "$") else { continue }
            add(
                String(decoding: name.reversed(), as: UTF8.self),
                of: String(decoding: variable, as: UTF8.self),
                to: &arguments
            )
        }
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
    private static let longestGap = 80

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
    }
}
