/// Where in a log a message of Logbook's stands.
struct LogbookRecord {
    /// What the logger has before it.
    private let prefix: ArraySlice<UInt8>
    /// In the log.
    let start: Int
    /// Behind its last line.
    var end: Int
    let isJSON: Bool
    /// Of the line, where it has a date; Spring Boot writes the zone since its version 3.
    let time: (time: Timestamp, isZoneKnown: Bool)?

    /// What a logger has before a message is no longer.
    private static let longestPrefix = 400
    private static let longestName = 100
    /// What the text of a message begins with.
    static let marks = [
        "Incoming Request: ", "Outgoing Response: ", "Outgoing Request: ", "Incoming Response: ",
    ].map { Array($0.utf8) }
    /// What every message has in JSON, also in the text of other JSON.
    static let member = Array("correlation".utf8)

    private static let object = Array("{\"".utf8)
    private static let levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"].map { Array($0.utf8) }

    /// Nil where no message begins on a line; `line`: with its end.
    init?(_ line: ArraySlice<UInt8>) {
        let head = line.prefix(Self.longestPrefix)
        if let found = head.firstRange(of: Self.object), line.firstRange(of: Self.member) != nil {
            (start, isJSON) = (found.lowerBound, true)
        } else if let found = Self.marks.lazy.compactMap({ head.firstRange(of: $0) }).first {
            // Nothing but its name stands behind that.
            let name = LogText.withoutEnd(line[found.upperBound...])
            guard !name.isEmpty, name.count <= Self.longestName, !name.contains(0x20) else { return nil }
            (start, isJSON) = (found.lowerBound, false)
        } else {
            return nil
        }
        prefix = line[..<start]
        end = line.endIndex
        let word = String(decoding: prefix.prefix { $0 != 0x20 }, as: UTF8.self)
        time = LogText.divided(prefix).time.map { ($0, Timestamp.statesZone(rfc3339: word)) }
    }

    /// Whether a line that begins no message is no part of this one, but the logger's next.
    func ends(before line: ArraySlice<UInt8>) -> Bool {
        guard let first = prefix.first else { return isJSON && line.first == UInt8(ascii: "{") }
        if first.isASCIIDigit {
            // The same form of a time.
            let count = min(prefix.count, 8)
            return Self.withoutDigits(line.prefix(count)) == Self.withoutDigits(prefix.prefix(count))
        }
        let words = line.prefix(Self.longestPrefix).split { !$0.isASCIILetter }
        guard let level = words.first(where: { word in Self.levels.contains { $0.elementsEqual(word) } })
        else {
            return false
        }
        return line.first == first || level.startIndex == line.startIndex
    }

    private static func withoutDigits(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { $0.isASCIIDigit ? UInt8(ascii: "0") : $0 }
    }
}
