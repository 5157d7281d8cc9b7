import Captures

/// Spans of time in words.
enum Span {
    /// As `7 s`, `12 min`, `3 h 20 min`.
    static func text(_ seconds: Int64) -> String {
        let seconds = seconds.magnitude
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 {
            return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
        }
        if seconds < 172_800 {
            let minutes = seconds % 3600 / 60
            return minutes == 0 ? "\(seconds / 3600) h" : "\(seconds / 3600) h \(minutes) min"
        }
        return "\(seconds / 86_400) days"
    }
}

extension Duration {
    /// In words for a note: `240 ms`, `12 s`, `2 h 5 min`, `31 days`.
    var words: String {
        components.seconds < 2 ? "\(wholeMilliseconds) ms" : Span.text(components.seconds)
    }
}
