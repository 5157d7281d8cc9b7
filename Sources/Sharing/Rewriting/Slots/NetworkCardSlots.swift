import Captures

/// What a code to scan says of a wireless network: `WIFI:T:WPA;S:Harbour;P:Zk9!wq;;`, with the user of one for many (`I:ada`).
enum NetworkCardSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let mark = rest.firstRange(of: begin) {
            rest = text[mark.upperBound...]
            var fields: [Slot] = []
            while let field = field(in: rest) {
                rest = text[field.endIndex...].dropFirst()
                let value = field.dropFirst(2)
                guard let name = names[field[field.startIndex]], !value.isEmpty else { continue }
                fields.append(Slot(name: name, range: value.startIndex..<value.endIndex, kind: .text))
            }
            // Without its end it is a word of something else.
            if rest.first == 0x3b { slots += fields }
        }
        return slots
    }

    private static let begin = Array("WIFI:".utf8)
    /// By the letter of a field.
    private static let names: [UInt8: String] = [0x53: "ssid", 0x50: "password", 0x49: "username"]
    /// In bytes.
    private static let longest = 256

    /// A letter, a colon and a value up to the semicolon behind it, which is another one behind a backslash; nil where none begins.
    private static func field(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let letter = text.first, letter.isASCIILetter, text.dropFirst().first == 0x3a else {
            return nil
        }
        var index = text.startIndex + 2
        let end = text.prefix(longest).endIndex
        while index < end, text[index] != 0x3b, text[index] >= 0x20 {
            index += text[index] == 0x5c ? 2 : 1
        }
        return index < end && text[index] == 0x3b ? text[text.startIndex..<index] : nil
    }
}
