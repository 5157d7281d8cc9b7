import Captures

/// Cookies as curl and its like save them, a line each: host, whether its subdomains have it, path, whether it is for TLS only, when
/// it expires, name and value, with tabs between them, of which a paste makes spaces; and rows of the table that a browser shows of
/// them: name, value, host, path, when it expires, size.
enum CookieFileSlots {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        let isFile = marks.contains { text.firstRange(of: $0) != nil }
        guard isFile || text.contains(0x09) else { return [] }
        return text.split { $0 == 0x0a || $0 == 0x0d }.compactMap { line in
            guard line.count <= longest, let value = (isFile ? saved(line) : nil) ?? shown(line) else {
                return nil
            }
            return Slot(name: name, range: value.startIndex..<value.endIndex, kind: .text)
        }
    }

    /// Whatever it is called it is a cookie's, in a file of settings as well.
    static let name = "jsessionid"
    private static let marks = ["TRUE\t", "FALSE\t", "TRUE ", "FALSE "].map { Array($0.utf8) }
    /// In bytes, of a line.
    private static let longest = 1 << 13

    /// The value in a line of a file.
    private static func saved(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var fields = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false)
        if fields.count < 7 {
            fields = line.split(whereSeparator: \.isBlank)
            guard fields.count == 7, fields[2].first == 0x2f else { return nil }
        }
        guard isFlag(fields[1]), isFlag(fields[3]), isTime(fields[4]), fields[6].count > 1 else { return nil }
        return fields[6]
    }

    /// The value in a row of a table; a log with tabs has a time or a method in front, and a status behind the path.
    private static func shown(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let fields = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count > 5, isName(fields[0]), fields[1].count > 1, isHost(fields[2]),
            fields[3].first == 0x2f, isEnd(fields[4]),
            fields[1].count > 3 || !fields[1].allSatisfy(\.isASCIIDigit),
            !methods.contains(SlotReader.string(fields[1].prefix(8))), isSize(fields[5])
        else { return nil }
        return fields[1]
    }

    /// Whether a cookie may be called so, and no time is written so.
    private static func isName(_ field: ArraySlice<UInt8>) -> Bool {
        field.contains(where: \.isASCIILetter) && !field.contains { $0 <= 0x20 || $0 == 0x3a || $0 == 0x2f }
    }

    /// Whether it says when a cookie expires: a time of a day, or a word for the end of the session, in whatever language.
    private static func isEnd(_ field: ArraySlice<UInt8>) -> Bool {
        field.count > 9 && field.contains(0x3a) && field.contains(where: \.isASCIIDigit)
            || !field.isEmpty && field.allSatisfy { $0.isASCIILetter || $0 >= 0x80 || $0 == 0x20 }
    }

    /// How much a cookie takes; Safari says of what: `19 B`.
    private static func isSize(_ field: ArraySlice<UInt8>) -> Bool {
        let number = field.prefix(6).prefix(while: \.isASCIIDigit)
        let unit = field[number.endIndex...]
        return (1...5).contains(number.count) && (unit.isEmpty || unit.elementsEqual(" B".utf8))
    }

    private static let methods: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    private static func isHost(_ field: ArraySlice<UInt8>) -> Bool {
        field.elementsEqual("localhost".utf8)
            || field.contains(0x2e) && field.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2e || $0 == 0x2d }
    }

    /// In seconds; some programs write parts of them, and less than none for a cookie of the session.
    private static func isTime(_ field: ArraySlice<UInt8>) -> Bool {
        field.contains(where: \.isASCIIDigit)
            && field.allSatisfy { $0.isASCIIDigit || $0 == 0x2d || $0 == 0x2e }
    }

    private static func isFlag(_ field: ArraySlice<UInt8>) -> Bool {
        field.elementsEqual("TRUE".utf8) || field.elementsEqual("FALSE".utf8)
    }
}
