import Captures

/// The names of people beside their addresses for mail in lists without names, as Google's pages are sent them:
/// `[null, "Ada Quill", "https://…/photo", "ada@mail.example"]`.
enum ListedPeople {
    /// The slots, with the names of those that are called by nothing but their list.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        var slots = slots
        for place in slots.indices where !slots[place].isNumber && isAddress(text[slots[place].range]) {
            for other in max(0, place - reach)..<min(slots.count, place + reach + 1) where other != place {
                guard !slots[other].isNumber, slots[other].name == slots[place].name,
                    areInOneList(slots[other].range, slots[place].range, in: text),
                    GreetingSlots.name(in: text[slots[other].range], coding: .escapes) != nil
                else { continue }
                slots[other].name = "display_name"
            }
        }
        return slots
    }

    /// In texts of the list: a picture stands between at most.
    private static let reach = 2
    /// In bytes (RFC 5321, section 4.5.3.1.3).
    private static let longestAddress = 254
    private static let longestGap = 1 << 10

    /// Whether a text is somebody's address as a whole.
    private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= longestAddress, let at = text.firstIndex(of: 0x40), at > text.startIndex,
            text[at...].contains(0x2e),
            text.allSatisfy({
                $0.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2e, 0x40, 0x5f].contains($0)
            })
        else { return false }
        return !MailboxSlots.isOfNobody(text[..<at])
    }

    /// Whether no list or object begins or ends between two texts, and neither is a member's value.
    private static func areInOneList(_ one: Range<Int>, _ other: Range<Int>, in text: ArraySlice<UInt8>)
        -> Bool
    {
        let (start, end) = (
            min(one.upperBound, other.upperBound), max(one.lowerBound, other.lowerBound)
        )
        guard start < end, end - start <= longestGap else { return false }
        return !text[start..<end].contains { [0x5b, 0x5d, 0x7b, 0x7d].contains($0) }
            && text[start..<end].firstRange(of: Array("\":".utf8)) == nil
    }
}
