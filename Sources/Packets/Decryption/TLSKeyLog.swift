internal import Captures

/// The session secrets that a client or server wrote down (`SSLKEYLOGFILE`, the format of NSS).
///
/// A line is a label, the random of the ClientHello in hexadecimal, and the secret in hexadecimal; comments begin with `#`. Old
/// programs have `RSA` lines only, with the beginning of the encrypted premaster secret in the place of the random, or with the ID of
/// the session and its master secret (`RSA Session-ID:… Master-Key:…`), as F5's balancers write them.
/// Lines with labels that nothing here needs are counted and passed over.
package struct TLSKeyLog: Sendable {
    /// What a secret is for.
    package enum Label: String, Sendable, Hashable, CaseIterable {
        /// The master secret of TLS 1.2 and before.
        case masterSecret = "CLIENT_RANDOM"
        case clientEarlyTraffic = "CLIENT_EARLY_TRAFFIC_SECRET"
        case clientHandshakeTraffic = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
        case serverHandshakeTraffic = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
        case clientTraffic = "CLIENT_TRAFFIC_SECRET_0"
        case serverTraffic = "SERVER_TRAFFIC_SECRET_0"
        case exporter = "EXPORTER_SECRET"
        case earlyExporter = "EARLY_EXPORTER_SECRET"
    }

    /// A line that could not be read.
    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// Where it stands; nil where that has no name.
        package var file: String?
        /// From 1, in the file, or over everything that was added.
        package var line: Int
        package var reason: String

        package var description: String { (file.map { "\($0): " } ?? "") + "line \(line): \(reason)" }
    }

    private struct Key: Hashable {
        var label: Label
        var random: TLSRandom
    }

    /// Longest line that is read, in bytes; those of TLS have less than 300.
    private static let longestLine = 4096
    private static let mostProblems = 100
    private static let mostPremasters = 100_000
    /// Bytes of an encrypted premaster secret that it is known by.
    static let premasterNameSize = 8
    fileprivate static let labels = Dictionary(
        uniqueKeysWithValues: Label.allCases.map { (Array($0.rawValue.utf8), $0) }
    )

    /// The first hundred of them.
    package private(set) var problems: [Problem] = []
    /// All of them.
    package private(set) var problemCount = 0
    /// How many secrets are there to be looked up.
    package var count: Int { secrets.count }
    /// How many connections there are secrets of; who writes premaster secrets mostly writes what is made of them as well.
    package var connections: Int {
        max(premasters.count, known.count + masters.count + indices.reduce(0) { $0 + $1.connections })
    }
    /// Lines that say what a key log says.
    package private(set) var goodLines = 0
    /// Lines whose label stands for nothing that is needed here.
    package private(set) var unusedLines = 0

    private var secrets: [Key: [UInt8]] = [:]
    /// Premaster secrets, by the first bytes of what the client sent of them, encrypted.
    private var premasters: [[UInt8]: [UInt8]] = [:]
    /// Master secrets of TLS 1.2 and before, by the ID of their session.
    private var masters: [[UInt8]: [UInt8]] = [:]
    private var known: Set<TLSRandom> = []
    /// Those of ``known``, in the order of the lines.
    private var order: [TLSRandom] = []
    private var file: String?
    private var line = 0
    /// The beginning of a line whose end has not come.
    private var rest: [UInt8] = []
    private var isTooLong = false
    /// Whether the last line ended with a carriage return, which a line feed may belong to.
    private var isBehindReturn = false
    /// Files that are too large to be held.
    private var indices: [TLSKeyLogIndex] = []
    /// Of the file that is being added, where it is not to be held.
    private var builder: TLSKeyLogIndex.Builder?
    private var reread: (@Sendable (Int, Int) -> [UInt8])?
    /// Bytes of the file that came before those that are being added.
    private var offset = 0
    /// Where ``rest`` begins.
    private var restOffset = 0

    package init() {}

    /// Adds lines, which end with a line feed, a carriage return or both; a last one without an end is kept until its end comes, or
    /// ``finish()``.
    package mutating func add(_ text: UnsafeRawBufferPointer) {
        defer { offset += text.count }
        var start = 0
        while start < text.count {
            if isBehindReturn {
                isBehindReturn = false
                if text[start] == 0x0a {
                    start += 1
                    continue
                }
            }
            if rest.isEmpty { restOffset = offset + start }
            guard let end = text[start...].firstIndex(where: Line.isEnd) else {
                keep(UnsafeRawBufferPointer(rebasing: text[start...]))
                return
            }
            let piece = UnsafeRawBufferPointer(rebasing: text[start..<end])
            if rest.isEmpty && !isTooLong {
                read(piece)
            } else {
                keep(piece)
                finishLine()
            }
            isBehindReturn = text[end] == 0x0d
            start = end + 1
        }
    }

    package mutating func add(_ text: [UInt8]) { text.withUnsafeBytes { add($0) } }

    /// What is added from now on stands in another file.
    ///
    /// `reread`: gives the bytes of a range of that file again, fewer at its end; its secrets are then looked up there, and
    /// not held. Only with the text as it stands in the file, and ``finish()`` behind it.
    package mutating func begin(
        file: String,
        rereading reread: (@Sendable (_ offset: Int, _ count: Int) -> [UInt8])? = nil
    ) {
        finish()
        self.file = file
        line = 0
        isBehindReturn = false
        offset = 0
        self.reread = reread
        builder = reread == nil ? nil : TLSKeyLogIndex.Builder()
    }

    /// Takes back what was said of the last lines.
    mutating func forgetProblems(behind count: Int) {
        problemCount = min(problemCount, count)
        problems.removeLast(max(0, problems.count - count))
    }

    /// Reads what came last as a line, although its end did not come: there will be no more of this file.
    package mutating func finish() {
        finishLine()
        guard let builder, let reread else { return }
        indices.append(builder.index(reread))
        self.builder = nil
    }

    private mutating func finishLine() {
        guard !rest.isEmpty || isTooLong else { return }
        let last = rest
        rest = []
        if isTooLong {
            isTooLong = false
            line += 1
            note("is longer than \(Self.longestLine) bytes")
        } else {
            last.withUnsafeBytes { read($0) }
        }
    }

    /// The secret of a connection, by the random of its ClientHello.
    func secret(_ label: Label, for random: TLSRandom) -> [UInt8]? {
        if let secret = secrets[Key(label: label, random: random)] { return secret }
        return indices.lazy.reversed().compactMap { $0.secrets(of: random)[label] }.first
    }

    /// The premaster secret of an RSA key exchange, by its name: the first bytes of what the client sent of it.
    func premaster(named name: [UInt8]) -> [UInt8]? { premasters[name] }

    /// The master secret of the session that a server has named.
    func master(ofSession id: [UInt8]) -> [UInt8]? { id.isEmpty ? nil : masters[id] }

    /// The secrets of this kind of all connections that are held, in the order of the lines.
    func secrets(_ label: Label) -> some Sequence<(random: TLSRandom, secret: [UInt8])> {
        order.lazy.compactMap { random in
            secrets[Key(label: label, random: random)].map { (random: random, secret: $0) }
        }
    }

    /// Whether there is any secret of this connection.
    func hasSecrets(for random: TLSRandom) -> Bool {
        known.contains(random) || indices.contains { !$0.secrets(of: random).isEmpty }
    }

    // MARK: - Lines

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        guard !isTooLong, rest.count + piece.count <= Self.longestLine else {
            rest = []
            isTooLong = true
            return
        }
        rest.append(contentsOf: piece)
    }

    private mutating func read(_ text: UnsafeRawBufferPointer) {
        line += 1
        switch Line(text, isFirst: line == 1) {
        case .nothing: break
        case .unused(let isGood):
            unusedLines += 1
            if isGood { goodLines += 1 }
        case .wrong(let reason): note(reason)
        case .premaster(let name, let secret):
            goodLines += 1
            if premasters.count < Self.mostPremasters || premasters[name] != nil { premasters[name] = secret }
        case .session(let id, let secret):
            goodLines += 1
            if masters.count < Self.mostPremasters || masters[id] != nil { masters[id] = secret }
        case .secrets(let found):
            goodLines += 1
            for secret in found { take(secret, ofLineWith: text.count) }
        }
    }

    private mutating func take(_ secret: Secret, ofLineWith count: Int) {
        guard builder == nil else {
            builder?.add(secret.random, from: restOffset, to: restOffset + count)
            return
        }
        secrets[Key(label: secret.label, random: secret.random)] = secret.bytes
        if known.insert(secret.random).inserted { order.append(secret.random) }
    }

    private mutating func note(_ reason: String) {
        problemCount += 1
        if problems.count < Self.mostProblems {
            problems.append(Problem(file: file, line: line, reason: reason))
        }
    }
}

// MARK: - One line

extension TLSKeyLog {
    /// A secret of a connection.
    struct Secret {
        var label: Label
        var random: TLSRandom
        var bytes: [UInt8]
    }

    /// What a line says.
    enum Line {
        /// A comment, or empty.
        case nothing
        /// A label that is not needed here; `isGood` where the line is as a key log's.
        case unused(isGood: Bool)
        /// One, or several where a line of JSON holds a text of several lines.
        case secrets([Secret])
        case premaster(name: [UInt8], [UInt8])
        /// The master secret of the session with this ID.
        case session(id: [UInt8], [UInt8])
        case wrong(String)

        /// Whether lines end with a byte.
        static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

        /// `isFirst`: a byte order mark may stand before it.
        init(_ text: UnsafeRawBufferPointer, isFirst: Bool = false) {
            var words = text.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
            if isFirst, words.first?.starts(with: [0xef, 0xbb, 0xbf]) == true {
                words[0] = words[0].dropFirst(3)
                if words[0].isEmpty { words.removeFirst() }
            }
            guard let name = words.first, name.first != UInt8(ascii: "#") else {
                self = .nothing
                return
            }
            if let old = Self.premaster(words) ?? Self.session(words.suffix(3)) {
                self = old
                return
            }
            guard let label = TLSKeyLog.labels[Array(name)] else {
                let among = Self.secretsAmongWords(words)
                let secrets = among.isEmpty ? Self.secretsInByteArrays(text) : among
                if !secrets.isEmpty {
                    self = .secrets(secrets)
                    return
                }
                // Of newer protocols and older programs.
                let isLabel = name.allSatisfy(Self.isOfLabel)
                self =
                    isLabel && words.count > 1
                    ? .unused(
                        isGood: words.count == 3 && name.count > 2 && text.allSatisfy { $0 < 0x7f }
                    )
                    : .wrong(Self.noLabel)
                return
            }
            // Lines whose ends became spaces.
            let several = words.count > 5 ? Self.secretsAmongWords(words) : []
            self = several.isEmpty ? Self.secret(label, words) : .secrets(several)
        }

        /// Why a line is none that has nothing of a key log.
        static let noLabel = "does not begin with a label"

        /// Whether a byte may stand in a label: capitals, digits and low lines.
        private static func isOfLabel(_ byte: UInt8) -> Bool {
            (0x41...0x5a).contains(byte) || byte.isASCIIDigit || byte == 0x5f
        }

        /// The secrets in a line in which what collects the output of programs puts its own words: in front of it, as
        /// `docker compose logs` and journald do, or around it, where its lines are JSON.
        private static func secretsAmongWords(_ words: [UnsafeRawBufferPointer.SubSequence]) -> [Secret] {
            var found: [Secret] = []
            // Most lines of a log have none: the next word's length tells it at once.
            for index in words.indices.dropLast(2) where words[index + 1].count == randomDigits {
                guard let label = TLSKeyLog.labels[Array(labelAtEnd(of: words[index]))] else { continue }
                let line = secret(label, [words[index], words[index + 1], digits(words[index + 2])])
                if case .secrets(let secrets) = line { found += secrets }
            }
            return found
        }

        /// The secrets in JSON's arrays of numbers, each a byte: what `journalctl -o json` makes of a text with a terminal's colours.
        private static func secretsInByteArrays(_ text: UnsafeRawBufferPointer) -> [Secret] {
            var found: [Secret] = []
            var bytes: [UInt8] = []
            var number: Int?
            var isInside = false
            for byte in text {
                switch byte {
                case UInt8(ascii: "["): (isInside, number, bytes) = (true, nil, [])
                case _ where !isInside, 0x20: break
                case _ where byte.isASCIIDigit:
                    number = (number ?? 0) * 10 + Int(byte & 15)
                    isInside = number.map { $0 < 256 } ?? false
                case UInt8(ascii: ","), UInt8(ascii: "]"):
                    if let number { bytes.append(UInt8(number)) }
                    number = nil
                    guard byte == UInt8(ascii: "]") else { break }
                    isInside = false
                    guard bytes.count > randomDigits else { break }
                    found += bytes.withUnsafeBytes { text in
                        secretsAmongWords(text.split { $0 == 0x20 || $0 == 0x09 || isEnd($0) })
                    }
                default: isInside = false
                }
            }
            return found
        }

        /// Of a client random, in hexadecimal.
        private static let randomDigits = 64
        /// Longer words are no labels.
        private static let longestLabel = 40

        /// What may be a label at the end of a word, behind a quotation mark, an escaped line feed of JSON or a terminal's colour.
        private static func labelAtEnd(of word: UnsafeRawBufferPointer.SubSequence)
            -> UnsafeRawBufferPointer.SubSequence
        {
            let last = word.suffix(longestLabel + 1)
            return last.lastIndex { !isOfLabel($0) }.map { last[($0 + 1)...] } ?? last
        }

        /// The hexadecimal digits that a word begins with, where they do not go over into another word.
        private static func digits(_ word: UnsafeRawBufferPointer.SubSequence)
            -> UnsafeRawBufferPointer.SubSequence
        {
            guard let end = word.firstIndex(where: { !$0.isHexadecimalDigit }), !word[end].isASCIILetter
            else {
                return word
            }
            return word[..<end]
        }

        /// Nil for what is none.
        private static func premaster(_ words: [UnsafeRawBufferPointer.SubSequence]) -> Line? {
            guard words.count == 3, words[0].elementsEqual("RSA".utf8),
                let name = TLSKeyLog.bytes(words[1]), name.count == TLSKeyLog.premasterNameSize,
                let secret = TLSKeyLog.bytes(words[2]), secret.count == 48
            else { return nil }
            return .premaster(name: name, secret)
        }

        /// With a name before the ID and one before the secret; nil for what is none.
        ///
        /// The words of a balancer's log may stand in front of it.
        private static func session(_ words: ArraySlice<UnsafeRawBufferPointer.SubSequence>) -> Line? {
            let (idName, secretName) = ("Session-ID:", "Master-Key:")
            guard words.count == 3, let first = words.first, first.elementsEqual("RSA".utf8),
                let last = words.last, last.starts(with: secretName.utf8),
                let middle = words.dropFirst().first, middle.starts(with: idName.utf8),
                let id = TLSKeyLog.bytes(middle.dropFirst(idName.utf8.count)), (1...32).contains(id.count),
                let secret = TLSKeyLog.bytes(last.dropFirst(secretName.utf8.count)), secret.count == 48
            else { return nil }
            return .session(id: id, secret)
        }

        private static func secret(_ label: Label, _ words: [UnsafeRawBufferPointer.SubSequence]) -> Line {
            guard words.count == 3 else { return .wrong("has \(words.count) words instead of three") }
            guard let random = TLSKeyLog.bytes(words[1]).flatMap({ TLSRandom($0) }) else {
                return .wrong("its client random is not 64 hexadecimal digits")
            }
            guard let secret = TLSKeyLog.bytes(words[2]),
                secret.count == 48 || secret.count == 32 && label != .masterSecret
            else {
                let digits = label == .masterSecret ? "96" : "64 or 96"
                return .wrong("its secret is not \(digits) hexadecimal digits")
            }
            return .secrets([Secret(label: label, random: random, bytes: secret)])
        }
    }

    fileprivate static func bytes(_ digits: UnsafeRawBufferPointer.SubSequence) -> [UInt8]? {
        digits.count <= 128 ? Hexadecimal.decode(digits) : nil
    }
}
