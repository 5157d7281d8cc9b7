import Captures
import Flows
import JOSE
import JSON
import OAuth
import Sharing

/// What the viewer masks: secrets and personal data by the names of their places, and the same values wherever else they stand.
struct ViewerSecrets: Sendable {
    /// Decoded, of six characters and more: shorter ones are found by their places only.
    private var values: Set<String> = []
    /// Challenges that show nothing of their verifiers (RFC 7636, section 4.2); they are what one compares.
    private var openChallenges: Set<String> = []

    init(_ report: Report) {
        let steps = report.flows.flatMap(\.flow.steps)
        let verifiers = Set(steps.compactMap { $0.parameters["code_verifier"] })
        for step in steps where step.parameters["code_challenge_method"] == "S256" {
            guard let challenge = step.parameters["code_challenge"], !verifiers.contains(challenge) else {
                continue
            }
            openChallenges.insert(challenge)
        }
        // What a page brings to an app's own scheme is none of its fields.
        for item in steps.filter({ $0.kind == .authorizationResponse }).flatMap(\.parameters.items)
        where item.value.utf8.count >= Self.least && SecretPlaces.isSecret(item.name, in: .responseLocation) {
            values.insert(item.value)
        }
        var collector = OccurrenceCollector()
        for index in report.capture.indices {
            for occurrence in collector.occurrences(in: report.capture[index], at: index)
            where occurrence.value.utf8.count >= Self.least && isNamed(occurrence) {
                values.insert(occurrence.value)
            }
        }
    }

    private static let least = 6

    // MARK: - Values

    /// Whether a value is not to be seen unless it is asked for.
    func isSecret(_ occurrence: Occurrence) -> Bool {
        isNamed(occurrence) || holds(occurrence.value) || occurrence.place.name.isEmpty
            || JSONWebToken.parse(occurrence.value) != nil
    }

    /// Of an answer's header fields only cookies are values that travel.
    private func isNamed(_ occurrence: Occurrence) -> Bool {
        isNamed(occurrence.place, isCookie: occurrence.place.part == .responseHeader, occurrence.value)
    }

    /// `isCookie`: what stands under the place's name in the headers of an answer is a cookie.
    func isNamed(_ place: Place, isCookie: Bool, _ value: String) -> Bool {
        if place.name == "code_challenge", openChallenges.contains(value) { return false }
        return SecretPlaces.isSecret(
            place.name,
            in: isCookie && place.part == .responseHeader ? .requestCookie : place.part
        )
    }

    /// Whether a claim is, or one inside of it.
    func isSecret(claim name: String, _ value: JSONValue) -> Bool { isSecret(name, value, in: .jwtClaims) }

    private func isSecret(_ name: String, _ value: JSONValue, in part: Place.Part) -> Bool {
        if SecretPlaces.isSecret(name, in: part) { return true }
        switch value {
        case .string(let text): return holds(text)
        case .array(let elements): return elements.contains { isSecret(name, $0, in: part) }
        case .object(let object): return object.members.contains { isSecret($0.name, $0.value, in: part) }
        default: return false
        }
    }

    // MARK: - Texts

    /// Whether one of the values stands in a text, as it is or percent-encoded.
    func holds(_ text: String) -> Bool {
        Self.pieces(of: text).contains { isKnown($0) }
    }

    /// The text with the beginning and the length of each of the values in its place.
    func shortened(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        for piece in Self.pieces(of: text) where isKnown(piece) {
            result += rest[..<piece.startIndex]
            result += "\(piece.prefix(4))…(\(piece.count))"
            rest = rest[piece.endIndex...]
        }
        return result + rest
    }

    /// A note that can be shown to anybody: without what it quotes of the value it is about, where that is secret.
    func open(_ note: String, isOfSecret: Bool) -> String {
        shortened(isOfSecret ? Self.withoutQuotations(note) : note)
    }

    /// `differs from character 4 on`, without the characters; a single one is told, as in `a "/" too many`.
    static func withoutQuotations(_ note: String) -> String {
        // What is quoted may hold quotation marks itself: it goes from the first to the last.
        guard let start = note.firstIndex(of: "\""), let end = note.lastIndex(of: "\""), start < end else {
            return note
        }
        let quoted = note[note.index(after: start)..<end]
        guard quoted.count > 1, quoted.wholeMatch(of: signs) == nil else { return note }
        let (before, after) = (note[..<start], note[note.index(after: end)...])
        guard quoted.contains("\" instead of \""), before.hasSuffix(": ") else {
            return "\(before)\"…\"\(after)"
        }
        return "\(before.dropLast(2))\(after)"
    }

    /// Single signs behind each other, between a first and a last quotation mark: `1 "+" and 2 "%"`.
    private static var signs: Regex<Substring> { /[^"\w](?:" (?:and|or) (?:[0-9]{1,6} )?"[^"\w])+/ }

    /// Whether a text could be shown to anybody: nothing in it is known, named or looks as if it opened something.
    func isOpen(_ text: String) -> Bool {
        !text.utf8.contains(0x40) && text.utf8.count < 100_000 && !text.lowercased().contains("passw")
            && Self.pieces(of: text).allSatisfy { !isKnown($0) && !Self.looksRandom($0) }
    }

    /// Whether what was said over a WebSocket could be shown to anybody.
    ///
    /// Its values have no places: JSON goes by the names in it, and what may be names and values in another form is not shown.
    func isOpen(said text: String) -> Bool {
        guard isOpen(text), !text.contains("\\\"") else { return false }
        guard let value = try? JSONParser.parse(Array(text.utf8)) else {
            return !text.utf8.contains { $0 == 0x3a || $0 == 0x3d }
        }
        return !isSecret("", value, in: .responseBody) && !Self.mayName(value)
    }

    /// Whether names and values in another form may stand in a text of a document, as the lines of STOMP in SockJS, or a form.
    private static func mayName(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text):
            text.utf8.contains(0x3d) || text.utf8.contains(0x3a) && text.utf8.contains(0x0a)
        case .array(let elements): elements.contains(where: mayName)
        case .object(let object): object.members.contains { mayName($0.value) }
        default: false
        }
    }

    private func isKnown(_ piece: Substring) -> Bool {
        guard piece.utf8.count >= Self.least else { return false }
        let text = String(piece)
        if values.contains(text) { return true }
        // What Markdown escapes, and what URLs do.
        if text.utf8.contains(0x5c), values.contains(text.filter { $0 != "\\" }) { return true }
        return text.utf8.contains(0x25) && values.contains(PercentEncoding.decode(text))
    }

    /// Twenty characters in one run with a digit among them.
    private static func looksRandom(_ piece: Substring) -> Bool {
        piece.utf8.count >= 20 && piece.utf8.contains { $0.isASCIIDigit }
    }

    /// Runs of what values are made of.
    private static func pieces(of text: String) -> [Substring] {
        text.split { character in
            guard let byte = character.asciiValue else { return false }
            return byte <= 0x20 || "?&=#;,\"'<>()[]{}|`".utf8.contains(byte)
        }
    }
}
