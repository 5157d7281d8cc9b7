/// The spellings in which a text that may stay is found inside of secrets: as it is, and as base64 of either alphabet at
/// each of the three places where it can begin inside of what was encoded.
enum LawfulForms {
    /// Longer texts are not looked for in base64: nobody puts a page into a cookie.
    private static let maximumEncoded = 16 << 10

    /// Whether any of the texts holds base64 of text.
    static func holdBase64(_ texts: some Sequence<String>, textBytes: [Bool]) -> Bool {
        texts.contains { text in
            var text = text
            return text.withUTF8 { text in
                (0..<AlphabetRuns.base64.phases).contains {
                    ViewDecoding.base64(phase: $0).view(of: text, textBytes: textBytes) != nil
                }
            }
        }
    }

    /// Visits the spellings of a text.
    static func forEach(
        of text: String,
        inBase64: Bool,
        _ visit: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var text = text
        text.withUTF8 { text in
            visit(text)
            guard inBase64, text.count <= maximumEncoded else { return }
            for before in 0..<3 {
                let characters = Base64Spelling.characters(of: text, before: before).whole
                characters.withUnsafeBufferPointer(visit)
                Base64Spelling.standard(characters)?.withUnsafeBufferPointer(visit)
            }
        }
    }
}
