/// Text that is no UTF-8: windows-1252, which is what browsers read `iso-8859-1` and its like as, and text that names no coding
/// (Encoding Standard, section 4.2).
enum WesternText {
    static let charset = "windows-1252"

    /// Nil for what is said to be something else, and for what is no text.
    static func text(of bytes: [UInt8], mediaType: String?) -> String? {
        let type = (mediaType ?? "").lowercased()
        guard !bytes.contains(0), named(in: type).map(labels.contains) ?? type.hasPrefix("text/") else {
            return nil
        }
        var text = String.UnicodeScalarView()
        text.append(
            contentsOf: bytes.map { byte in
                (0x80...0x9f).contains(byte) ? typographic[Int(byte) - 0x80] : Unicode.Scalar(byte)
            }
        )
        return String(text)
    }

    /// The parameter `charset` of a media type in lower case.
    private static func named(in type: String) -> String? {
        let parameters = type.split(separator: ";").dropFirst().map {
            $0.filter { !$0.isWhitespace && $0 != "\"" }
        }
        return parameters.first { $0.hasPrefix("charset=") }.map { String($0.dropFirst(8)) }
    }

    private static let labels: Set<String> = [
        "ansi_x3.4-1968", "ascii", "cp1252", "cp819", "csisolatin1", "ibm819", "iso-8859-1", "iso-ir-100",
        "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "l1", "latin1", "us-ascii", "windows-1252",
        "x-cp1252",
    ]

    /// Of 0x80 to 0x9f.
    private static let typographic = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars
    )
}
