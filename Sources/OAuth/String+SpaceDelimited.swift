extension String {
    /// The values of a list whose values are parted by spaces, in order: `scope` (RFC 6749, section 3.3), `response_type` (OAuth 2.0
    /// Multiple Response Types, section 2), `prompt` and `acr_values` (OpenID Connect Core, section 3.1.2.1).
    ///
    /// Values that stand twice are twice in it; between two spaces there is none.
    package var spaceDelimited: [String] { utf8.split(separator: 0x20).map { String(Substring($0)) } }
}
