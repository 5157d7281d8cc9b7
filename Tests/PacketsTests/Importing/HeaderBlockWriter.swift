/// Writes header blocks of one direction as a library does that puts all into its table but what is secret (RFC 7541).
///
/// Nothing is in Huffman's code, and names with `x-` are always written out.
struct HeaderBlockWriter {
    private static let whole: [String: Int] = [
        ":method GET": 2, ":method POST": 3, ":scheme http": 6, ":scheme https": 7, ":status 200": 8,
    ]
    private static let names = [
        ":authority": 1, ":path": 4, ":status": 8, "authorization": 23, "cache-control": 24,
        "content-type": 31,
        "user-agent": 58,
    ]
    private static let staticCount = 61

    private let capacity: Int
    /// The newest first.
    private var table: [(name: String, value: String)] = []
    private var hasBegun = false

    /// `capacity`: of the table, in bytes; the first block says so.
    init(capacity: Int) { self.capacity = capacity }

    mutating func block(_ fields: [(name: String, value: String)]) -> [UInt8] {
        let start = hasBegun ? [] : Self.integer(capacity, bits: 5, 0x20)
        hasBegun = true
        return fields.reduce(into: start) { $0 += field($1.name, $1.value) }
    }

    private mutating func field(_ name: String, _ value: String) -> [UInt8] {
        if let index = Self.whole["\(name) \(value)"] ?? place({ $0.name == name && $0.value == value }) {
            return Self.integer(index, bits: 7, 0x80)
        }
        let index = Self.names[name] ?? (name.hasPrefix("x-") ? nil : place { $0.name == name }) ?? 0
        let isSecret = name == "authorization"
        let start = isSecret ? Self.integer(index, bits: 4, 0x10) : Self.integer(index, bits: 6, 0x40)
        if !isSecret { insert(name, value) }
        return start + (index == 0 ? Self.text(name) : []) + Self.text(value)
    }

    private func place(_ isIt: ((name: String, value: String)) -> Bool) -> Int? {
        table.firstIndex(where: isIt).map { $0 + Self.staticCount + 1 }
    }

    private mutating func insert(_ name: String, _ value: String) {
        table.insert((name, value), at: 0)
        while table.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }) > capacity {
            table.removeLast()
        }
    }

    private static func integer(_ value: Int, bits: Int, _ first: UInt8) -> [UInt8] {
        let most = 1 << bits - 1
        guard value >= most else { return [first | UInt8(value)] }
        var bytes = [first | UInt8(most)]
        var rest = value - most
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func text(_ text: String) -> [UInt8] {
        integer(text.utf8.count, bits: 7, 0) + text.utf8
    }
}
