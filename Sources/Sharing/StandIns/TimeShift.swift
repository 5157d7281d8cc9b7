import Captures

/// Moves the times in a text, all by the same number of seconds: seconds, milliseconds and microseconds since the epoch,
/// times and dates of RFC 3339, dates of HTTP (RFC 9110, section 5.6.7) also as old cookies spell them, times without marks
/// (X.680, section 46), and dates as people write them.
///
/// Each keeps its form. Numbers of digits keep their length; days and months may lose or gain a digit where they are written
/// without zeros in front (`9.3.2026`, `9 March 2026`), names of months and weekdays have their own length, and so has what is
/// behind the digits of an ordinal. Times that have nothing to do with the capture stay: those of 1970, by which cookies are
/// removed, in a capture of today.
package struct TimeShift: Sendable {
    /// Seconds.
    let offset: Int64
    /// Seconds since the epoch of what is a time of the capture.
    private let window: ClosedRange<Int64>

    private static let day: Int64 = 86400
    private static let year: Int64 = 365 * day

    /// An offset into the past.
    ///
    /// `first`, `last`: when exchanges of the capture began.
    /// `draw`: any number; it decides how far.
    init(first: Timestamp, last: Timestamp, draw: UInt64) {
        // To the past: what will run out one day has run out, and nothing is of tomorrow.
        offset = -(30 * Self.day + Int64(draw % UInt64(4 * Self.year)))
        // Registrations are older than logins, and refresh tokens are made for years.
        window = (first.seconds - 5 * Self.year)...(last.seconds + 20 * Self.year)
    }

    /// The text with its times moved; nil where there are none.
    func shifting(_ text: [UInt8]) -> [UInt8]? {
        var moved: Set<[UInt8]> = []
        return shifting(text, moved: &moved) { _ in false }
    }

    /// The text with its times moved; nil where there are none.
    ///
    /// `moved`: times that were moved before, in the same text around an encoding, which stay as they are; gets those that
    /// are moved now.
    /// `isTaken`: what stands there is no time, whatever it looks like.
    func shifting(_ text: [UInt8], moved: inout Set<[UInt8]>, isTaken: (Range<Int>) -> Bool) -> [UInt8]? {
        guard text.count >= Self.shortest else { return nil }
        var output = Splicer(text)
        var fresh: Set<[UInt8]> = []
        defer { moved.formUnion(fresh) }
        var index = 0
        while index < text.count {
            guard let (length, other) = time(at: index, in: text),
                !moved.contains(Array(text[index..<(index + length)])), !isTaken(index..<(index + length))
            else {
                index += 1
                continue
            }
            fresh.insert(other)
            output.replace(index..<(index + length), with: other)
            index += length
        }
        return output.finished()
    }

    /// `9.3.2026`.
    private static let shortest = 8

    private func time(at index: Int, in text: [UInt8]) -> (length: Int, other: [UInt8])? {
        let byte = text[index]
        if byte.isASCIIDigit {
            guard index == 0 || Self.mayPrecede(text[index - 1]) else { return nil }
            return date(at: index, in: text) ?? number(at: index, in: text)
                ?? timeWithoutMarks(at: index, in: text) ?? writtenDate(at: index, in: text)
        }
        guard byte.isASCIILetter else { return nil }
        return dateOfHTTP(at: index, in: text) ?? writtenDate(at: index, in: text)
    }

    // MARK: - Since the epoch

    private func number(at index: Int, in text: [UInt8]) -> (Int, [UInt8])? {
        var value: Int64 = 0
        var end = index
        while end < text.count, text[end].isASCIIDigit, end - index < 17 {
            value = value * 10 + Int64(text[end] - 0x30)
            end += 1
        }
        guard let scale: Int64 = [10: 1, 13: 1000, 16: 1_000_000][end - index],
            end == text.count || !text[end].isASCIIWordByte, window.contains(value / scale),
            value + offset * scale >= 0
        else { return nil }
        return (end - index, Array(String(value + offset * scale).utf8))
    }

    // MARK: - RFC 3339

    private func date(at index: Int, in text: [UInt8]) -> (Int, [UInt8])? {
        guard Self.matches("0000-00-00", at: index, in: text) else { return nil }
        let hasTime =
            index + 10 < text.count && (text[index + 10] | 0x20 == 0x74 || text[index + 10] == 0x20)
            && Self.matches("00:00:00", at: index + 11, in: text)
        let end = index + (hasTime ? 19 : 10)
        guard end == text.count || !text[end].isASCIIDigit else { return nil }
        let day = String(decoding: text[index..<(index + 10)], as: UTF8.self)
        let clock = hasTime ? String(decoding: text[(index + 11)..<end], as: UTF8.self) : "00:00:00"
        guard let time = Timestamp(rfc3339: "\(day)T\(clock)Z"), window.contains(time.seconds) else {
            return nil
        }
        var other = Array(Timestamp(seconds: time.seconds + offset).rfc3339.utf8.prefix(end - index))
        if hasTime { other[10] = text[index + 10] }
        return (end - index, other)
    }

    /// `20260309090000Z`, as directories have it, and `20260309T090000Z`, as signatures of requests do.
    private func timeWithoutMarks(at index: Int, in text: [UInt8]) -> (Int, [UInt8])? {
        let isParted = Self.matches("00000000T000000Z", at: index, in: text)
        guard isParted || Self.matches("00000000000000Z", at: index, in: text) else { return nil }
        let count = isParted ? 16 : 15
        let digits = text[index..<(index + count)].filter(\.isASCIIDigit)
        let part = { (range: Range<Int>) in String(decoding: digits[range], as: UTF8.self) }
        let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        guard let time = Timestamp(rfc3339: "\(day)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"),
            window.contains(time.seconds)
        else { return nil }
        let other = Timestamp(seconds: time.seconds + offset).rfc3339.utf8.prefix(19).filter {
            $0.isASCIIDigit || isParted && $0 == 0x54
        }
        return (count, other + [0x5a])
    }

    // MARK: - Words

    private func writtenDate(at index: Int, in text: [UInt8]) -> (Int, [UInt8])? {
        guard index == 0 || !text[index - 1].isASCIIWordByte && text[index - 1] < 0x80,
            let date = WrittenDate(at: index, in: text), window.contains(date.time.seconds)
        else { return nil }
        return (date.end - index, date.moved(to: Timestamp(seconds: date.time.seconds + offset)))
    }

    // MARK: - HTTP

    private func dateOfHTTP(at index: Int, in text: [UInt8]) -> (Int, [UInt8])? {
        guard index + 3 < text.count, text[index + 3] == 0x2c else { return nil }
        let isOld = Self.matches("aaa, 00-aaa-0000 00:00:00", at: index, in: text)
        guard isOld || Self.matches("aaa, 00 aaa 0000 00:00:00", at: index, in: text) else { return nil }
        let words = String(decoding: text[index..<(index + 25)], as: UTF8.self)
        guard let time = Timestamp(httpDate: words + " GMT"), window.contains(time.seconds) else {
            return nil
        }
        var other = Array(Timestamp(seconds: time.seconds + offset).httpDate.utf8.prefix(25))
        if isOld { (other[7], other[11]) = (0x2d, 0x2d) }
        return (25, other)
    }

    // MARK: - Bytes

    /// Whether a text has digits and letters where a pattern has `0` and `a`, and is equal otherwise.
    static func matches(_ pattern: StaticString, at index: Int, in text: [UInt8]) -> Bool {
        let count = pattern.utf8CodeUnitCount
        guard index + count <= text.count else { return false }
        return (0..<count).allSatisfy { place in
            let (wanted, byte) = (pattern.utf8Start[place], text[index + place])
            switch wanted {
            case 0x30: return byte.isASCIIDigit
            case 0x61: return byte.isASCIILetter
            default: return wanted == byte
            }
        }
    }

    /// Not behind a letter or digit, the sign of a telephone number, or a decimal point.
    private static func mayPrecede(_ byte: UInt8) -> Bool {
        !byte.isASCIIWordByte && byte != 0x2b && byte != 0x2e
    }
}
