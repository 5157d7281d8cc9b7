import Captures

/// A text of a program's log: lines that begin with a time of day, or with how much they matter, or a text that begins with
/// whose it is between brackets.
///
/// Where it holds JSON it looks like a script, and what stands beside that is said in words all the same.
enum LogText {
    static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
        guard !TextKind.opensDocument(text) else { return false }
        if beginsWithMark(text) { return true }
        return text.prefix(longestHead).split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).prefix(mostLines)
            .contains { beginsWithLevel($0) || beginsWithTime($0) }
    }

    /// Whether a text begins as `[auth] …` or `[2026-03-25] …` does, with no operator behind that as programs have it.
    private static func beginsWithMark(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == 0x5b else { return false }
        let mark = text.dropFirst().prefix(longestBeginning).prefix {
            $0.isASCIIWordByte || [0x20, 0x2d, 0x2e, 0x2f, 0x3a, 0x40].contains($0)
        }
        let rest = text[mark.endIndex...].prefix(3)
        guard mark.contains(where: \.isASCIIAlphanumeric), rest.starts(with: [0x5d, 0x20]),
            let next = rest.last
        else { return false }
        return next.isASCIIAlphanumeric || next >= 0x80 || [0x22, 0x28, 0x5b, 0x7b].contains(next)
    }

    /// Whether a line begins as `DEBUG: …` or `[INFO] …` does.
    private static func beginsWithLevel(_ line: ArraySlice<UInt8>) -> Bool {
        let own = line.first == 0x5b ? line.dropFirst() : line
        let word = own.prefix { (0x41...0x5a).contains($0) }
        return levels.contains(SlotReader.string(word.prefix(longestLevel + 1)))
            && own[word.endIndex...].first.map { [0x20, 0x3a, 0x5d].contains($0) } ?? false
    }

    private static let levels: Set<String> = [
        "CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO", "NOTICE", "TRACE", "WARN", "WARNING",
    ]
    /// In bytes.
    private static let longestLevel = 8

    private static let mostLines = 4
    /// In bytes, of these lines.
    private static let longestHead = 1 << 12
    /// In bytes, of a line: a date, a level and a time stand in it.
    private static let longestBeginning = 40

    /// Whether `09:15:00` stands at the beginning of a line, with a date and words without marks at most before it.
    private static func beginsWithTime(_ line: ArraySlice<UInt8>) -> Bool {
        // `// built 2026-03-26 09:15:00` is a comment of a program.
        guard line.first != 0x2f else { return false }
        let head = line.prefix(longestBeginning).prefix {
            $0.isASCIIAlphanumeric || [0x20, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x3a, 0x5b].contains($0)
        }
        guard head.count >= 8 else { return false }
        return (head.startIndex...(head.endIndex - 8)).contains { start in
            let time = head[start..<(start + 8)]
            let isFree = start == head.startIndex || !head[start - 1].isASCIIDigit
            return isFree
                && time.indices.allSatisfy { place in
                    (place - start) % 3 == 2 ? time[place] == 0x3a : time[place].isASCIIDigit
                }
        }
    }
}
