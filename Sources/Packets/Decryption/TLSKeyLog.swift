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

    /// A line that is longer than what is read at once, as one of a whole file whose line ends became commas.
    private struct LongLine {
        var isComment: Bool
        /// How many secrets were found in what has come of it.
        var secrets = 0
    }

    /// Longest line that is read at once, in bytes; those of TLS have less than 300.
    static let longestLine = 16 << 10
    /// So much of a longer one is looked at twice, in which a line of TLS has room.
    private static let overlap = 512
    private static let mostProblems = 100
    private static let mostPremasters = 100_000
    /// Bytes of an encrypted premaster secret that it is known by.
    static let premasterNameSize = 8
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
    /// Of what is tried on connections that nothing else is known of: whose secrets of a kind are held, in the order of the lines.
    private var ordered: [Label: [TLSRandom]] = [:]
    private static let triedLabels: Set<Label> = [
        .clientTraffic, .clientHandshakeTraffic, .serverHandshakeTraffic, .masterSecret,
    ]
    private var file: String?
    private var line = 0
    /// The beginning of a line whose end has not come.
    private var rest: [UInt8] = []
    private var longLine: LongLine?
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
            if rest.isEmpty && longLine == nil && piece.count <= Self.longestLine {
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
        guard !rest.isEmpty || longLine != nil else { return }
        if longLine == nil {
            let last = rest
            rest = []
            return last.withUnsafeBytes { read($0) }
        }
        readPartOfLongLine()
        line += 1
        if let longLine, !longLine.isComment {
            if longLine.secrets > 0 {
                goodLines += 1
            } else {
                note("is longer than \(Self.longestLine) bytes")
            }
        }
        longLine = nil
        rest = []
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

    /// The connections that a secret of this kind is held of, in the order of the lines; for those of the handshake and of the client's
    /// data, and of TLS 1.2.
    func connections(with label: Label) -> [TLSRandom] { ordered[label] ?? [] }

    /// Whether there is any secret of this connection.
    func hasSecrets(for random: TLSRandom) -> Bool {
        known.contains(random) || indices.contains { !$0.secrets(of: random).isEmpty }
    }

    // MARK: - Lines

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        var piece = piece[...]
        while rest.count + piece.count > Self.longestLine {
            let part = piece.prefix(Self.longestLine - rest.count)
            rest.append(contentsOf: part)
            piece = piece.dropFirst(part.count)
            readPartOfLongLine()
            let passed = rest.count - Self.overlap
            rest.removeFirst(passed)
            restOffset += passed
        }
        rest.append(contentsOf: piece)
    }

    /// Looks for secrets in what is held of a line that is too long to be read at once.
    private mutating func readPartOfLongLine() {
        var long = longLine ?? LongLine(isComment: rest.first == UInt8(ascii: "#"))
        defer { longLine = long }
        guard !long.isComment else { return }
        let found = rest.withUnsafeBytes { Line.secrets(among: $0) }
        for secret in found { take(secret, ofLineWith: rest.count) }
        long.secrets += found.count
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
        let key = Key(label: secret.label, random: secret.random)
        if secrets.updateValue(secret.bytes, forKey: key) == nil, Self.triedLabels.contains(secret.label) {
            ordered[secret.label, default: []].append(secret.random)
        }
        known.insert(secret.random)
    }

    private mutating func note(_ reason: String) {
        problemCount += 1
        if problems.count < Self.mostProblems {
            problems.append(Problem(file: file, line: line, reason: reason))
        }
    }
}
