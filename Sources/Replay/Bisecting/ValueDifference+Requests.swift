import Captures
import Flows

/// What two requests of a kind have otherwise.
extension ValueDifference {
    /// Of a request as a whole: what is meant of it, and how it is otherwise.
    static func ofRequest(_ aspect: String, expected: String?, seen: String?, note: String)
        -> ValueDifference
    {
        ValueDifference(
            place: Place(exchange: nil, part: .requestURL, name: ""),
            name: "",
            aspect: aspect,
            expected: expected,
            seen: seen,
            weight: .difference,
            note: note
        )
    }

    /// A value that is another one; nil on a side that has none.
    static func of(
        _ name: String,
        expected: String?,
        seen: String?,
        at place: Place,
        aspect: String? = nil,
        token: String? = nil,
        isSecret: Bool = false,
        note: String? = nil
    ) -> ValueDifference {
        let shown = { (text: String) in Masking.compared(text, named: name, isSecret: isSecret) }
        let words: String
        if let expected, let seen {
            words = Self.words(expected, seen, of: name, isSecret: isSecret)
        } else {
            words = expected == nil ? "is new" : "is missing"
        }
        return ValueDifference(
            place: place,
            name: name,
            token: token,
            aspect: aspect,
            expected: expected.map(shown),
            seen: seen.map(shown),
            weight: .difference,
            note: note ?? words
        )
    }

    /// What makes the one value the other, and nothing of the characters of a secret.
    static func words(_ expected: String, _ seen: String, of name: String, isSecret: Bool) -> String {
        let hides = [expected, seen].contains { Masking.hides($0, named: name, isSecret: isSecret) }
        return Difference.note(expected: expected, seen: seen, isSecret: hides)
    }
}
