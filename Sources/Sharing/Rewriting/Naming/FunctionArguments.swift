import Captures

/// What the arguments are called that a page of Nuxt 2 hands to the function that makes its state, by the members that the function
/// gives them to: `window.__NUXT__=(function(a,b){return {familyName:b}}(null,"Quill"))`.
enum FunctionArguments {
    /// The slots, with the names of those that are such arguments.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard let first = text.first(where: { $0 > 0x20 }), first != 0x7b, first != 0x5b,
            let state = text.firstRange(of: Array("__NUXT__=".utf8)),
            let open = text[state.upperBound...].prefix(longestGap).firstRange(of: Array("function(".utf8)),
            let call = lastCall(in: text[open.upperBound...])
        else { return slots }
        let head = text[open.upperBound..<call].prefix { $0 != 0x29 }
        let parameters = head.split(separator: 0x2c).map(SlotReader.string)
        let names = members(of: text[head.endIndex..<call], given: Set(parameters))
        var given: [Int: String] = [:]
        for (place, argument) in zip(parameters, arguments(text[(call + 2)...])) {
            given[argument] = names[place]
        }
        var slots = slots
        for index in slots.indices {
            if let name = given[slots[index].range.lowerBound] { slots[index].name = name }
        }
        return slots
    }

    /// In bytes, between the state's name and its function.
    private static let longestGap = 16
    /// In bytes: names of parameters are short, as there is nobody to read them.
    private static let longestParameter = 4

    /// Where a function ends that is called at once: the last `}(`.
    private static func lastCall(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.dropLast().last { text[$0] == 0x7d && text[$0 + 1] == 0x28 }
    }

    /// By parameter the member that it is given to; of several one that tells something.
    private static func members(of body: ArraySlice<UInt8>, given parameters: Set<String>) -> [String: String]
    {
        var names: [String: String] = [:]
        for mark in body.indices where body[mark] == 0x3a || body[mark] == 0x3d {
            let word = body[(mark + 1)...].prefix(longestParameter + 1).prefix(while: isOfName)
            guard !word.isEmpty, word.count <= longestParameter, word.endIndex < body.endIndex,
                [0x2c, 0x3b, 0x7d].contains(body[word.endIndex])
            else { continue }
            let parameter = SlotReader.string(word)
            guard parameters.contains(parameter) else { continue }
            let before = body[..<mark]
            let end = before.last == 0x22 ? before.dropLast() : before
            let name = SlotReader.string(end.suffix(64).reversed().prefix(while: isOfName).reversed())
            if names[parameter].map({ !MarkupSlots.isTelling($0) }) ?? true { names[parameter] = name }
        }
        return names
    }

    /// Where the arguments begin of a call that begins here, strings behind their quotation marks.
    private static func arguments(_ text: ArraySlice<UInt8>) -> [Int] {
        var arguments = [text.startIndex]
        var depth = 0
        var isString = false
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if isString {
                if byte == 0x5c { index += 1 } else if byte == 0x22 { isString = false }
            } else if byte == 0x22 {
                isString = true
            } else if [0x28, 0x5b, 0x7b].contains(byte) {
                depth += 1
            } else if depth == 0, byte == 0x2c {
                arguments.append(index + 1)
            } else if [0x29, 0x5d, 0x7d].contains(byte) {
                if depth == 0 { break }
                depth -= 1
            }
            index += 1
        }
        return arguments.map { $0 < text.endIndex && text[$0] == 0x22 ? $0 + 1 : $0 }
    }

    private static func isOfName(_ byte: UInt8) -> Bool { byte.isASCIIWordByte || byte == 0x24 }
}
