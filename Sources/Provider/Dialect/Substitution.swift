import Captures

/// Puts values in the place of others in a text, in every encoding in which they stand there: as they are,
/// percent-encoded (up to three times, with `+` or `%20`), in JSON strings, in HTML attributes.
///
/// One pass over the text, the longest value first; linear in its length. A short value counts only where it
/// stands alone, an address only where it ends.
package struct Substitution: Sendable {
    private struct Pattern: Sendable {
        let old: [UInt8]
        let new: [UInt8]
        let kind: Kind
    }

    private enum Kind: Sendable {
        case value
        case short
        case address
    }

    /// By their first four bytes, longest first.
    private var patterns: [UInt32: [Pattern]] = [:]

    /// Values shorter than this are looked for by name only; ``init(_:)`` leaves them out.
    static let minimumLength = 6
    /// Longer ones are not looked for: each has many spellings, and anybody may send one.
    private static let maximumLength = 1 << 13

    package init(_ values: [(old: String, new: String)], addresses: AddressMap = AddressMap()) {
        var seen: Set<[UInt8]> = []
        var list: [Pattern] = []
        func add(_ old: String, _ new: String, _ kind: Kind) {
            for (form, replacement) in Self.spellings(old, new) where seen.insert(form).inserted {
                list.append(Pattern(old: form, new: replacement, kind: kind))
            }
        }
        for (old, new) in values where old != new && old.utf8.count >= Self.minimumLength {
            guard old.utf8.count <= Self.maximumLength, new.utf8.count <= Self.maximumLength else { continue }
            add(old, new, old.utf8.count < 16 ? .short : .value)
        }
        for entry in addresses.entries where entry.old != entry.new { add(entry.old, entry.new, .address) }
        for pattern in list.sorted(by: { $0.old.count > $1.old.count }) {
            patterns[Self.key(pattern.old[...]), default: []].append(pattern)
        }
    }

    var isEmpty: Bool { patterns.isEmpty }

    /// The text with the new values; as it is where none of the old ones stands in it.
    package func applied(to text: String) -> String {
        isEmpty ? text : String(decoding: applied(to: Array(text.utf8)), as: UTF8.self)
    }

    /// The same of bytes, whatever their encoding is.
    package func applied(to text: [UInt8]) -> [UInt8] {
        guard !isEmpty, text.count >= 4 else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.count + 64)
        var index = 0
        while index < text.count {
            guard index + 4 <= text.count, let candidates = patterns[Self.key(text[index...])],
                let pattern = candidates.first(where: { Self.matches($0, text, index) })
            else {
                output.append(text[index])
                index += 1
                continue
            }
            output += pattern.new
            index += pattern.old.count
        }
        return output
    }

    // MARK: - Finding

    private static func key(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func matches(_ pattern: Pattern, _ text: [UInt8], _ index: Int) -> Bool {
        let end = index + pattern.old.count
        guard end <= text.count, text[index..<end].elementsEqual(pattern.old) else { return false }
        switch pattern.kind {
        case .value: return true
        case .short: return isFree(before: index, text) && (end == text.count || !text[end].isASCIIWordByte)
        case .address: return !continuesHost(text, end)
        }
    }

    /// Whether what stands before belongs to no longer word; the digits of an escape do not count.
    private static func isFree(before index: Int, _ text: [UInt8]) -> Bool {
        guard index > 0, text[index - 1].isASCIIWordByte else { return true }
        if index >= 3, text[index - 3] == 0x25 { return true }
        return index >= 6 && text[index - 6] == 0x5c && text[index - 5] == 0x75
    }

    /// Whether the host goes on behind an address: another host, or another port, however it is encoded.
    private static func continuesHost(_ text: [UInt8], _ end: Int) -> Bool {
        guard end < text.count else { return false }
        if text[end].isASCIIWordByte || text[end] == 0x2d || text[end] == 0x2e { return true }
        var rest = text[end...]
        if rest.first == 0x25 {
            rest = rest.dropFirst()
            while rest.starts(with: [0x32, 0x35]) { rest = rest.dropFirst(2) }
            guard rest.starts(with: [0x33, 0x41]) || rest.starts(with: [0x33, 0x61]) else { return false }
            rest = rest.dropFirst(2)
        } else if rest.first == 0x3a {
            rest = rest.dropFirst()
        } else {
            return false
        }
        return rest.first.map { $0.isASCIIDigit } ?? false
    }

    // MARK: - Spelling

    /// Both values in every encoding; where several come out the same, the first counts.
    private static func spellings(_ old: String, _ new: String) -> [([UInt8], [UInt8])] {
        var pairs = [(old, new)]
        // Percent-encoded once, twice, three times; the first time as a form or a URI does it.
        for first in [encodeURI, encodeForm, PercentEncoding.encodeLowercase] {
            var pair = (first(old), first(new))
            for _ in 0..<3 {
                pairs.append(pair)
                pair = (PercentEncoding.encode(pair.0), PercentEncoding.encode(pair.1))
            }
        }
        pairs.append((encodeQuery(old), encodeQuery(new)))
        for (before, after) in pairs {
            for escape in [jsonSlashes, jsonUnicode, html] { pairs.append((escape(before), escape(after))) }
        }
        return pairs.map { (Array($0.utf8), Array($1.utf8)) }
    }

    private static func encodeURI(_ text: String) -> String { PercentEncoding.encode(text) }

    private static func encodeForm(_ text: String) -> String {
        PercentEncoding.encode(text).replacingBytes("%20", with: "+")
    }

    /// As many write a URL inside a query: `:` and `/` as they are.
    private static func encodeQuery(_ text: String) -> String {
        PercentEncoding.encode(text).replacingBytes("%3A", with: ":").replacingBytes("%2F", with: "/")
    }

    private static func jsonSlashes(_ text: String) -> String { text.replacingBytes("/", with: "\\/") }

    private static func jsonUnicode(_ text: String) -> String {
        text.replacingBytes("&", with: "\\u0026").replacingBytes("=", with: "\\u003d")
    }

    private static func html(_ text: String) -> String { HTMLText.escaped(text) }
}
