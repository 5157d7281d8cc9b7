import JSON

/// Reads the archive that Fiddler saves its sessions in (`.saz`): a zip with the bytes of each request and answer, and what
/// Fiddler knows of them.
struct FiddlerSessions {
    /// The files of one session.
    private struct Session {
        var request: ZipDirectory.File?
        var response: ZipDirectory.File?
        var metadata: ZipDirectory.File?
    }

    private let unpacker: ZipFiles
    private var sessions: [Int: Session] = [:]
    private var exchanges: [Exchange] = []
    private var losses = LossList()
    /// Where tunnels led to: what is asked for there without a scheme is asked for by TLS.
    private var tunnels: Set<String> = []

    /// More than this no message has.
    private static let largestMessage = 64 << 20

    /// Nil where the archive has no sessions.
    init?(_ directory: ZipDirectory, unpacker: ZipFiles) {
        self.unpacker = unpacker
        for file in directory.files {
            guard let (number, part) = Self.part(named: file.name) else { continue }
            switch part {
            case "c.txt": sessions[number, default: Session()].request = file
            case "s.txt": sessions[number, default: Session()].response = file
            case "m.xml": sessions[number, default: Session()].metadata = file
            default: break
            }
        }
        guard sessions.values.contains(where: { $0.request != nil }) else { return nil }
    }

    /// Number and part of `raw/012_c.txt`; some programs write a backslash.
    private static func part(named name: String) -> (number: Int, part: String)? {
        let lower = name.asciiLowercased()
        guard lower.hasPrefix("raw/") || lower.hasPrefix("raw\\") else { return nil }
        let parts = lower.utf8.dropFirst(4).split(separator: 0x5f, maxSplits: 1)
        guard parts.count == 2, let number = Int(String(decoding: parts[0], as: UTF8.self)) else {
            return nil
        }
        return (number, String(decoding: parts[1], as: UTF8.self))
    }

    /// - Throws: ``CaptureError`` where not one session can be read.
    mutating func read() throws(CaptureError) -> Capture {
        var firstError: CaptureError?
        for (number, session) in sessions.sorted(by: { $0.key < $1.key }) {
            guard let file = session.request else {
                lose("session \(number) has no request")
                continue
            }
            do throws(CaptureError) {
                try take(session, file, number)
            } catch {
                if case .inputOutput = error { throw error }
                firstError = firstError ?? error
                lose("\(error)")
            }
        }
        guard !exchanges.isEmpty else {
            throw firstError
                ?? .notCapture(
                    path: unpacker.reader.name,
                    looksLike: "an archive of Fiddler's, in which no session is HTTP",
                    advice: "save the sessions in Fiddler once more: File, Save, All Sessions"
                )
        }
        var capture = Capture(foreign: exchanges, creator: "Fiddler", version: "")
        capture.losses = losses.all
        return capture
    }

    private mutating func lose(_ what: String) {
        losses.append(Capture.Loss(offset: 0, line: 1, what: what))
    }

    private mutating func take(_ session: Session, _ file: ZipDirectory.File, _ number: Int)
        throws(CaptureError)
    {
        guard let request = RawMessage(try bytes(of: file)) else {
            return lose("session \(number) is no HTTP")
        }
        let facts = FiddlerFacts(try bytes(of: session.metadata))
        let response = RawMessage(try bytes(of: session.response))
        if request.words[0] == "CONNECT" { tunnels.insert(request.words[1]) }
        let host = request.headers.first("host") ?? facts.serverAddress ?? ""
        let isSecure = facts.isSecure || tunnels.contains(host) || tunnels.contains("\(host):443")
        let answer = session.response.flatMap { file in
            response?.response(reload: unpacker.loader(of: file))
        }
        var exchange = Exchange(
            startedAt: facts.start?.time ?? Timestamp(nanoseconds: 0),
            duration: facts.duration,
            request: request.request(
                to: request.url(scheme: isSecure ? "https" : "http", authority: host),
                reload: unpacker.loader(of: file)
            ),
            response: answer,
            timings: facts.timings,
            connection: ConnectionFacts(serverAddress: facts.serverAddress),
            client: facts.client
        )
        exchange.isZoneKnown = facts.start?.isZoneKnown ?? false
        if let answer, let words = Self.ownWords(in: answer) {
            exchange.response = nil
            exchange.failure = words
        }
        if answer?.status == 101 { exchange.upgradedTo = answer?.headers.first("upgrade")?.lowercased() }
        exchange.keep(note: facts.comment)
        exchanges.append(exchange)
    }

    /// Why there was no answer, of the page that Fiddler gives its client instead.
    private static func ownWords(in answer: RecordedResponse) -> String? {
        guard [502, 504].contains(answer.status), answer.statusText.hasPrefix("Fiddler - ") else {
            return nil
        }
        let page = answer.body?.text?.split(whereSeparator: \.isNewline).first ?? ""
        return page.isEmpty ? answer.statusText : "\(answer.statusText): \(page.prefix(500))"
    }

    /// None of a file that is not there.
    private mutating func bytes(of file: ZipDirectory.File?) throws(CaptureError) -> [UInt8] {
        guard let file else { return [] }
        let unpacked = try unpacker.text(of: file)
        if let problem = unpacked.problem { lose("\(file.name): \(problem)") }
        return try unpacked.text.source().bytes(at: 0, count: Self.largestMessage)
    }
}
