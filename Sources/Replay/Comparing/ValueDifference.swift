package import Captures

/// How much a difference says of two flows.
package enum DifferenceWeight: String, Sendable, Hashable {
    /// The flows are not the same.
    case difference
    /// Worth knowing; the flows are the same all the same.
    case note
}

/// One value of a step that is not in both flows what it ought to be.
package struct ValueDifference: Sendable, Hashable {
    /// Of the second flow; of the first where the second has no such place.
    package var place: Place
    /// What the value is called: the name of its place, unless that says less (`client_secret` in `Authorization`).
    package var name: String
    /// The token that the place is inside (`id_token`); nil for places of the message itself.
    package var token: String?
    /// What of the value is meant where it is not the value itself: `lifetime`, `SameSite`, `client authentication`.
    package var aspect: String?
    /// As a report may show it, secrets masked; nil where the first flow has none.
    package var expected: String?
    package var seen: String?
    package var weight: DifferenceWeight
    /// The nearest explanation, in words.
    package var note: String

    /// The aspect of what the flows differ in as a whole.
    static let ofTheFlow = "of the flow"

    /// Of the flows as a whole.
    static func ofFlows(_ name: String, _ expected: String?, _ seen: String?, _ weight: DifferenceWeight)
        -> ValueDifference
    {
        ValueDifference(
            place: Place(exchange: nil, part: .requestURL, name: name),
            name: name,
            aspect: ofTheFlow,
            expected: expected,
            seen: seen,
            weight: weight,
            note: "\(seen ?? "none") instead of \(expected ?? "none")"
        )
    }

    /// The value in words, `redirect_uri`, `id_token nonce`, `harbour (SameSite)`.
    package var label: String {
        let name = [token, name.isEmpty ? nil : name].compactMap { $0 }.joined(separator: " ")
        guard let aspect, aspect != Self.ofTheFlow else {
            return name.isEmpty ? Self.words(for: place.part) : name
        }
        return name.isEmpty || aspect.hasPrefix("clock of ") ? aspect : "\(name) (\(aspect))"
    }

    private static func words(for part: Place.Part) -> String {
        switch part {
        case .requestURL: "URL"
        case .responseStatus: "status"
        case .responseLocation: "target of the redirect"
        default: part.rawValue
        }
    }
}
