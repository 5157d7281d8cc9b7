import JSON

/// Whether text carries colour, and how.
///
/// Reports are given one; they never ask what they print to.
package struct TextStyle: Sendable {
    package var isColoured: Bool

    package static let plain = TextStyle(isColoured: false)
    package static let colour = TextStyle(isColoured: true)

    package func bold(_ text: String) -> String { wrap(text, "1") }
    package func dim(_ text: String) -> String { wrap(text, "2") }
    package func red(_ text: String) -> String { wrap(text, "31") }
    package func green(_ text: String) -> String { wrap(text, "32") }
    package func yellow(_ text: String) -> String { wrap(text, "33") }
    package func cyan(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

extension String {
    /// Without what a terminal would obey: control characters become `\u{1b}` and the like, as captures are
    /// hostile.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// At most `count` characters, the last one an ellipsis where something was cut.
    package func shortened(to count: Int) -> String {
        guard self.count > count, count > 0 else { return self }
        return prefix(count - 1) + "…"
    }

    /// Filled with spaces up to `width` characters.
    func padded(to width: Int) -> String {
        count >= width ? self : self + String(repeating: " ", count: width - count)
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, and the marks that reorder text on screen.
    var isControl: Bool {
        value < 0x20 || (0x7f..<0xa0).contains(value) || isBidirectionalControl
    }
}
