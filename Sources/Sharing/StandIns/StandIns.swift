import Captures
import JOSE
import LibCrypto

/// What stands for each secret: of the same shape, the same for the same text, another one for another, and not to be
/// guessed by whoever has not the key, which is forgotten.
final class StandIns {
    let found: FoundSecrets
    let options: SharingOptions
    let relations: Relations
    let keys: ThrowAwayKeys
    let cipher: ShapeCipher
    let key: [UInt8]
    let tokenIndex: FragmentIndex
    let tokens: [String]
    let open: PublicPieces
    let people: PersonalStandIns
    let memory: SlotMemory?
    /// Nil where times stay.
    let times: TimeShift?
    lazy var relatives = Relatives(
        found.relatives.sorted().filter { text in
            found.tokens[text] != nil || hasParts(Array(text.utf8))
        }
    )
    /// What writes them into texts.
    private(set) lazy var sweeper = TextSweeper(self)
    let namedKinds: [String: Secret.Kind]
    let tally: ReplacementTally
    var made: [String: String] = [:]
    /// Letters and digits of keys of one-time codes, however those are written.
    private lazy var oneTimeKeys = Set(found.oneTimeKeys.map { GroupedCodes.characters(of: $0.utf8) })
    private lazy var hexadecimalBeginnings = HexadecimalBeginnings(found.named.keys)
    /// What was made: it may have pieces in common with what it stands for, and is not written once more.
    private(set) var written: WrittenStandIns
    /// Under way: a text that turns up inside of itself.
    var pending: Set<String> = []

    /// Draws the key.
    ///
    /// `memory`: what was read when the secrets were found; `times`: how times move, nil leaves them.
    /// `random`: so many random bytes.
    /// `makeKey`: a key that nobody has; nil for a kind that cannot be made.
    init(
        _ found: FoundSecrets,
        options: SharingOptions,
        memory: SlotMemory? = nil,
        times: TimeShift? = nil,
        random: (Int) -> [UInt8],
        makeKey: @escaping (PrivateKey.Kind) -> PrivateKey?
    ) {
        self.found = found
        self.memory = memory
        keys = ThrowAwayKeys(makeKey: makeKey)
        self.times = times
        self.options = options
        relations = Relations(found)
        (key, cipher) = Self.drawn(random, for: relations)
        people = PersonalStandIns(of: found, key: key)
        // Of several names the one that is compared character by character decides.
        namedKinds = found.named.reduce(into: [:]) { kinds, pair in
            let known = kinds[pair.key.value] ?? pair.value
            kinds[pair.key.value] =
                [known, pair.value].contains(.subject) ? .subject : min(known, pair.value)
        }
        tally = ReplacementTally(found, namedKinds)
        open = PublicPieces(of: found)
        written = WrittenStandIns(
            least: times == nil ? FragmentIndex.shortestPiece : WrittenStandIns.shortestTime
        )
        tokens = found.tokens.keys.sorted()
        tokenIndex = FragmentIndex(tokens.map { Array($0.utf8) })
        replaceKeys()
    }

    /// Enough for two dozen hashes that each need another key once in four times.
    private static let mostDraws = 1000

    /// A key under which what is made of others goes on to show how, and its cipher.
    private static func drawn(_ random: (Int) -> [UInt8], for relations: Relations) -> (
        key: [UInt8], cipher: ShapeCipher
    ) {
        var key: [UInt8] = []
        var cipher: ShapeCipher
        var draws = 0
        repeat {
            key = random(16)
            cipher = ShapeCipher(key: key, domain: 1)
            draws += 1
        } while draws < mostDraws
            && !relations.areTold { String(decoding: cipher(Array($0.utf8)), as: UTF8.self) }
        return (key, cipher)
    }

    /// Keys are replaced where they verify a token, since what is signed anew needs them, and where they are no secret any
    /// more.
    private func replaceKeys() {
        for text in found.kept.sorted() { verification(of: text).key.map(keys.keep) }
        for (_, key) in found.keys.sorted(by: { $0.key < $1.key }) where key.isPrivate {
            _ = keys.privateKey(for: key)
        }
        for token in tokens {
            guard let key = verification(of: token).key else { continue }
            _ = keys.privateKey(for: key)
        }
    }

    // MARK: - Stand-ins

    /// What stands for a text.
    func standIn(for text: String) -> String {
        if let known = made[text] { return known }
        guard pending.insert(text).inserted else { return opaque(text) }
        defer { pending.remove(text) }
        let other = making(text)
        made[text] = other
        written.insert(other)
        return other
    }

    /// What stands for a word of somebody's name: what stands for the whole name, where it has no other words.
    func standIn(forName word: String) -> String {
        namedKinds[word] != nil ? standIn(for: word) : people.name(word)
    }

    func making(_ text: String) -> String {
        if let replaced = keys.replacements[text] { return replaced }
        // The thumbprint of a key that stays.
        if found.keys[text] != nil { return text }
        if let wrapped = wrappedToken(text) ?? quoted(text) { return wrapped }
        if let token = JSONWebToken.parse(text), found.tokens[text] != nil {
            if let changed = paddedToken(text) ?? changedToken(text, token) { return changed }
            return TokenWriter(standIns: self).standIn(for: token)
        }
        if let torn = TornToken(text), found.torn.contains(text) {
            return slice(text) ?? TokenWriter(standIns: self).standIn(for: torn)
        }
        if let remade = relations.remade(text, standIn: { standIn(for: $0) }) { return remade }
        switch namedKinds[text] == .subject ? .subject : found.values[text] ?? namedKinds[text] {
        case .email: return people.email(text)
        case .address: return people.address(text)
        case .phone: return phone(text)
        case .personal: return people.personal(text)
        case .password, .clientSecret, .oneTimeCode: return opaque(text)
        case .asked: return slice(text) ?? asked(text)
        default: break
        }
        if let whole = withRest(text) { return whole }
        if isTorn(text), let whole = changed(text) { return whole }
        if let whole = structured(text), !keepsDrawn(of: text, in: whole) { return whole }
        let other = slice(text) ?? aroundToken(text) ?? changed(text) ?? opaque(text)
        // Of many accounts that are numbered one would become another.
        let isAccount = namedKinds[text] == .subject && text.utf8.count < FragmentIndex.shortestPiece
        return isAccount ? people.settled(other, for: text) : other
    }

    /// A text without parts that are known.
    func opaque(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isOneTimeKey =
            !oneTimeKeys.isEmpty && GroupedCodes.isKey(bytes)
            && oneTimeKeys.contains(GroupedCodes.characters(of: bytes))
        var other =
            isOneTimeKey
            ? cipher.base32(bytes)
            : hexadecimalBeginnings.contains(text) ? cipher.hexadecimal(bytes) : cipher(bytes)
        // `state|signature`: a part that is known elsewhere keeps being the same.
        var start = 0
        for index in 0...bytes.count {
            if index < bytes.count, !Self.separators.contains(bytes[index]) { continue }
            defer { start = index + 1 }
            guard index - start >= FragmentIndex.shortestWord, index - start < bytes.count else { continue }
            let piece = String(decoding: bytes[start..<index], as: UTF8.self)
            guard found.kind(of: piece) != nil else { continue }
            let known = Array(standIn(for: piece).utf8)
            if known.count == index - start { other.replaceSubrange(start..<index, with: known) }
        }
        // An issuer or a client in it is no secret.
        for range in open.whole(in: bytes) where range.count < bytes.count {
            other.replaceSubrange(range, with: bytes[range])
        }
        for prefix in Self.keptPrefixes + [DecentralizedIdentifier.method(of: text)].compactMap(\.self)
        where text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count {
            other.replaceSubrange(0..<prefix.utf8.count, with: prefix.utf8)
        }
        let made = String(decoding: other, as: UTF8.self)
        switch namedKinds[text] {
        case .codeChallenge, .claim, .privateKey: return Self.withoutStrayBits(made, like: text)
        // What only looks like base64 is cut off where its last bits are.
        default: return made
        }
    }

    /// What is no digit stays what it is: dashes beyond ASCII, and what says that an extension follows.
    private func phone(_ text: String) -> String {
        let other = people.drawn(text) { bytes, cipher in
            zip(bytes, cipher(bytes)).map { $0.isASCIIDigit ? $1 : $0 }
        }
        guard let count = PhoneNumbers.lengthBeforeExtension(in: text.utf8) else { return other }
        // The number is also met without it.
        return standIn(for: String(decoding: text.utf8.prefix(count), as: UTF8.self))
            + String(decoding: other.utf8.dropFirst(count), as: UTF8.self)
    }

    /// Nothing of what somebody asks for stays.
    private func asked(_ text: String) -> String {
        let other = String(decoding: cipher(Array(text.utf8)), as: UTF8.self)
        return other == text ? String(repeating: "x", count: text.utf8.count) : other
    }

    static let separators: Set<UInt8> = Set("|.:,;&=\"{} /".utf8)
    /// They say what a value is, and are the same for all.
    static let keptPrefixes = ["urn:ietf:params:oauth:request_uri:", "urn:"]

    /// Strict readers of base64url mind bits behind the last byte.
    static func withoutStrayBits(_ other: String, like text: String) -> String {
        guard Base64URL.decode(text) != nil, Base64URL.decode(other) == nil else { return other }
        let (bytes, deviations) = Base64URL.decodeLeniently(other)
        return deviations == [.strayBits] ? Base64URL.encode(bytes) : other
    }
}
