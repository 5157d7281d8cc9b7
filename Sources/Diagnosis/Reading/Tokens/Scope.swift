import JSON

/// Lists of scopes.
enum Scope {
    /// The values between the spaces, in order, the first 500 (RFC 6749, section 3.3).
    static func values(_ text: String) -> [String] {
        text.utf8.split(separator: 0x20).prefix(500).map { String(Substring($0)) }
    }

    /// The values of a scope as answers with tokens have it (RFC 6749, section 5.1): Twitch answers with an array.
    static func granted(_ text: String) -> [String] {
        let list = text.utf8.first == 0x5b ? (try? JSONParser.parse(Array(text.utf8)))?.array : nil
        return list.map { $0.compactMap(\.string).flatMap(words) } ?? words(text)
    }

    /// The values of a scope that is asked for anew where another was granted: whose answers have commas between them takes them so, too.
    static func asked(_ text: String, whereGranted granted: String) -> [String] {
        granted.utf8.first != 0x5b && granted.utf8.contains(0x2c) ? words(text) : values(text)
    }

    /// GitHub separates by commas.
    private static func words(_ text: String) -> [String] {
        text.utf8.split { $0 == 0x20 || $0 == 0x2c }.map { String(Substring($0)) }
    }
}
