import Captures

/// The password that Google's pages send without a name, by its place in a list of lists:
/// `f.req=["AEThL…",null,1,null,[1,null,null,null,["Zk9!wq",null,true]]]`.
enum GoogleChallenges {
    /// The slots, with the name of what is such a password.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.first(where: { $0 > 0x20 }) == 0x5b else { return slots }
        let places = Set(Bytes.places(behind: before, in: Array(text)).map { text.startIndex + $0 })
        guard !places.isEmpty else { return slots }
        return slots.map { slot in
            guard places.contains(slot.range.lowerBound),
                text[slot.range.upperBound...].starts(with: behind)
            else { return slot }
            var slot = slot
            slot.name = "password"
            return slot
        }
    }

    private static let before = Array(#"[1,null,null,null,[""#.utf8)
    private static let behind = Array(#"",null,true]"#.utf8)
}
