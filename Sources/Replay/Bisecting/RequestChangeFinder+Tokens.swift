import Captures
import JOSE
import JSON

/// Header and claims of tokens that the client signs itself.
extension RequestChangeFinder {
    mutating func compareTokens(
        _ own: JSONWebToken,
        _ seen: JSONWebToken,
        named parameter: String,
        isHeader: Bool,
        _ both: Counterparts
    ) {
        guard own.form == .signed,
            let other = translator.translated(seen, from: both.theirs.index, to: both.mine.index)
        else { return }
        compareMembers(own.header, other.header, of: parameter, areHeader: true, both)
        compareMembers(own.claims, other.claims, of: parameter, areHeader: false, both)
    }

    /// Made anew, or of a key that a replay has of its own.
    static let passing: Set<String> = [
        "jti", "jwk", "x5c", "x5t", "x5t#S256", "kid", "state", "nonce", "code_challenge", "ath",
    ]

    mutating func compareMembers(
        _ own: JSONObject?,
        _ other: JSONObject?,
        of parameter: String,
        areHeader: Bool,
        _ both: Counterparts
    ) {
        let (own, other) = (own ?? JSONObject(), other ?? JSONObject())
        let names = (own.members + other.members).map(\.name).eachOnce()
        for name in names.prefix(60) {
            let (left, right) = (own[name], other[name])
            guard !isSameMember(left, right, named: name) else { continue }
            let text = { (value: JSONValue?) in value.map { $0.string ?? JSONWriter.text(of: $0) } }
            let note: String?
            if let from = Self.time(left, named: name), let to = Self.time(right, named: name) {
                note = "\(abs(to - from)) s \(to > from ? "later" : "earlier"), by the time of the request"
            } else {
                note = nil
            }
            add(
                both,
                .of(
                    name,
                    expected: note == nil ? text(left) : nil,
                    seen: note == nil ? text(right) : nil,
                    at: Place(
                        exchange: both.theirs.index,
                        part: areHeader ? .jwtHeader : .jwtClaims,
                        name: name
                    ),
                    token: parameter,
                    note: note
                ),
                [
                    .member(
                        exchange: both.mine.index,
                        token: parameter,
                        isHeader: areHeader,
                        name: name,
                        value: right
                    )
                ]
            )
        }
    }

    /// The time in a claim of this name, in seconds; nil for numbers that are too large to be one, which are texts.
    private static func time(_ value: JSONValue?, named name: String) -> Int64? {
        guard ["exp", "iat", "nbf"].contains(name), let time = value?.int, time.magnitude < 1 << 53 else {
            return nil
        }
        return time
    }

    func isSameMember(_ left: JSONValue?, _ right: JSONValue?, named name: String) -> Bool {
        if left == right { return true }
        guard let left, let right else { return false }
        if Self.passing.contains(name) { return true }
        if let from = Self.time(left, named: name), let to = Self.time(right, named: name) {
            return abs(from - to) <= 5
        }
        if let from = left.string, let to = right.string { return isSame(from, to, named: name) }
        return false
    }
}
