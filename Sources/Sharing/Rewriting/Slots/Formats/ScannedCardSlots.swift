import Captures

/// What a code to scan says of a wireless network, `WIFI:T:WPA;S:Harbour;P:Zk9!wq;;`, with the user of one for many (`I:ada`), or
/// of somebody: `MECARD:N:Quill,Ada;TEL:+49…;;`.
enum ScannedCardSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        slots(of: network, naming: ofNetworks, in: text) + slots(of: person, naming: ofPeople, in: text)
    }

    private static func slots(
        of begin: [UInt8],
        naming names: [String: String],
        in text: ArraySlice<UInt8>
    ) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let mark = rest.firstRange(of: begin) {
            rest = text[mark.upperBound...]
            var fields: [Slot] = []
            while let field = field(in: rest) {
                rest = text[field.endIndex...].dropFirst()
                let word = field.prefix { $0 != 0x3a }
                let value = field[word.endIndex...].dropFirst()
                guard let name = names[SlotReader.string(word)], !value.isEmpty else { continue }
                fields.append(Slot(name: name, range: value.startIndex..<value.endIndex, kind: .text))
            }
            // Without its end it is a word of something else.
            if rest.first == 0x3b { slots += fields }
        }
        return slots
    }

    private static let network = Array("WIFI:".utf8)
    private static let person = Array("MECARD:".utf8)
    /// By the name of a field.
    private static let ofNetworks = ["S": "ssid", "P": "password", "I": "username"]
    private static let ofPeople = [
        "N": "full_name", "SOUND": "full_name", "TEL": "phone_number", "EMAIL": "email",
        "ADR": "street_address",
        "BDAY": "birthdate", "NICKNAME": "nickname",
    ]
    /// In bytes.
    private static let longest = 256
    private static let longestName = 10

    /// A word in capital letters, a colon and a value up to the semicolon behind it, which is another one behind a backslash; nil
    /// where none begins.
    private static func field(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let word = text.prefix(longestName).prefix(while: \.isASCIILetter)
        guard !word.isEmpty, text[word.endIndex...].first == 0x3a else { return nil }
        var index = word.endIndex + 1
        let end = text.prefix(longest).endIndex
        while index < end, text[index] != 0x3b, text[index] >= 0x20 {
            index += text[index] == 0x5c ? 2 : 1
        }
        return index < end && text[index] == 0x3b ? text[text.startIndex..<index] : nil
    }
}
