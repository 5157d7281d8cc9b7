/// Lists of scopes.
enum Scope {
    /// The values between the spaces, in order, the first 500 (RFC 6749, section 3.3).
    static func values(_ text: String) -> [String] {
        text.utf8.split(separator: 0x20).prefix(500).map { String(Substring($0)) }
    }
}
