import Captures

/// What Pydantic tells of the fields of a model that it does not take, each in a line of its own with the value in the line below:
/// `String should have at least 12 characters [type=string_too_short, input_value='…', input_type=str]`.
enum ValidationReports {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        var slots: [Slot] = []
        var rest = text
        while let given = rest.firstRange(of: given) {
            rest = text[given.upperBound...]
            guard let mark = rest.first, mark == 0x22 || mark == 0x27,
                let end = rest.dropFirst().prefix(longest).firstIndex(of: mark), end > given.upperBound + 1,
                let name = name(aboveLineOf: given.lowerBound, in: text)
            else { continue }
            slots.append(Slot(name: name, range: (given.upperBound + 1)..<end, kind: .text))
            rest = text[end...]
        }
        return slots
    }

    private static let given = Array("input_value=".utf8)
    /// In bytes, of a value, and of the lines around it.
    private static let longest = 1 << 9

    /// The last part of the path of a field: `user.password`, which has no space before it as the line below has.
    private static func name(aboveLineOf place: Int, in text: ArraySlice<UInt8>) -> String? {
        let before = text[..<place].suffix(longest)
        guard let newline = before.lastIndex(of: 0x0a), before[newline...].dropFirst().first == 0x20 else {
            return nil
        }
        let line = before[..<newline].split(separator: 0x0a, omittingEmptySubsequences: false).last ?? []
        guard !line.isEmpty, line.count <= 64, !line.contains(where: { $0 <= 0x20 }) else { return nil }
        return line.split(separator: 0x2e).last.map(SlotReader.string)
    }
}
