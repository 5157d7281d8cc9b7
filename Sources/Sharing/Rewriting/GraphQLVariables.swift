import Captures

/// Variables of a query in GraphQL, which are called as their writer likes: `login(password: $p)`, `"variables": {"p": "…"}`.
enum GraphQLVariables {
    /// The slots of a document, a variable whose own name says nothing under that of the argument that it is given to.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var arguments: [String: String] = [:]
        for slot in slots where slot.name == "query" { read(text[slot.range], into: &arguments) }
        guard !arguments.isEmpty else { return slots }
        return slots.map { slot in
            guard let argument = arguments[slot.name] else { return slot }
            switch (SecretRoles.role(of: slot.name, in: .json), SecretRoles.role(of: argument, in: .json)) {
            case (.unknown, _), (_, .secret): break
            default: return slot
            }
            var slot = slot
            slot.name = argument
            return slot
        }
    }

    /// `password: $p`, as it stands in JSON.
    private static func read(_ query: ArraySlice<UInt8>, into arguments: inout [String: String]) {
        for dollar in query.indices where query[dollar] == UInt8(ascii: "$") {
            let variable = query[(dollar + 1)...].prefix(while: isOfName)
            let before = withoutGap(Array(query[..<dollar].suffix(longestGap).reversed())[...])
            guard !variable.isEmpty, before.first == UInt8(ascii: ":") else { continue }
            let ahead = withoutGap(before.dropFirst())
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

    /// Behind blanks, be they written `\n`, in a text that is read backwards.
    private static func withoutGap(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while let byte = rest.first {
            if byte <= 0x20 {
                rest = rest.dropFirst()
            } else if [0x6e, 0x72, 0x74].contains(byte), rest.dropFirst().first == 0x5c {
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        return rest
    }

    /// Of an argument's name with what stands between it and its variable.
    private static let longestGap = 80

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
    }
}
