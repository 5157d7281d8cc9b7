/// Goes over a message line by line, and undoes the encodings of its parts.
struct MailReader {
    private enum Encoding: String {
        case base64
        case quotedPrintable = "quoted-printable"
    }

    private let scratch: String
    private let name: String
    private var isInFields = true
    private var field: [UInt8] = []
    private var encoding: Encoding?
    /// Whether the part is a message itself, whose fields come next.
    private var isMessage = false
    private var boundaries: [[UInt8]] = []
    private var text: ScratchText?
    /// Digits of Base64 that wait for the rest of their four.
    private var digits: [UInt8] = []

    /// A mail that was forwarded many times has a few.
    private static let mostBoundaries = 32
    private static let longestField = 64 << 10

    init(scratch: String, name: String) {
        self.scratch = scratch
        self.name = name
    }

    /// Returns the part that ends before this line.
    mutating func read(_ line: ArraySlice<UInt8>) throws(CaptureError) -> ScratchText? {
        if isBoundary(line) {
            let part = try end()
            isInFields = true
            return part
        }
        guard isInFields else {
            try add(line)
            return nil
        }
        if let first = line.first, first.isBlank {
            if field.count < Self.longestField { field += line }
            return nil
        }
        learn()
        field = Array(line.prefix(Self.longestField))
        guard line.isEmpty else { return nil }
        isInFields = isMessage
        isMessage = false
        if !isInFields { text = encoding.map { _ in ScratchText(folder: scratch, name: name) } }
        return nil
    }

    /// The part that was read last, as far as it is one.
    mutating func end() throws(CaptureError) -> ScratchText? {
        if let text { try write(Base64.decode(String(decoding: digits, as: UTF8.self)), to: text) }
        defer {
            text = nil
            encoding = nil
            isMessage = false
            digits = []
            field = []
        }
        return text.flatMap { $0.count > 0 ? $0 : nil }
    }

    /// `--` and what separates the parts of a message; at its end two more.
    private func isBoundary(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: [0x2d, 0x2d]) else { return false }
        var rest = line.dropFirst(2)
        while let last = rest.last, last.isBlank { rest.removeLast() }
        return boundaries.contains { boundary in
            rest.elementsEqual(boundary)
                || rest.count == boundary.count + 2 && rest.starts(with: boundary)
                    && rest.suffix(2).allSatisfy { $0 == 0x2d }
        }
    }

    /// What the field that has just ended says.
    private mutating func learn() {
        guard let name = MailedCapture.fieldName(field[...]) else { return }
        let value = field.dropFirst(name.utf8.count + 1)
        let text = String(decoding: value, as: UTF8.self).asciiLowercased()
        switch name {
        case "content-transfer-encoding": encoding = Encoding(rawValue: text.filter { $0 > " " })
        case "content-type":
            isMessage = text.drop { $0 == " " }.hasPrefix("message/")
            let parameter = Array("boundary=".utf8)
            guard boundaries.count < Self.mostBoundaries,
                let start = ByteSearch.index(of: parameter, in: Array(text.utf8))
            else { return }
            let rest = value.dropFirst(start + parameter.count)
            let boundary =
                rest.first == 0x22
                ? rest.dropFirst().prefix { $0 != 0x22 } : rest.prefix { $0 != 0x3b && $0 > 0x20 }
            if !boundary.isEmpty { boundaries.append(Array(boundary)) }
        default: break
        }
    }

    private mutating func add(_ line: ArraySlice<UInt8>) throws(CaptureError) {
        guard let text, let encoding else { return }
        switch encoding {
        case .base64: try write(decoded(line), to: text)
        case .quotedPrintable: try write(Self.unquoted(line), to: text)
        }
    }

    private func write(_ bytes: [UInt8], to text: ScratchText) throws(CaptureError) {
        try bytes.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
    }

    /// Each four digits; fewer where `=` or the end of the part says that there are no more.
    private mutating func decoded(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in line.split(separator: 0x3d, omittingEmptySubsequences: false) {
            // A `=` stands before every piece but the first.
            if piece.startIndex != line.startIndex {
                bytes += Base64.decode(String(decoding: digits, as: UTF8.self))
                digits = []
            }
            digits += piece.filter { $0 > 0x20 }
            let whole = digits.count / 4 * 4
            bytes += Base64.decode(String(decoding: digits[..<whole], as: UTF8.self))
            digits.removeFirst(whole)
        }
        return bytes
    }

    /// A line with its end, unless that is taken back by a `=` before it.
    static func unquoted(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(line.count + 1)
        var index = line.startIndex
        while index < line.endIndex {
            let byte = line[index]
            index += 1
            guard byte == 0x3d else {
                out.append(byte)
                continue
            }
            // White space behind it was put there on the way.
            guard line[index...].contains(where: { $0 > 0x20 }) else { return out }
            let pair = line[index...].prefix(2)
            guard pair.count == 2, let value = UInt8(String(decoding: pair, as: UTF8.self), radix: 16)
            else {
                out.append(byte)
                continue
            }
            out.append(value)
            index += 2
        }
        out.append(0x0a)
        return out
    }
}
