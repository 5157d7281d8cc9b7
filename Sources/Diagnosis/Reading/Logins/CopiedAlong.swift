import Captures

/// What comes along with a value out of a file or a setting: white space, a line break at its end, quotation marks about it.
enum CopiedAlong {
    /// The value as it was sent, before form-decoding, without these; nil where there are none.
    ///
    /// A `+` may be one, and is left alone.
    static func removed(from raw: String) -> String? {
        var bytes = Array(raw.utf8)[...]
        var length = bytes.count + 1
        while bytes.count < length {
            length = bytes.count
            for mark in marks {
                if bytes.starts(with: mark) { bytes = bytes.dropFirst(mark.count) }
                if bytes.suffix(mark.count).elementsEqual(mark) { bytes = bytes.dropLast(mark.count) }
            }
            for quote in quotes
            where bytes.count > 2 * quote.count && bytes.starts(with: quote)
                && bytes.suffix(quote.count).elementsEqual(quote)
            {
                bytes = bytes.dropFirst(quote.count).dropLast(quote.count)
            }
        }
        return bytes.isEmpty || bytes.count == raw.utf8.count ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static let marks = [
        "\n", "\r", "\t", " ", "%0A", "%0a", "%0D", "%0d", "%09", "%20",
    ].map { Array($0.utf8) }
    private static let quotes = ["\"", "'", "%22", "%27"].map { Array($0.utf8) }
}
