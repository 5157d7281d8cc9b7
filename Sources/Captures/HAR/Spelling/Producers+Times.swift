import JSON

/// When an exchange began, in the forms that occur.
extension Producers {
    /// `startedDateTime`; nil where there is none that is understood.
    static func start(of entry: JSONObject) -> (time: Timestamp, isZoneKnown: Bool)? {
        start(entry["startedDateTime"])
    }

    /// The same of a time that is told elsewhere.
    static func start(_ value: JSONValue?) -> (time: Timestamp, isZoneKnown: Bool)? {
        switch untyped(value) {
        case .string(let text):
            if let time = Timestamp(rfc3339: text) {
                return (time, Timestamp.statesZone(rfc3339: text))
            }
            return otherForm(of: text)
        case .number(let number): return number.double.flatMap(sinceEpoch).map { ($0, true) }
        // As databases export what is a time to them: `{"$date":"…"}`, `{"$date":{"$numberLong":"1772618048356"}}`.
        case .object(let object): return start(object["$date"])
        default: return nil
        }
    }

    /// Seconds, milli-, micro- or nanoseconds since 1970, told apart by their size: all are between 1980 and 2250.
    private static func sinceEpoch(_ number: Double) -> Timestamp? {
        for (unit, scale) in [(1.0, 1e9), (1e3, 1e6), (1e6, 1e3), (1e9, 1.0)]
        where number >= 3e8 * unit && number < 8.8e9 * unit {
            // What is left of a number that large are not quite microseconds.
            let isExact = scale == 1
            return Timestamp(
                nanoseconds: isExact ? Int64(number) : Int64((number * (scale / 1e3)).rounded()) * 1000
            )
        }
        return nil
    }

    private static func otherForm(of text: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 100 else { return nil }
        if let time = Double(text).flatMap(sinceEpoch) { return (time, true) }
        // .NET: `/Date(1741082048356+0100)/`; the offset is for display.
        if text.containsBytes("Date("), let open = bytes.firstIndex(of: 0x28) {
            let digits = bytes[(open + 1)...].prefix { $0.isASCIIDigit }
            return Double(String(decoding: digits, as: UTF8.self)).flatMap(sinceEpoch).map { ($0, true) }
        }
        if let first = bytes.first, first.isASCIIDigit { return numeric(bytes) ?? ofLog(text) }
        // `Date.prototype.toString`: the month before the day, the zone in the middle.
        if let time = ofScript(text) { return (time, true) }
        if let time = ofDate(text) ?? ofMonthFirst(text) { return time }
        return ofMail(text)
    }

    /// Year first, with parts that RFC 3339 does not allow: slashes, no seconds, zones as words, hours as one digit, or ISO
    /// 8601's basic format, which has nothing between the numbers.
    private static func numeric(_ bytes: [UInt8]) -> (time: Timestamp, isZoneKnown: Bool)? {
        var rest = bytes[...]
        func digits(_ most: Int) -> String? {
            let found = rest.prefix(most).prefix { $0.isASCIIDigit }
            rest = rest[found.endIndex...]
            return found.isEmpty ? nil : String(decoding: found, as: UTF8.self)
        }
        func passes(_ allowed: [UInt8]) -> Bool {
            guard let byte = rest.first, allowed.contains(byte) else { return false }
            rest.removeFirst()
            return true
        }
        func padded(_ text: String) -> String { text.utf8.count == 1 ? "0" + text : text }
        let isBasic = bytes.prefix(8).allSatisfy { $0.isASCIIDigit }
        guard let year = digits(4), year.utf8.count == 4, isBasic || passes([0x2d, 0x2f, 0x2e]),
            let month = digits(2), isBasic || passes([0x2d, 0x2f, 0x2e]), let day = digits(2)
        else { return nil }
        var clock = ["00", "00", "00"]
        var fraction = ""
        if passes([0x54, 0x74, 0x20, 0x5f]) || isBasic && rest.count >= 6 {
            while passes([0x20]) {}
            for index in 0..<3 {
                guard
                    index == 0 || passes([0x3a])
                        || rest.first.map({ isBasic && $0 >= 0x30 && $0 <= 0x39 }) ?? false
                else { break }
                guard let part = digits(2) else { return nil }
                clock[index] = padded(part)
            }
            if passes([0x2e, 0x2c, 0x3a]) { fraction = "." + (digits(30) ?? "0") }
        }
        // Java names the zone in brackets as well, Go behind its offset, with the reading of another clock.
        var words = rest.prefix { $0 != 0x5b }.split(separator: 0x20)
        if let offset = words.first?.first, offset == 0x2b || offset == 0x2d { words = [words[0]] }
        let zone = String(decoding: words.joined().filter { $0 != 0x3a }, as: UTF8.self)
            .uppercased().replacing("\u{2212}", with: "-")
        let text = "\(year)-\(padded(month))-\(padded(day))T\(clock.joined(separator: ":"))\(fraction)"
        if let offset = offset(of: zone) {
            return Timestamp(rfc3339: text + offset).map { ($0, !offset.isEmpty) }
        }
        guard let hours = zones[zone] else { return nil }
        return Timestamp(rfc3339: text + "Z").map { ($0 - .seconds(hours * 3600), true) }
    }

    /// As RFC 3339 spells it; empty for none, nil for what is none.
    private static func offset(of zone: String) -> String? {
        var zone = zone
        for word in ["GMT", "UTC"] where zone.hasPrefix(word) {
            zone = String(zone.dropFirst(3)) + (zone == word ? "Z" : "")
        }
        if zone.isEmpty || zone == "Z" { return zone }
        let digits = zone.utf8.dropFirst()
        guard zone.hasPrefix("+") || zone.hasPrefix("-"), digits.allSatisfy({ $0.isASCIIDigit })
        else {
            return nil
        }
        switch digits.count {
        case 1: return "\(zone.prefix(1))0\(zone.dropFirst())00"
        case 2: return zone + "00"
        case 4: return zone
        default: return nil
        }
    }

    /// `Wed Mar 04 2026 10:54:08 GMT+0100 (CET)`.
    private static func ofScript(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 6, words[4].utf8.contains(0x3a), words[5].hasPrefix("GMT"),
            let local = Timestamp(
                httpDate: "\(words[0]), \(words[2]) \(words[1]) \(words[3]) \(words[4]) GMT"
            ),
            let offset = offset(of: words[5])
        else { return nil }
        return local - .seconds(seconds(of: offset) ?? 0)
    }

    /// `Wed, 04 Mar 2026 10:54:08 +0100`, as mails have it, or with the words of `Date` before the offset.
    private static func ofMail(_ text: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count > 5, words[0].hasSuffix(","), words[4].utf8.contains(0x3a) else {
            return Timestamp(httpDate: text).map { ($0, true) }
        }
        let zone = words[5].uppercased().filter { $0 != ":" }
        guard let local = Timestamp(httpDate: words[..<5].joined(separator: " ") + " GMT"),
            let ahead = offset(of: zone).map({ seconds(of: $0) ?? 0 }) ?? zones[zone].map({ $0 * 3600 })
        else { return nil }
        return (local - .seconds(ahead), true)
    }

    /// `04/Mar/2026:10:54:08 +0100`, as web servers log it.
    private static func ofLog(_ text: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        let parts = text.split(separator: "/", maxSplits: 2)
        guard parts.count == 3, let colon = parts[2].firstIndex(of: ":") else { return nil }
        let clock = parts[2][colon...].dropFirst()
        return ofMail("Day, \(parts[0]) \(parts[1]) \(parts[2][..<colon]) \(clock)")
    }

    /// `Mar 4, 2026, 10:54:08 AM`, as Java writes it where nobody names a form; newer ones with a narrow blank.
    private static func ofMonthFirst(_ text: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        let words = text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(String.init)
        guard words.count == 5, ["AM", "PM"].contains(words[4].uppercased()),
            let colon = words[3].firstIndex(of: ":"), let hour = Int(words[3][..<colon]),
            (1...12).contains(hour)
        else { return nil }
        let clock = "\(hour % 12 + (words[4].uppercased() == "PM" ? 12 : 0))\(words[3][colon...])"
        return Timestamp(httpDate: "Day, \(words[1]) \(words[0]) \(words[2]) \(clock) GMT").map {
            ($0, false)
        }
    }

    /// Those of `+0130`; nil for `Z` and for none.
    private static func seconds(of offset: String) -> Int64? {
        guard offset.utf8.count == 5, let hours = Int64(offset.prefix(3)),
            let minutes = Int64(offset.suffix(2))
        else { return nil }
        return hours * 3600 + (offset.hasPrefix("-") ? -minutes : minutes) * 60
    }

    /// `Wed Mar 04 10:54:08 CET 2026`, as Java and `date` write it.
    private static func ofDate(_ text: String) -> (time: Timestamp, isZoneKnown: Bool)? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, words[3].utf8.contains(0x3a), words[5].utf8.count == 4,
            let local = Timestamp(
                httpDate: "\(words[0]), \(words[2]) \(words[1]) \(words[5]) \(words[3]) GMT"
            )
        else { return nil }
        if let hours = zones[words[4].uppercased()] { return (local - .seconds(hours * 3600), true) }
        let offset = offset(of: words[4].uppercased().filter { $0 != ":" }).flatMap(seconds(of:))
        return (local - .seconds(offset ?? 0), offset != nil)
    }

    /// Hours ahead of UTC, of zones whose letters stand for no other (as those of `CST` and `IST` do).
    private static let zones: [String: Int64] = [
        "UTC": 0, "GMT": 0, "Z": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9,
        "KST": 9,
        "AEST": 10, "AEDT": 11, "EST": -5, "EDT": -4, "CDT": -5, "MDT": -6, "PST": -8, "PDT": -7,
    ]
}
