/// Text inside XML 1.0.
enum XMLText {
    /// Escaped for elements and attributes alike; characters that XML does not have become U+FFFD.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\n", "\t", "\r": result.append(scalar)
            default:
                result.append(scalar.value < 0x20 || scalar.value & 0xfffe == 0xfffe ? "\u{fffd}" : scalar)
            }
        }
        return String(result)
    }
}
