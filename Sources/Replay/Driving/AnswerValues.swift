import Captures
import Flows

/// What an answer issues, by the place at which it stands.
enum AnswerValues {
    private struct Key: Hashable {
        var part: Place.Part
        var name: String
        /// Among those of the same name.
        var number: Int
    }

    /// Binds each value of a recorded answer to the one at the same place of the new answer.
    ///
    /// `isMetadata`: of a provider's metadata only the addresses count; what it supports are words of the protocol, and
    /// a client that says one of them means that one. `own`: values that the client had of its own, and that answers only
    /// say again. `isSource`: something of the answer is planned to be used; of a file that is none and is still the same,
    /// nothing is.
    static func bind(
        _ recorded: Exchange,
        at index: Int,
        to live: Exchange,
        isMetadata: Bool = false,
        isSource: Bool = true,
        in values: inout RunValues,
        except own: Set<String> = []
    ) {
        var (recorded, live) = (recorded, live)
        if !isSource, isStatic(recorded, live) {
            recorded.response?.body = nil
            live.response?.body = nil
        }
        let old = table(recorded, index)
        guard !old.isEmpty else { return }
        let new = Dictionary(table(live, 0), uniquingKeysWith: { first, _ in first })
        for (key, value) in old
        where !words.contains(key.name) && (key.part != .jwtClaims || !parties.contains(key.name)) {
            guard !isMetadata || RecordedURL(value).isWeb else { continue }
            if let other = new[key], !value.isEmpty, !own.contains(value) { values.bind(value, to: other) }
        }
    }

    /// A file that was sent again as it was: translations, settings of a page.
    private static func isStatic(_ recorded: Exchange, _ live: Exchange) -> Bool {
        guard let old = recorded.response?.body?.bytes, old.count >= 4096 else { return false }
        return old == live.response?.body?.bytes
    }

    /// Members that say something about what is issued, in words that clients use of their own accord.
    private static let words: Set<String> = [
        "scope", "token_type", "issued_token_type", "error", "error_description",
    ]

    /// Claims that say for whom a token is, by names that both sides knew before.
    private static let parties: Set<String> = ["iss", "aud", "azp", "client_id", "cid", "scp"]

    private static func table(_ exchange: Exchange, _ index: Int) -> [(Key, String)] {
        var collector = OccurrenceCollector()
        var counts: [Key: Int] = [:]
        return collector.occurrences(in: exchange, at: index).compactMap { occurrence in
            switch occurrence.place.part {
            case .responseBody, .responseLocation, .responseHeader, .jwtClaims: break
            default: return nil
            }
            var key = Key(part: occurrence.place.part, name: occurrence.place.name, number: 0)
            let number = counts[key, default: 0]
            counts[key] = number + 1
            key.number = number
            return (key, occurrence.value)
        }
    }
}
