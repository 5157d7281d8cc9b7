/// Scalars over several lines.
extension YAMLReader {
    // MARK: - In quotation marks

    /// A scalar in single or double quotation marks, whose further lines are further in than a column.
    mutating func quoted(behind column: Int) throws(Problem) -> String {
        let start = index
        let quote = bytes[index]
        index += 1
        var text: [UInt8] = []
        /// What stands behind an escape is no blank at the end of a line.
        var kept = 0
        while let byte {
            switch byte {
            case quote
            where quote == UInt8(ascii: "'") && index + 1 < bytes.count && bytes[index + 1] == quote:
                text.append(byte)
                index += 2
            case quote:
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where quote == UInt8(ascii: "\""):
                try escape(into: &text)
                kept = text.count
            case 0x0a, 0x0d: try fold(into: &text, from: kept, behind: column)
            default:
                text.append(byte)
                index += 1
            }
        }
        index = start
        throw problem("a text that ends")
    }

    /// Lines are joined with a blank; empty ones are the ends of lines.
    private mutating func fold(into text: inout [UInt8], from kept: Int, behind column: Int) throws(Problem) {
        while text.count > kept, let last = text.last, last.isBlank { text.removeLast() }
        let ends = try skipSpace(behind: column)
        text += ends < 2 ? [0x20] : [UInt8](repeating: 0x0a, count: ends - 1)
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "0"): 0, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, 0x09: 9,
        UInt8(ascii: "n"): 10, UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
        UInt8(ascii: "e"): 27, UInt8(ascii: " "): 32, UInt8(ascii: "\""): 34, UInt8(ascii: "/"): 47,
        UInt8(ascii: "\\"): 92,
    ]
    private static let letters: [UInt8: String] = [
        UInt8(ascii: "N"): "\u{85}", UInt8(ascii: "_"): "\u{a0}", UInt8(ascii: "L"): "\u{2028}",
        UInt8(ascii: "P"): "\u{2029}",
    ]
    private static let digits: [UInt8: Int] = [
        UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8,
    ]

    private mutating func escape(into text: inout [UInt8]) throws(Problem) {
        index += 1
        guard let byte else { throw problem("a text that ends") }
        if let plain = Self.escapes[byte] {
            text.append(plain)
            index += 1
        } else if let count = Self.digits[byte] {
            let digits = bytes[(index + 1)...].prefix(count)
            guard digits.count == count, digits.allSatisfy(\.isHexadecimalDigit),
                let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw problem("\(count) hexadecimal digits") }
            text += String(Unicode.Scalar(value) ?? "\u{fffd}").utf8
            index += 1 + count
        } else if byte == 0x0a || byte == 0x0d {
            // The line goes on behind the blanks of the next.
            skipLine()
            while let byte = self.byte, byte.isBlank { index += 1 }
        } else if let letter = Self.letters[byte] {
            text += letter.utf8
            index += 1
        } else {
            throw problem("an escape that is known")
        }
    }

    // MARK: - Without

    /// A scalar without quotation marks, with the lines behind it that are further in than a column.
    mutating func plainScalar(behind column: Int) -> String {
        var text = plainLine()
        while true {
            let start = index
            var ends = 0
            while let byte, byte <= 0x20 {
                if byte == 0x0a { ends += 1 }
                index += 1
            }
            let isComment = byte == UInt8(ascii: "#")
            guard byte != nil, ends > 0, !isComment, self.column > column else {
                index = start
                return String(decoding: text, as: UTF8.self)
            }
            text += ends < 2 ? [0x20] : [UInt8](repeating: 0x0a, count: ends - 1)
            text += plainLine()
        }
    }

    /// To the end of the line, or a comment.
    private mutating func plainLine() -> ArraySlice<UInt8> {
        let line = bytes[min(index, bytes.count)...].prefix { $0 != 0x0a }
        var end = line.endIndex
        if let sign = line.firstRange(of: [0x20, UInt8(ascii: "#")]) { end = sign.lowerBound }
        index = line.endIndex
        let text = line[..<end]
        return text.dropLast(text.reversed().prefix { $0 <= 0x20 }.count)
    }

    // MARK: - Blocks

    /// A scalar behind `|`, or `>`, which joins lines: all lines further in than a column.
    mutating func blockScalar(behind column: Int) throws(Problem) -> String {
        let isFolded = byte == UInt8(ascii: ">")
        let header = bytes[index...].dropFirst().prefix { $0 > 0x20 }
        guard header.allSatisfy({ $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0.isASCIIDigit })
        else {
            throw problem("a block of lines")
        }
        let told = header.first(where: \.isASCIIDigit).map { Int($0 - UInt8(ascii: "0")) + max(0, column) }
        skipLine()
        let lines = blockLines(behind: column, indentation: told)
        let ends = lines.reversed().prefix(while: \.isEmpty).count
        var text =
            isFolded
            ? Self.folded(lines.dropLast(ends)) : Array(lines.dropLast(ends).joined(separator: [0x0a]))
        if header.contains(UInt8(ascii: "+")) {
            text += [UInt8](repeating: 0x0a, count: ends + (text.isEmpty ? 0 : 1))
        } else if !header.contains(UInt8(ascii: "-")), !text.isEmpty {
            text.append(0x0a)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The lines of a block without what they are indented by, which its first tells.
    private mutating func blockLines(behind column: Int, indentation told: Int?) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var indentation = told
        while index < bytes.count {
            let line = LogText.withoutEnd(bytes[index...].prefix { $0 != 0x0a })
            let blanks = line.prefix { $0 == 0x20 }.count
            if blanks < line.count {
                let own = indentation ?? blanks
                guard blanks > column, blanks >= own else { break }
                indentation = own
            }
            lines.append(line.dropFirst(indentation ?? blanks))
            skipLine()
        }
        return lines
    }

    private static func folded(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [UInt8] {
        var text: [UInt8] = []
        var isFirst = true
        var wasEmpty = false
        for line in lines {
            // Lines that are further in keep their ends.
            let isKept = line.first == 0x20
            if !isFirst {
                if line.isEmpty || isKept { text.append(0x0a) } else if !wasEmpty { text.append(0x20) }
            }
            text += line
            (isFirst, wasEmpty) = (false, line.isEmpty || isKept)
        }
        return text
    }
}
