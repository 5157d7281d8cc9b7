import Captures
import JSON

/// Times as the viewer reads them.
enum ViewerTime {
    /// Milliseconds with three decimals.
    static func milliseconds(_ time: Timestamp, since start: Timestamp) -> JSONValue {
        let microseconds = (time - start) / .microseconds(1)
        return .number(JSONNumber(text: String(Double(microseconds.rounded()) / 1000)))
    }
}
