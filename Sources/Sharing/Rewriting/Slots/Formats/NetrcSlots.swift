import Captures

/// Who signs in at which host, as the file has it that curl and git read: `machine api.example login ada password Kestrel`, in one line
/// or in several.
enum NetrcSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count <= longest, text.firstRange(of: machine + [0x20]) != nil else { return [] }
        let words = text.split { $0 <= 0x20 }
        var slots: [Slot] = []
        var isOfHost = false
        var place = 0
        while place + 1 < words.count {
            let (word, value) = (words[place], words[place + 1])
            let name = names[SlotReader.string(word.prefix(longestWord))]
            // The host, and right behind it what is known of it.
            let isHost = word.elementsEqual(machine) && value.contains(0x2e)
            if isOfHost, let name { slots.append(Slot(name: name, range: value.startIndex..<value.endIndex)) }
            isOfHost = isHost || isOfHost && name != nil
            place += isOfHost ? 2 : 1
        }
        return slots
    }

    private static let machine = Array("machine".utf8)
    private static let names = ["login": "username", "account": "username", "password": "password"]
    /// In bytes.
    private static let longest = 1 << 14
    private static let longestWord = 9
}
