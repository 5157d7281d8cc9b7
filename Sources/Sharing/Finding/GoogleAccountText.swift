import Captures

/// Numbers of accounts at Google, which are its subjects, by their look: what its pages load has them in lists without names
/// (`["108374652918273645519","Ada Quill",…]`).
enum GoogleAccountText {
    /// Where one ends that begins at a place behind a quotation mark: twenty-one digits up to the next one, that may be escaped;
    /// nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let digits = text[start...].prefix(length + 1).prefix(while: \.isASCIIDigit)
        // So far they begin so.
        guard digits.count == length, digits.starts(with: "10".utf8) || digits.starts(with: "11".utf8),
            let next = text[digits.endIndex...].first(where: { $0 != 0x5c }), next == 0x22
        else { return nil }
        return digits.endIndex
    }

    private static let length = 21
}
