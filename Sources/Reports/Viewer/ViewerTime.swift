import Captures
import JSON

/// Times as the viewer reads them.
enum ViewerTime {
    /// Milliseconds with three decimals; none of a time that is not known.
    static func milliseconds(_ time: Timestamp, since start: Timestamp) -> JSONValue {
        guard time.isKnown == start.isKnown else { return 0 }
        let microseconds = (time - start) / .microseconds(1)
        return .number(JSONNumber(text: String(Double(microseconds.rounded()) / 1000)))
    }
}
