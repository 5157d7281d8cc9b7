/// What programs send in a token's place when they had none: their language's word for nothing, made into text.
///
/// `Authorization: Bearer undefined` is a slip in the app, not a token that somebody refuses.
package enum MissingToken {
    private static let words: Set<String> = [
        "undefined", "null", "(null)", "nil", "none", "nan", "false", "optional(nil)", "[object object]",
        "[object promise]",
    ]

    /// Whether a value is such a word, in whatever case.
    package static func isOne(_ value: String) -> Bool {
        value.utf8.count <= 20 && words.contains(value.lowercased())
    }
}
