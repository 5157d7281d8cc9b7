/// A value of mitmproxy's file format: netstrings with a type behind each (`5:hello,`).
///
/// Strings of some length stay where they are.
indirect enum TypedNetstring: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string([UInt8])
    /// A long string's bytes in the file.
    case range(Range<Int>)
    case list([TypedNetstring])
    case dictionary([(name: String, value: TypedNetstring)])

    subscript(name: String) -> TypedNetstring? {
        guard case .dictionary(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The first of several names under which versions of the format have it.
    func first(_ names: String...) -> TypedNetstring? {
        for name in names {
            if let value = self[name] {
                if case .null = value { continue }
                return value
            }
        }
        return nil
    }

    var text: String? {
        if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    var number: Double? { if case .number(let number) = self { number } else { nil } }

    var integer: Int? { number.flatMap { $0 == $0.rounded() && abs($0) < 1e15 ? Int($0) : nil } }

    var list: [TypedNetstring]? { if case .list(let list) = self { list } else { nil } }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}

/// Reads netstrings out of a file.
struct NetstringReader {
    /// The byte at which it goes wrong.
    struct Problem: Error {
        var offset: Int
        var isEnd: Bool
        /// Behind the outermost value, where its length is known.
        var next: Int?
    }

    private let source: CaptureSource
    private var window: [UInt8] = []
    private var base = 0
    private var elements = 0

    /// A flow has some hundred; of a chat over WebSocket, some thousand.
    private static let maximumElements = 1 << 20
    private static let maximumDepth = 32
    /// Longer ones are left in the file.
    private static let longest = 16 << 10
    private static let maximumDigits = 12

    init(_ source: CaptureSource) { self.source = source }

    /// The value that begins at an offset, and where it ends; nil at the end of the file.
    mutating func value(at offset: Int) throws(Problem) -> (value: TypedNetstring, end: Int)? {
        guard offset < source.size else { return nil }
        elements = 0
        let extent = try extent(at: offset, limit: source.size)
        do throws(Problem) {
            return try (value(extent, depth: 0), extent.end)
        } catch {
            throw Problem(offset: error.offset, isEnd: false, next: extent.end)
        }
    }

    private struct Extent {
        var payload: Range<Int>
        var type: UInt8
        var end: Int { payload.upperBound + 1 }
    }

    private mutating func byte(_ offset: Int) -> UInt8? {
        if offset < base || offset >= base + window.count {
            base = offset
            window = source.bytes(at: offset, count: 64 << 10)
        }
        return offset - base < window.count ? window[offset - base] : nil
    }

    private mutating func extent(at offset: Int, limit: Int) throws(Problem) -> Extent {
        var length = 0
        var position = offset
        while position < limit, let byte = byte(position), byte.isASCIIDigit {
            guard position - offset < Self.maximumDigits else { throw Problem(offset: offset, isEnd: false) }
            length = length * 10 + Int(byte - 0x30)
            position += 1
        }
        guard position < limit else { throw Problem(offset: offset, isEnd: true) }
        guard position > offset, byte(position) == UInt8(ascii: ":") else {
            throw Problem(offset: position, isEnd: false)
        }
        let start = position + 1
        guard length < limit - start else { throw Problem(offset: offset, isEnd: true) }
        guard let type = byte(start + length) else { throw Problem(offset: offset, isEnd: true) }
        return Extent(payload: start..<(start + length), type: type)
    }

    private mutating func value(_ extent: Extent, depth: Int) throws(Problem) -> TypedNetstring {
        elements += 1
        guard elements < Self.maximumElements, depth < Self.maximumDepth else {
            throw Problem(offset: extent.payload.lowerBound, isEnd: false)
        }
        switch extent.type {
        case UInt8(ascii: ","), UInt8(ascii: ";"):
            return extent.payload.count > Self.longest
                ? .range(extent.payload) : .string(bytes(extent.payload))
        case UInt8(ascii: "#"), UInt8(ascii: "^"):
            guard extent.payload.count < 64,
                let number = Double(String(decoding: bytes(extent.payload), as: UTF8.self)), number.isFinite
            else { throw Problem(offset: extent.payload.lowerBound, isEnd: false) }
            return .number(number)
        case UInt8(ascii: "!"): return .bool(byte(extent.payload.lowerBound) == UInt8(ascii: "t"))
        case UInt8(ascii: "~"): return .null
        case UInt8(ascii: "]"):
            var list: [TypedNetstring] = []
            var position = extent.payload.lowerBound
            while position < extent.payload.upperBound {
                let inner = try self.extent(at: position, limit: extent.payload.upperBound)
                list.append(try value(inner, depth: depth + 1))
                position = inner.end
            }
            return .list(list)
        case UInt8(ascii: "}"):
            var members: [(name: String, value: TypedNetstring)] = []
            var position = extent.payload.lowerBound
            while position < extent.payload.upperBound {
                let key = try self.extent(at: position, limit: extent.payload.upperBound)
                guard let name = try value(key, depth: depth + 1).text else {
                    throw Problem(offset: position, isEnd: false)
                }
                let inner = try self.extent(at: key.end, limit: extent.payload.upperBound)
                members.append((name, try value(inner, depth: depth + 1)))
                position = inner.end
            }
            return .dictionary(members)
        default: throw Problem(offset: extent.payload.upperBound, isEnd: false)
        }
    }

    private mutating func bytes(_ range: Range<Int>) -> [UInt8] {
        if range.lowerBound >= base, range.upperBound <= base + window.count {
            return Array(window[(range.lowerBound - base)..<(range.upperBound - base)])
        }
        return source.bytes(at: range.lowerBound, count: range.count)
    }
}
