import Captures
import Diagnosis
import Flows

/// What stands at the place of evidence of which the rules show the beginning and the length only.
enum ViewerEvidence {
    /// The value in full; nil where the capture has none of this beginning and this length there.
    ///
    /// `evidence`: with a value as ``Masking`` cuts it, `dBjf…(43)`.
    static func full(_ evidence: Evidence, in capture: Capture) -> String? {
        guard let index = evidence.place.exchange, capture.indices.contains(index),
            let cut = evidence.value.wholeMatch(of: /(?s)(.*)…\((\d{1,9})\)/)
        else { return nil }
        let beginning = String(cut.output.1)
        var collector = OccurrenceCollector()
        let values = collector.occurrences(in: capture[index], at: index).flatMap { occurrence in
            [occurrence.value, occurrence.rawValue].map { (place: occurrence.place, text: $0) }
        }
        let fitting = values.filter {
            $0.text.hasPrefix(beginning) && Int(cut.output.2) == $0.text.unicodeScalars.count
        }
        // Credentials have names of their own in their field.
        return (fitting.first { $0.place == evidence.place } ?? fitting.first)?.text
    }
}
