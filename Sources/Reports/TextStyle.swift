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
    /// C0, DEL, C1, the marks that reorder text on screen, and what is not to be seen there; but not what joins letters and signs
    /// that are, and the space of East Asian scripts.
    var isControl: Bool {
        guard !isASCII else { return value < 0x20 || value == 0x7f }
        return value < 0xa0 || isBidirectionalControl || isInvisible && !Self.joins.contains(value)
    }

    private static let joins: Set<UInt32> = Set(
        [0x200c, 0x200d, 0x3000] + (0xfe00...0xfe0f) + (0xe0020...0xe007f) + (0xe0100...0xe01ef)
    )
}
