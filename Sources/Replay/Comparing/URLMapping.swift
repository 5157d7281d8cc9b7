import Captures

/// What stands in the second flow for the URLs of the first.
struct URLMapping {
    /// A prefix in the spellings in which it is found: as it is, percent-encoded once, and twice.
    private struct Prefix {
        var old: String
        var spellings: [(old: [UInt8], new: [UInt8])] = []

        init(_ old: String, _ new: String) {
            self.old = old
            var (before, after) = (old, new)
            for _ in 0..<3 {
                spellings.append((Array(before.utf8), Array(after.utf8)))
                (before, after) = (PercentEncoding.encode(before), PercentEncoding.encode(after))
            }
        }
    }

    private var prefixes: [Prefix]

    /// Longer prefixes first, for they say more.
    init(_ pairs: [(old: String, new: String)]) {
        prefixes = pairs.filter { !$0.old.isEmpty }.sorted { $0.old.utf8.count > $1.old.utf8.count }.map {
            Prefix($0.old, $0.new)
        }
    }

    /// From here on one origin stands for another: a difference that is told once is not told again.
    mutating func add(_ old: String, _ new: String) {
        guard prefixes.count < 64, !prefixes.contains(where: { $0.old == old }) else { return }
        prefixes.append(Prefix(old, new))
    }

    /// A value of the first flow as the second ought to have it.
    ///
    /// Prefixes are found wherever a URL can begin, also inside of a query, percent-encoded once or twice.
    func mapped(_ text: String) -> String {
        guard !prefixes.isEmpty, text.utf8.count < 1 << 16 else { return text }
        let bytes = Array(text.utf8)
        for prefix in prefixes {
            for (old, new) in prefix.spellings {
                if let found = Self.replacing(old, by: new, in: bytes) {
                    return String(decoding: found, as: UTF8.self)
                }
            }
        }
        return text
    }

    private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var start = 0
        var isFound = false
        while let place = ByteSearch.index(of: old, in: bytes, from: start) {
            let end = place + old.count
            let isWhole = old.last == 0x2f || !goesOn(bytes[end...])
            output += bytes[start..<place]
            output += isWhole ? new : old
            isFound = isFound || isWhole
            start = end
        }
        return isFound ? output + bytes[start...] : nil
    }

    /// `https://sso.example` is no prefix of `https://sso.example.org` or `https://sso.example:8443`.
    private static func goesOn(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let byte = rest.first else { return false }
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e, 0x3a: return true
        default: return rest.starts(with: "%3A".utf8) || rest.starts(with: "%3a".utf8)
        }
    }
}
