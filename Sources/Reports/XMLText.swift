/// Text inside XML 1.0.
enum XMLText {
    /// Escaped for elements and attributes alike; characters that XML does not have become U+FFFD, what steers a terminal is
    /// named by its number.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\n", "\t": result.append(scalar)
            case _ where scalar.value < 0x20 && scalar != "\r" || scalar.value & 0xfffe == 0xfffe:
                result.append("\u{fffd}")
            case _ where scalar.isControl: result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
