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
    /// The same for the names of accounts: as many mail addresses leave none of the numbers for them.
    private var takenByAccounts: Set<String> = []
    /// What has a name, in small letters: short ones are looked for where they are named.
    private lazy var named = Set(found.named.keys.map { $0.value.lowercased() })
    /// Twelve characters each of the IP addresses: those of a network have most of theirs in common with others.
    private lazy var addressPieces = Set(
        found.values.lazy.filter { $0.value == .address }.flatMap { Self.pieces(of: $0.key) }
    )

    init(of found: FoundSecrets, key: [UInt8]) {
        self.found = found
        self.key = key
    }

    /// Drawn for the text as a whole: that two begin alike is nobody's business.
    ///
    /// `whole`: what it becomes a part of. `other`: another way to make one, where the first makes none that is nobody's.
    func drawn(
        _ text: String,
        in whole: (String) -> String = { $0 },
        _ make: @escaping Make,
        else other: Make? = nil
    ) -> String {
        let most = other == nil ? Self.mostTries : Self.mostTriesOfTwo
        if let free = free(text, most, in: whole, make) { return take(free) }
        if let free = other.flatMap({ free(text, Self.mostTries, in: whole, $0) }) { return take(free) }
        let tries = tries(text, Self.mostTries, make)
        return take(tries.first { $0 != text && !taken.contains($0) } ?? tries.last ?? text)
    }

    private static let mostTries: UInt8 = 64
    private static let mostTriesOfTwo: UInt8 = 16

    private func free(_ text: String, _ most: UInt8, in whole: (String) -> String, _ make: @escaping Make)
        -> String?
    {
        tries(text, most, make).first { $0 != text && !taken.contains($0) && isFree(whole($0)) }
    }

    /// Makes one of the bytes of a text with a cipher.
    typealias Make = ([UInt8], ([UInt8]) -> [UInt8]) -> [UInt8]

    /// One after the other, as they are asked for.
    private func tries(_ text: String, _ most: UInt8, _ make: @escaping Make)
        -> some BidirectionalCollection<String>
    {
        (0..<most).lazy.map { [key] attempt in
            var domain = KeyedHash(key: key)
            domain.absorb(attempt)
            domain.absorb(text.lowercased().utf8)
            let seed = (0..<8).map { UInt8(truncatingIfNeeded: domain.value >> (8 * UInt64($0))) }
            let own = ShapeCipher(key: seed + key.suffix(8), domain: 2)
            return String(decoding: make(Array(text.utf8), own.callAsFunction), as: UTF8.self)
        }
    }

    private func take(_ other: String) -> String {
        taken.insert(other)
        return other
    }

    /// Whether a text is nobody's, and no twelve characters of it are in an address that is somebody's.
    private func isFree(_ text: String) -> Bool {
        guard found.values[text] == nil, !named.contains(text.lowercased()) else { return false }
        guard text.utf8.count <= Self.longestAddress, !addressPieces.isEmpty else { return true }
        return addressPieces.isDisjoint(with: Self.pieces(of: text))
    }

    /// In bytes, of IPv6 with an IPv4 address in it.
    private static let longestAddress = 45

    private static func pieces(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.count >= FragmentIndex.shortestPiece else { return [] }
        return (0...(bytes.count - FragmentIndex.shortestPiece)).map {
            String(decoding: bytes[$0..<($0 + FragmentIndex.shortestPiece)], as: UTF8.self)
        }
    }

    /// What stands for an IP address: of a network of the same sort, while there are any that are nobody's.
    func address(_ text: String) -> String {
        drawn(
            text,
            { IPAddressText.standIn($0, cipher: $1) },
            else: { IPAddressText.standIn($0, keepsNetwork: false, cipher: $1) }
        )
    }

    /// What stands for the name of an account, made in another way: that, unless it is somebody's, while there are any that are
    /// nobody's, or stands for another.
    func settled(_ other: String, for text: String) -> String {
        swap(&taken, &takenByAccounts)
        defer { swap(&taken, &takenByAccounts) }
        guard !taken.contains(other) else { return drawn(text, { $1($0) }) }
        if isFree(other) { return take(other) }
        return take(free(text, Self.mostTriesOfTwo, in: { $0 }, { $1($0) }) ?? other)
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
        let server = server(domain)
        // Where all numbers are somebody's there are letters.
        return drawn(
            String(text[..<at]),
            in: { $0 + "@" + server },
            { $1($0) },
            else: { $1($0.map { $0.isASCIIDigit ? $0 + Self.fromDigitToLetter : $0 }) }
        ) + "@" + server
    }

    /// From 0 to `a`, in ASCII.
    private static let fromDigitToLetter: UInt8 = 0x31

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
