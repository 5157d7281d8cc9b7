/// A line of the log that an app prints into, with what the system has before each: Android's log (`I/flutter ( 4242): `), the
/// console of Flutter's tools (`flutter: `), a time.
struct AppLogLine {
    /// What stands before is no longer.
    private static let longestMark = 300

    /// All of it.
    let text: ArraySlice<UInt8>
    /// Of a log that writes the year; by a clock of which nobody tells the zone.
    let time: Timestamp?
    /// Without the time at its beginning.
    private let rest: ArraySlice<UInt8>

    /// Whether a time stands at its beginning.
    var isTimed: Bool { rest.count < text.count }

    /// `line`: with its end.
    init(_ line: ArraySlice<UInt8>) {
        text = LogText.withoutEnd(line)
        (time, rest) = LogText.divided(text)
    }

    /// What stands before the first of some words, and which of them it is; nil where none stands near the beginning.
    ///
    /// `words`: all begin with the same byte.
    func find(_ words: [[UInt8]]) -> (mark: Mark, word: Int)? {
        let head = rest.prefix(Self.longestMark)
        let first = words.first?.first
        for place in head.indices where head[place] == first {
            if let word = words.firstIndex(where: { rest[place...].starts(with: $0) }) {
                return (Mark(bytes: rest[..<place], isTimed: isTimed), word)
            }
        }
        return nil
    }

    /// What a tool's lines have before them.
    struct Mark {
        let bytes: ArraySlice<UInt8>
        /// Whether a time stands before it.
        let isTimed: Bool
    }

    /// What a tool printed into the line; nil where it does not begin as the tool's lines do, and is another program's.
    func content(behind mark: Mark) -> Substring? {
        guard mark.isTimed else {
            return Self.content(text, behind: mark.bytes)
        }
        return isTimed ? Self.content(rest, behind: mark.bytes) : nil
    }

    private static func content(_ line: ArraySlice<UInt8>, behind mark: ArraySlice<UInt8>) -> Substring? {
        if line.starts(with: mark) { return String(decoding: line.dropFirst(mark.count), as: UTF8.self)[...] }
        // Of an empty line the blank at its end is often taken away.
        return line.count == mark.count - 1 && mark.starts(with: line) ? "" : nil
    }
}
