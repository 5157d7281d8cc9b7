/// Dates of HTTP (RFC 9110, section 5.6.7).
extension Timestamp {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// From the day on which the epoch began.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// As a `Date` header has it: `Thu, 26 Mar 2026 09:15:00 GMT` (IMF-fixdate).
    package var httpDate: String {
        let text = rfc3339
        let day = Self.day(at: seconds)
        let weekday = Self.weekdays[Int((day % 7 + 7) % 7)]
        let month = Self.months[Int(Self.civil(fromDay: day).month) - 1]
        return
            "\(weekday), \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
    }

    /// The time of a `Date` or `Expires` header (RFC 9110, section 5.6.7): IMF-fixdate and the two obsolete
    /// forms.
    package init?(httpDate text: String) {
        guard let parts = Self.parts(ofHTTPDate: text) else { return nil }
        self.init(statedSeconds: parts.seconds)
    }

    /// The same where no `Timestamp` holds it.
    static func parts(ofHTTPDate text: String) -> Parts? {
        let words = text.split(whereSeparator: { " ,-".contains($0) }).map(String.init)
        guard words.count >= 5, let clock = words.first(where: { $0.utf8.contains(0x3a) }) else { return nil }
        let isAsctime = words[3] == clock
        let dayText = isAsctime ? words[2] : words[1]
        let monthText = isAsctime ? words[1] : words[2]
        let yearText = isAsctime ? words[4] : words[3]
        let parts = clock.split(separator: ":").compactMap { Int64($0) }
        guard let day = Int64(dayText),
            let month = Self.months.firstIndex(where: String(monthText.prefix(3)).equalsIgnoringASCIICase),
            var year = Int64(yearText), parts.count == 3, (1...31).contains(day), (0..<24).contains(parts[0]),
            (0..<60).contains(parts[1]), (0..<61).contains(parts[2]), (0..<10000).contains(year)
        else { return nil }
        if yearText.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        let total = Self.day(year, Int64(month) + 1, day) * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]
        return Self.years.contains(total) ? (total, 0) : nil
    }
}
