import Captures

/// Stand-ins of what says who somebody is, which are drawn for each as a whole.
final class PersonalStandIns {
    private let found: FoundSecrets
    private let key: [UInt8]
    /// Where mail goes at hosts of the captures.
    private lazy var domains = found.domains
    /// Of words of people's names.
    private var madeNames: [String: String] = [:]
    /// Of servers of people's mail and websites what stands for the first label of each name, in small letters.
    private var madeLabels: [String: String] = [:]
    /// What was drawn.
    private var taken: Set<String> = []

    init(of found: FoundSecrets, key: [UInt8]) {
        self.found = found
        self.key = key
    }

    /// Drawn for the text as a whole: that two begin alike is nobody's business.
    func drawn(_ text: String, _ make: ([UInt8], ([UInt8]) -> [UInt8]) -> [UInt8]) -> String {
        let bytes = Array(text.utf8)
        var other = text
        for attempt in UInt8(0)..<64 {
            var domain = KeyedHash(key: key)
            domain.absorb(attempt)
            domain.absorb(text.lowercased().utf8)
            let seed = (0..<8).map { UInt8(truncatingIfNeeded: domain.value >> (8 * UInt64($0))) }
            let own = ShapeCipher(key: seed + key.suffix(8), domain: 2)
            other = String(decoding: make(bytes, own.callAsFunction), as: UTF8.self)
            if other != text, !taken.contains(other), found.values[other] == nil { break }
        }
        taken.insert(other)
        return other
    }

    /// What stands for a word of somebody's name.
    func name(_ word: String) -> String {
        if let known = madeNames[word] { return known }
        let other = drawn(word) { $1($0) }
        madeNames[word] = other
        return other
    }

    func email(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: 0x40) else { return personal(text) }
        let domain = String(text[text.utf8.index(after: at)...])
        return drawn(String(text[..<at])) { $1($0) } + "@" + server(domain)
    }

    /// What a domain has in common with a host of the captures, whole labels; else its last label.
    private func publicSuffix(of domain: String) -> String {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        let shared = labels.indices.suffix(Self.mostLabels).first { index in
            let suffix = labels[index...].joined(separator: ".").lowercased()
            return domains.contains(suffix)
        }
        if let shared {
            return (shared == 0 ? "" : ".") + labels[shared...].joined(separator: ".")
        }
        return labels.count > 1 ? "." + labels[labels.count - 1] : ""
    }

    /// Of the name of a host: 255 bytes, a label and a dot at least two of them (RFC 1035, section 2.3.4).
    private static let mostLabels = 127

    func personal(_ text: String) -> String {
        if text.utf8.contains(0x40) { return email(text) }
        if let method = DecentralizedIdentifier.method(of: text), text.utf8.count > method.utf8.count {
            return method + drawn(String(text.dropFirst(method.count))) { $1($0) }
        }
        guard let scheme = text.utf8.firstRange(of: "://".utf8),
            text.utf8[..<scheme.lowerBound].allSatisfy(\.isASCIIAlphanumeric),
            text.utf8.allSatisfy({ $0 > 0x20 })
        else { return drawn(text) { $1($0) } }
        // Of an address of somebody's picture the server stays; an address in a text is none.
        let path =
            text.utf8[scheme.upperBound...].firstIndex { [0x23, 0x2f, 0x3f].contains($0) }
            ?? text.utf8.endIndex
        guard text.utf8[path...].count > 1 else {
            return text[..<scheme.upperBound] + server(String(text[scheme.upperBound..<path])) + text[path...]
        }
        return text[..<path] + drawn(String(text[path...])) { $1($0) }
    }

    /// Of a website of somebody's own, or of a mailbox, what the server has in common with others stays; each label before that
    /// is the same for all who are at that server, or below it.
    private func server(_ name: String) -> String {
        let kept = publicSuffix(of: name)
        let own = String(decoding: name.utf8.dropLast(kept.utf8.count), as: UTF8.self)
        guard !own.isEmpty else { return kept }
        let names = own.split(separator: ".", omittingEmptySubsequences: false)
        guard names.count <= Self.mostLabels else { return drawn(own) { $1($0) } + kept }
        var domain = kept.lowercased()
        var labels: [String] = []
        for label in names.reversed() {
            let lower = label.lowercased()
            domain = lower + "." + domain
            let made = label.isEmpty ? "" : madeLabels[domain] ?? drawn(lower) { $1($0) }
            madeLabels[domain] = made
            let isAlike = made.utf8.count == label.utf8.count
            labels.append(
                isAlike ? String(decoding: zip(label.utf8, made.utf8).map(UInt8.inCase), as: UTF8.self) : made
            )
        }
        return labels.reversed().joined(separator: ".") + kept
    }
}
