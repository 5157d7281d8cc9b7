import Captures

/// Who signed in, in a log whose comments name the fields of its lines (W3C, Extended Log File Format), as IIS writes it:
/// `#Fields: date time cs-username c-ip`.
enum ExtendedLog {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.first == 0x23 else { return [] }
        var slots: [Slot] = []
        // The place among the fields of a line.
        var user: Int?
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            if line.first == 0x23 {
                guard line.starts(with: fields.utf8) else { continue }
                let names = line.dropFirst(fields.utf8.count).prefix(longest).split(separator: 0x20)
                user = names.firstIndex { $0.elementsEqual("cs-username".utf8) }
            } else if let user {
                let values = line.split(separator: 0x20, maxSplits: user + 1)
                // `CORP\ada`: the domain is nobody.
                guard values.indices.contains(user), !values[user].elementsEqual("-".utf8),
                    let value = values[user].split(separator: 0x5c).last
                else { continue }
                slots.append(Slot(name: "username", range: value.startIndex..<value.endIndex, kind: .text))
            }
        }
        return slots
    }

    private static let fields = "#Fields: "
    /// In bytes, of the names of the fields.
    private static let longest = 2048
}
