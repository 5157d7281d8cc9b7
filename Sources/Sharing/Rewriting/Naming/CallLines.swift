import Captures

/// Calls as DWR writes them, a line for each argument: `c0-methodName=login`, `c0-param0=string:ada`, `c0-param1=string:Zk9!wq`.
///
/// A member of an object that is an argument stands in a line of its own, under a name that the object has for it:
/// `c0-param0=Object_Object:{password:reference:c0-e2}`, `c0-e2=string:Zk9!wq`.
enum CallLines {
    /// The slots of lines, those of arguments with what these are called, and without what says of which type each is.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard let first = slots.first, first.name == "callCount" else { return slots }
        let members = members(of: slots, in: text)
        let calls = slots.filter {
            $0.name.hasSuffix(method) && SignInCall.isOne(SlotReader.string(text[$0.range]))
        }
        let signIns = Set(calls.map { String($0.name.dropLast(method.count)) })
        let places = slots.indices.filter { place in
            let (call, argument) = parts(of: slots[place].name)
            return signIns.contains(call) && argument.hasPrefix("param") && isText(text[slots[place].range])
        }
        var slots = slots
        for (number, place) in places.enumerated() {
            slots[place].name = SignInCall.name(ofArgument: number, of: places.count)
            slots[place] = withoutType(slots[place])
        }
        for place in slots.indices where isText(text[slots[place].range]) {
            guard let name = members[slots[place].name] else { continue }
            slots[place].name = name
            slots[place] = withoutType(slots[place])
        }
        return slots
    }

    /// What the lines of members are called, by the names of the lines.
    private static func members(of slots: [Slot], in text: ArraySlice<UInt8>) -> [String: String] {
        var members: [String: String] = [:]
        for slot in slots {
            guard let open = text[slot.range].firstIndex(of: 0x7b) else { continue }
            for member in text[(open + 1)..<slot.range.upperBound].split(whereSeparator: {
                [0x2c, 0x7d].contains($0)
            }) {
                let words = member.filter { $0 > 0x20 }.split(separator: 0x3a).map(SlotReader.string)
                if words.count == 3, words[1] == "reference" { members[words[2]] = words[0] }
            }
        }
        return members
    }

    /// `c0` and `param1` of `c0-param1`.
    private static func parts(of name: String) -> (call: String, argument: Substring) {
        let parts = name.split(separator: "-", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), parts[1]) : ("", "")
    }

    private static func isText(_ value: ArraySlice<UInt8>) -> Bool {
        value.count > type.count && value.starts(with: type)
    }

    private static func withoutType(_ slot: Slot) -> Slot {
        var slot = slot
        (slot.range, slot.coding, slot.kind) = (slot.range.dropFirst(type.count), .percent, .text)
        return slot
    }

    private static let method = "-methodName"
    private static let type = Array("string:".utf8)
}
