import Captures

/// Variables of a query in GraphQL, which are called as their writer likes: `login(password: $p)`, `"variables": {"p": "…"}`.
enum GraphQLVariables {
    /// The slots of a document, a variable whose own name says nothing under that of the argument that it is given to.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var arguments: [String: String] = [:]
        for slot in slots where slot.name == "query" { read(text[slot.range], into: &arguments) }
        guard !arguments.isEmpty else { return slots }
        return slots.map { slot in
            guard let argument = arguments[slot.name],
                case .unknown = SecretRoles.role(of: slot.name, in: .json)
            else { return slot }
            var slot = slot
            slot.name = argument
            return slot
        }
    }

    /// `password: $p`, as it stands in JSON.
    private static func read(_ query: ArraySlice<UInt8>, into arguments: inout [String: String]) {
        for dollar in query.indices where query[dollar] == UInt8(ascii: "$") {
            let variable = query[(dollar + 1)...].prefix(while: isOfName)
            let before = query[..<dollar].suffix(longestGap).reversed().drop { $0 <= 0x20 }
            guard !variable.isEmpty, before.first == UInt8(ascii: ":") else { continue }
            let ahead = before.dropFirst().drop { $0 <= 0x20 }
            let word = ahead.prefix(while: isOfName)
            let mark = ahead.dropFirst(word.count).first
            // A line break, as JSON writes it, is no letter of the name.
            let name = mark == UInt8(ascii: "\\") ? word.dropLast() : word
            guard !name.isEmpty, mark != UInt8(ascii: "$") else { continue }
            arguments[String(decoding: variable, as: UTF8.self)] = String(
                decoding: name.reversed(),
                as: UTF8.self
            )
        }
    }

    /// Of an argument's name with what stands between it and its variable.
    private static let longestGap = 80

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
    }
}
