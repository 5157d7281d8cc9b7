import Captures

/// What stands in the second flow for the URLs of the first.
struct URLMapping {
    private var pairs: [(old: String, new: String)]

    /// Longer prefixes first, for they say more.
    init(_ pairs: [(old: String, new: String)]) {
        self.pairs = pairs.filter { !$0.old.isEmpty }.sorted { $0.old.utf8.count > $1.old.utf8.count }
    }

    /// From here on one origin stands for another: a difference that is told once is not told again.
    mutating func add(_ old: String, _ new: String) {
        guard pairs.count < 64, !pairs.contains(where: { $0.old == old }) else { return }
        pairs.append((old, new))
    }

    /// A value of the first flow as the second ought to have it.
    ///
    /// Prefixes are found wherever a URL can begin, also inside of a query, percent-encoded once or twice.
    func mapped(_ text: String) -> String {
        guard !pairs.isEmpty, text.utf8.count < 1 << 16 else { return text }
        for (old, new) in pairs {
            var oldForm = old
            var newForm = new
            for _ in 0..<3 {
                if let found = Self.replacing(oldForm, by: newForm, in: text) { return found }
                oldForm = PercentEncoding.encode(oldForm)
                newForm = PercentEncoding.encode(newForm)
            }
        }
        return text
    }

    /// A host of the first flow, as `Domain` of a cookie names it.
    func mapped(host: String) -> String {
        for (old, new) in pairs where RecordedURL(old).host == host.lowercased() {
            if let other = RecordedURL(new).host { return other }
        }
        return host
    }

    private static func replacing(_ old: String, by new: String, in text: String) -> String? {
        let needle = Array(old.utf8)
        var output = ""
        var rest = text[...]
        var isFound = false
        while let range = rest.utf8.firstRange(of: needle) {
            output += rest[..<range.lowerBound]
            let isWhole = needle.last == 0x2f || !goesOn(rest[range.upperBound...].utf8)
            output += isWhole ? new : old
            isFound = isFound || isWhole
            rest = rest[range.upperBound...]
        }
        return isFound ? output + rest : nil
    }

    /// `https://sso.example` is no prefix of `https://sso.example.org` or `https://sso.example:8443`.
    private static func goesOn(_ rest: Substring.UTF8View) -> Bool {
        guard let byte = rest.first else { return false }
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e, 0x3a: return true
        default: return rest.starts(with: "%3A".utf8) || rest.starts(with: "%3a".utf8)
        }
    }
}
