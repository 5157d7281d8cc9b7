extension Timestamp {
    /// RFC 3339 in UTC with microseconds: `2026-03-04T09:54:08.356000Z`.
    package var rfc3339: String { Self.rfc3339(of: parts) }

    /// Appends what ``rfc3339`` says.
    func append(to out: inout [UInt8]) { Self.append(parts, to: &out) }

    /// The same form for years that no `Timestamp` holds.
    static func rfc3339(of parts: Parts) -> String {
        var bytes: [UInt8] = []
        append(parts, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ parts: Parts, to out: inout [UInt8]) {
        let (total, fraction) = parts
        let day = Self.day(at: total)
        let second = total - day * 86400
        let (year, month, dayOfMonth) = civil(fromDay: day)
        for (value, width, end) in [
            (year, 4, UInt8(ascii: "-")), (month, 2, UInt8(ascii: "-")), (dayOfMonth, 2, UInt8(ascii: "T")),
            (second / 3600, 2, UInt8(ascii: ":")), (second / 60 % 60, 2, UInt8(ascii: ":")),
            (second % 60, 2, UInt8(ascii: ".")), (fraction / 1000, 6, UInt8(ascii: "Z")),
        ] {
            DecimalText.append(Int(value), width: width, to: &out)
            out.append(end)
        }
    }

    /// The time that `startedDateTime` spells: RFC 3339 with any number of fraction digits, any offset or
    /// none (then UTC).
    package init?(rfc3339 text: String) {
        guard let parts = Self.parts(ofRFC3339: text), let whole = Timestamp(statedSeconds: parts.seconds)
        else { return nil }
        self.init(nanoseconds: whole.nanoseconds + parts.nanoseconds)
    }

    /// The same where no `Timestamp` holds it.
    static func parts(ofRFC3339 text: String) -> Parts? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, let year = Self.number(bytes[0..<4]), bytes[4] == 0x2d,
            let month = Self.number(bytes[5..<7]), bytes[7] == 0x2d, let day = Self.number(bytes[8..<10]),
            bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20, let hour = Self.number(bytes[11..<13]),
            bytes[13] == 0x3a,
            let minute = Self.number(bytes[14..<16]), bytes[16] == 0x3a,
            let second = Self.number(bytes[17..<19]),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == 0x2e || rest.first == 0x2c {
            rest = rest.dropFirst()
            var scale: Int64 = 100_000_000
            while let byte = rest.first, byte.isASCIIDigit {
                fraction += Int64(byte - 0x30) * scale
                scale /= 10
                rest = rest.dropFirst()
            }
        }
        var offset: Int64 = 0
        if let sign = rest.first, sign == 0x2b || sign == 0x2d {
            let digits = rest.dropFirst().filter { $0 != 0x3a }
            guard digits.count == 4, let hours = Self.number(digits[0..<2]),
                let minutes = Self.number(digits[2..<4])
            else {
                return nil
            }
            offset = (hours * 3600 + minutes * 60) * (sign == 0x2d ? -1 : 1)
        } else if let zone = rest.first, zone | 0x20 != 0x7a || rest.count > 1 {
            return nil
        }
        let total = Self.day(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return Self.years.contains(total) ? (total, fraction) : nil
    }

    /// Whether a time of RFC 3339 says how it lies to UTC, as the RFC wants it (section 4.3).
    package static func statesZone(rfc3339 text: String) -> Bool {
        text.utf8.dropFirst(19).contains { $0 | 0x20 == 0x7a || $0 == 0x2b || $0 == 0x2d }
    }

    /// Seconds since the epoch of the years 0 to 9999.
    static let years: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    // MARK: - The proleptic Gregorian calendar, counted from a March so that leap days come last

    static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Days since the epoch at so many seconds since it.
    static func day(at seconds: Int64) -> Int64 { (seconds >= 0 ? seconds : seconds - 86399) / 86400 }

    static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int64? {
        var value: Int64 = 0
        for byte in digits {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }
}
