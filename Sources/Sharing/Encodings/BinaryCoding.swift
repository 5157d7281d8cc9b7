import Captures

/// An encoding of bytes as text: found in longer texts by its alphabet alone.
enum BinaryCoding: Sendable {
    case base64
    case hexadecimal

    /// Shorter runs hide nothing of twelve characters.
    private static let shortest = 16

    /// The runs of a text that may be of this encoding.
    func runs(in text: [UInt8]) -> [Range<Int>] {
        runs(in: text, least: self == .base64 ? Self.shortest : 24)
    }

    private func runs(in text: [UInt8], least: Int) -> [Range<Int>] {
        // Each time they are asked for, globals are looked at whether they are there yet.
        let isDigit = self == .base64 ? Self.isBase64Digit : Self.isHexadecimalDigit
        var runs: [Range<Int>] = []
        var start = 0
        for index in 0...text.count {
            if index < text.count, isDigit[Int(text[index])] { continue }
            if index - start >= least { runs.append(start..<index) }
            start = index + 1
        }
        return runs
    }

    /// The runs of base64 of a text, those in lines of one length as one each, as mail has them (RFC 2045, section 6.8): of lines
    /// that are long enough, and of whole groups; the last one may be shorter.
    static func documents(in text: [UInt8]) -> [Range<Int>] {
        var documents: [Range<Int>] = []
        /// Of the first line of the last document, and of the run before.
        var (width, last) = (0, 0)
        for run in base64.runs(in: text, least: 1) {
            if last == width, width >= shortestLine, width % 4 == 0, run.count <= width,
                let document = documents.last, endsLine(run.upperBound, in: text),
                isLineBreak(text[document.upperBound..<run.lowerBound])
            {
                documents[documents.count - 1] = document.lowerBound..<run.upperBound
            } else if run.count >= shortest {
                documents.append(run)
                width = run.count
            }
            last = run.count
        }
        return documents
    }

    /// In characters: mail has 76, PEM and some programs 64 (RFC 7468, section 2).
    static let shortestLine = 32

    private static func isLineBreak(_ text: ArraySlice<UInt8>) -> Bool {
        text.elementsEqual([0x0a]) || text.elementsEqual([0x0d, 0x0a])
    }

    /// Whether a line ends behind a run, its padding apart.
    private static func endsLine(_ end: Int, in text: [UInt8]) -> Bool {
        end == text.count || text[end] == 0x3d || isOfLineBreak(text[end])
    }

    /// The runs of base64 of a text that are shorter, each of which is a number by which somebody is known as a whole: digits
    /// with what stands between them, and a letter before and behind them at most.
    static func numbers(in text: [UInt8]) -> [Range<Int>] {
        let (isDigit, digitsOfNumbers) = (Self.isBase64Digit, Self.digitsOfNumbers)
        var runs: [Range<Int>] = []
        var start = 0
        for index in 0...text.count {
            if index < text.count, isDigit[Int(text[index])] { continue }
            if (shortestNumber..<shortest).contains(index - start), digitsOfNumbers.contains(text[start + 4]),
                isNumber(BinaryCoding.base64.decoded(Array(text[start..<index])))
            {
                runs.append(start..<index)
            }
            start = index + 1
        }
        return runs
    }

    /// Of eight digits.
    private static let shortestNumber = 11
    /// What digits, spaces, brackets and dashes begin with, where a group of four begins.
    private static let digitsOfNumbers = Set("IKLMNO".utf8)

    private static func isNumber(_ text: [UInt8]) -> Bool {
        text.dropFirst().dropLast().allSatisfy { $0.isASCIIDigit || [0x20, 0x28, 0x29, 0x2d].contains($0) }
            && text.first.map { $0.isASCIIAlphanumeric || $0 == 0x28 || $0 == 0x2b } ?? false
            && text.last.map(\.isASCIIAlphanumeric) ?? false && text.count(where: \.isASCIIDigit) >= 7
    }

    /// A run with what it encodes changed: every alignment is tried, since a text may begin anywhere inside of what was
    /// encoded.
    ///
    /// `least`: characters behind which nothing begins any more. `change`: nil leaves the bytes as they are. Line breaks in the run
    /// stay where they are.
    func changing(
        _ run: ArraySlice<UInt8>,
        least: Int = Self.shortest,
        _ change: ([UInt8]) -> [UInt8]?
    ) -> [UInt8]? {
        guard run.contains(where: Self.isOfLineBreak) else {
            return changing(Array(run), least: least, change)
        }
        var digits = changing(run.filter { !Self.isOfLineBreak($0) }, least: least, change)?[...]
        return digits == nil ? nil : run.map { Self.isOfLineBreak($0) ? $0 : digits?.popFirst() ?? $0 }
    }

    static func isOfLineBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

    private func changing(_ run: [UInt8], least: Int, _ change: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        var text = run
        var isChanged = false
        for skipped in 0..<(self == .base64 ? 4 : 2) where text.count - skipped >= least {
            let group = self == .base64 ? 4 : 2
            let count = (text.count - skipped) / group * group
            let rest = self == .base64 ? (text.count - skipped) % 4 : 0
            let body = Array(text[skipped..<(skipped + count + (rest > 1 ? rest : 0))])
            let bytes = decoded(body)
            guard let other = change(bytes), other.count == bytes.count else { continue }
            let encoded = encoded(other, like: body)
            text.replaceSubrange(skipped..<(skipped + encoded.count), with: encoded)
            isChanged = true
        }
        return isChanged ? text : nil
    }

    private static let isHexadecimalDigit = (UInt8.min...UInt8.max).map(\.isHexadecimalDigit)
    private static let isBase64Digit = values.map { $0 < 64 }

    func decoded(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        switch self {
        case .hexadecimal:
            for index in stride(from: 0, to: text.count - 1, by: 2) {
                let high = text[index].hexadecimalValue ?? 0
                output.append(high << 4 | (text[index + 1].hexadecimalValue ?? 0))
            }
        case .base64:
            let values = Self.values
            var (bits, count): (UInt32, UInt32) = (0, 0)
            for byte in text {
                bits = bits << 6 | UInt32(values[Int(byte)] & 63)
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return output
    }

    /// As many digits as there were, in their alphabet and case; bits behind the last byte stay.
    private func encoded(_ bytes: [UInt8], like text: [UInt8]) -> [UInt8] {
        switch self {
        case .hexadecimal:
            let isUppercase = text.contains { (0x41...0x46).contains($0) }
            return Array(Hexadecimal.encode(bytes, isUppercase: isUppercase).utf8)
        case .base64: return Self.base64(bytes, like: text)
        }
    }

    private static func base64(_ bytes: [UInt8], like text: [UInt8]) -> [UInt8] {
        let isURL = !text.contains { $0 == 0x2b || $0 == 0x2f }
        let digits = isURL ? Base64Alphabet.url : Base64Alphabet.standard
        let values = Self.values
        var output = text
        var position = 0
        func put(_ value: UInt32) {
            // What did not change keeps its digit, whichever of the two alphabets it is of.
            if UInt32(values[Int(text[position])]) != value { output[position] = digits[Int(value)] }
            position += 1
        }
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                put(bits >> count & 63)
            }
        }
        if count > 0 {
            let rest = 6 - count
            put(bits << rest & 63 | UInt32(values[Int(text[position])]) & (1 << rest - 1))
        }
        return output
    }

    private static let values = Base64Alphabet.values
}
