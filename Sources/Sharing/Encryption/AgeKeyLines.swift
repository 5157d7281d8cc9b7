/// Files of keys, as age has them for identities and for recipients: one a line, comments after `#`, empty lines.
enum AgeKeyLines {
    /// The lines that should be keys, with their numbers from 1; white space around them is not theirs.
    static func lines(of text: String) -> [(number: Int, text: String)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .compactMap { index, line in
                let key = line.drop { $0.isWhitespace }
                guard let end = key.lastIndex(where: { !$0.isWhitespace }), key.first != "#" else {
                    return nil
                }
                return (index + 1, String(key[...end]))
            }
    }
}
