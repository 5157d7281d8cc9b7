import Captures

extension Timestamp {
    /// As a `Date` header has it: `Thu, 26 Mar 2026 09:15:00 GMT` (IMF-fixdate; RFC 9110, section 5.6.7).
    var httpDate: String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let text = rfc3339
        let date = text.prefix(10).split(separator: "-")
        // The epoch was a Thursday.
        let day = ((seconds >= 0 ? seconds : seconds - 86_399) / 86_400 % 7 + 7) % 7
        guard date.count == 3, let month = Int(date[1]), months.indices.contains(month - 1) else {
            return text
        }
        return
            "\(weekdays[Int(day)]), \(date[2]) \(months[month - 1]) \(date[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
