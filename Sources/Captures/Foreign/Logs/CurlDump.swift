import JSON

/// A block of what curl dumps with `--trace` and `--trace-ascii`: lines of an offset, and of what stands there.
struct CurlDump {
    /// What the bytes are, by the line above the block.
    enum Kind: CaseIterable {
        case sentHead
        case sentData
        case receivedHead
        case receivedData
        /// Of TLS or another layer below.
        case other

        fileprivate var title: String {
            switch self {
            case .sentHead: "=> Send header, "
            case .sentData: "=> Send data, "
            case .receivedHead: "<= Recv header, "
            case .receivedData: "<= Recv data, "
            case .other: ""
            }
        }
    }

    let kind: Kind
    /// Bytes that the line above says.
    private let count: Int
    private var dumped: [UInt8] = []
    /// Whether bytes that are no characters of ASCII stand there as dots.
    private(set) var isDotted = false

    /// Nil where the line stands above no block.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.starts(with: "=> ".utf8) || line.starts(with: "<= ".utf8) else { return nil }
        let kind = Kind.allCases.first { !$0.title.isEmpty && line.starts(with: $0.title.utf8) } ?? .other
        let digits = line.dropFirst(kind.title.utf8.count).prefix { $0.isASCIIDigit }
        (self.kind, count) = (kind, Int(String(decoding: digits.prefix(12), as: UTF8.self)) ?? 0)
    }

    /// Takes a line of the block; false where it is none.
    mutating func take(_ line: ArraySlice<UInt8>) -> Bool {
        let digits = line.prefix(9).prefix { $0.isHexadecimalDigit }
        guard (4...8).contains(digits.count), line.dropFirst(digits.count).first == UInt8(ascii: ":") else {
            return false
        }
        guard kind != .other else { return true }
        let offset = digits.reduce(0) { $0 << 4 | Int($1.hexadecimalValue ?? 0) }
        let text = line.dropFirst(digits.count + 1)
        append(text.first == 0x20 ? text.dropFirst() : text, at: offset)
        return true
    }

    private mutating func append(_ text: ArraySlice<UInt8>, at offset: Int) {
        if !isDotted, let bytes = Self.bytes(inColumns: text, count: min(16, count - offset)) {
            dumped += bytes
            return
        }
        fill(upTo: offset)
        isDotted = true
        dumped += text
    }

    /// Sixteen columns of two digits, and the same as text behind them.
    private static func bytes(inColumns text: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        guard count > 0, text.count >= 48 else { return nil }
        let columns = text.prefix(3 * count)
        guard columns.enumerated().allSatisfy({ $0.offset % 3 < 2 || $0.element == 0x20 }) else { return nil }
        return Hexadecimal.decode(columns.filter { $0 != 0x20 }).flatMap { $0.count == count ? $0 : nil }
    }

    /// A line that ends early had a line's end there, which is told by no character; editors take blanks before it away.
    private mutating func fill(upTo offset: Int) {
        let gap = offset - dumped.count
        guard (1...64).contains(gap) else { return }
        dumped += [UInt8](repeating: 0x20, count: gap == 1 ? 1 : gap - 2)
        if gap > 1 { dumped += [0x0d, 0x0a] }
    }

    /// All that was dumped.
    var bytes: [UInt8] {
        var whole = self
        if isDotted { whole.fill(upTo: count) }
        return whole.dumped
    }

    /// JSON of which the ends of lines became dots, which stand between its values nowhere else but in numbers.
    static func withoutDots(_ json: [UInt8]) -> [UInt8] {
        guard (try? JSONParser.parse(json)) == nil else { return json }
        var mended = json
        var isInString = false
        var isEscaped = false
        for index in json.indices {
            let byte = json[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: ".") {
                let isInNumber =
                    index > 0 && json[index - 1].isASCIIDigit
                    && json.dropFirst(index + 1).first?.isASCIIDigit == true
                if !isInNumber { mended[index] = 0x0a }
            }
        }
        return (try? JSONParser.parse(mended)) == nil ? json : mended
    }
}
