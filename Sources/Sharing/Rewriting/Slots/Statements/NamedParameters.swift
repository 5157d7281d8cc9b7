import Captures

/// What Entity Framework Core logs before a statement of what was put in for its parameters, by the columns that these stand for:
/// `[Parameters=[@p0='ada' (Size = 256)], CommandType='Text']`, and below it `INSERT INTO [Users] ([UserName]) VALUES (@p0)`.
enum NamedParameters {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.count >= shortest else { return [] }
        let starts = Bytes.places(behind: Array("[Parameters=[".utf8), in: Array(text)).map {
            text.startIndex + $0
        }
        return starts.indices.flatMap { number -> [Slot] in
            let end = number + 1 < starts.count ? starts[number + 1] : text.endIndex
            let line = text[starts[number]..<end].prefix(longestLine).prefix { $0 != 0x0a }
            let given = values(of: line)
            guard !given.isEmpty,
                let statement = statement(in: text[line.endIndex..<end].prefix(longestStatement))
            else { return [] }
            let columns = BindingSlots.columnsByName(of: statement)
            return given.compactMap { name, value in
                guard let column = columns[name], DatabaseSlots.isTelling(column) else { return nil }
                return Slot(name: column, range: value.startIndex..<value.endIndex)
            }
        }
    }

    /// In bytes: nothing is put in for a parameter in fewer.
    private static let shortest = 40
    /// In bytes, of the parameters and of a statement.
    private static let longestLine = 1 << 12
    private static let longestStatement = 1 << 13

    /// The values between quotation marks; `@p1=NULL` has none, and `'?'` is what stands for those that are not logged.
    private static func values(of line: ArraySlice<UInt8>) -> [(name: String, value: ArraySlice<UInt8>)] {
        var values: [(String, ArraySlice<UInt8>)] = []
        var rest = line
        while rest.first == 0x40 {
            let name = rest.dropFirst().prefix(while: \.isASCIIWordByte)
            var next = line[name.endIndex...]
            if next.starts(with: "='".utf8) {
                let value = BindingSlots.beforeApostrophe(next.dropFirst(2))
                if value.count > 1 { values.append((SlotReader.string(name), value)) }
                next = line[value.endIndex...]
            }
            rest =
                next.firstRange(of: Array(", @".utf8)).map { line[($0.upperBound - 1)...] } ?? next.prefix(0)
        }
        return values
    }

    /// From the first line on that begins with what a statement does.
    private static func statement(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        text.split(separator: 0x0a).first { line in
            let word = SlotReader.string(line.drop { $0 <= 0x20 }.prefix(7)).lowercased()
            return verbs.contains(where: word.hasPrefix)
        }.map { line in text[line.startIndex...].drop { $0 <= 0x20 } }
    }

    private static let verbs = ["delete ", "insert ", "select ", "update "]
}
