import Captures
import Foundation

extension Timestamp {
    /// As a server writes it into `Date`.
    var httpDate: String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }
}
