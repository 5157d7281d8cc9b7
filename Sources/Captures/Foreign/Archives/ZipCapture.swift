import JSON

/// Reads the captures in a zip archive: HARs, Playwright's HAR with its bodies beside it, and its traces.
struct ZipCapture {
    let source: CaptureSource
    let directory: ZipDirectory
    let reader: ForeignReader
    let budget: UnpackingBudget

    /// What holds a capture, best first; where there is one of a kind, those behind it are not looked at.
    private static let endings = [
        [".har", ".har.gz"], [".network"],
        [".json", ".json.gz", ".jsonl", ".ndjson", ".mitm", ".flow", ".flows"],
    ]

    private var unpacker: ZipFiles { ZipFiles(source: source, reader: reader, budget: budget) }

    func read() throws(CaptureError) -> Capture {
        let files = directory.files.filter { !$0.name.hasSuffix("/") && !$0.name.hasPrefix("__MACOSX/") }
        let named = Self.endings.lazy.map { endings in
            files.filter { file in endings.contains { file.name.lowercased().hasSuffix($0) } }
        }.first { !$0.isEmpty }
        let isHAR = named?.contains { $0.name.lowercased().hasSuffix(".har") } ?? false
        if !isHAR, let capture = try ofProxy() { return capture }
        let contents = contents(of: files, besidesCaptures: named != nil)
        let chosen = named ?? (files.count == 1 ? files : contents.captures)
        guard !chosen.isEmpty else { throw noCapture(contents) }
        // Of what only looked like a capture nobody has said that it is one.
        let isToldOf = named != nil || files.count == 1
        var parts: [Capture] = []
        var losses: [Capture.Loss] = []
        var firstError: CaptureError?
        for problem in [directory.problem, contents.lossOfPackets].compactMap({ $0 }) {
            losses.append(Capture.Loss(offset: 0, line: 1, what: problem, isEnd: directory.isTorn))
        }
        let byName = Dictionary(directory.files.lazy.map { ($0.name, $0) }) { $1 }
        let room = UnpackingBudget(packed: source.size, least: Self.leastOfBodies)
        for file in chosen {
            do throws(CaptureError) {
                let unpacked = try unpacker.text(of: file)
                let text = try unpacked.text.source()
                var capture = try reader.named(file.name).read(text, depth: 1, budget: budget)
                if let problem = unpacked.problem {
                    capture.losses.append(Capture.Loss(offset: 0, line: 1, what: problem))
                }
                for index in capture.losses.indices {
                    capture.losses[index].what = "\(file.name): \(capture.losses[index].what)"
                }
                attach(byName, to: &capture, beside: file.name, within: room)
                parts.append(capture)
            } catch {
                if case .inputOutput = error { throw error }
                firstError = firstError ?? error
                guard isToldOf else { continue }
                losses.append(Capture.Loss(offset: file.offset, line: 1, what: "\(error)"))
            }
        }
        guard !parts.isEmpty else {
            guard isToldOf, contents.packets.isEmpty else { throw noCapture(contents) }
            throw firstError ?? .unusableArchive(path: reader.name, reason: "it is empty")
        }
        var joined = Capture(joining: parts)
        joined.losses += losses
        return joined
    }

    /// Looks into files whose names do not say what they are; beside captures, into those that packets may be in.
    private func contents(of files: [ZipDirectory.File], besidesCaptures: Bool) -> ZipContents {
        // One file alone is read for what it is.
        if files.count == 1 { return ZipContents([], unpacker: unpacker) }
        let looked = besidesCaptures ? files.filter(ZipContents.isNamedLikePackets) : files
        return ZipContents(looked, unpacker: unpacker)
    }

    private func noCapture(_ contents: ZipContents) -> CaptureError {
        guard contents.packets.isEmpty else {
            return .notCapture(
                path: reader.name,
                looksLike: "a zip archive with packets and without a HAR file in it",
                advice: contents.advice
            )
        }
        return .notCapture(
            path: reader.name,
            looksLike: "a zip archive without a HAR file in it",
            advice: "put the .har files into it, or name them one by one"
        )
    }

    /// What Fiddler, Charles or Proxyman saved; nil for every other archive.
    private func ofProxy() throws(CaptureError) -> Capture? {
        if var sessions = FiddlerSessions(directory, unpacker: unpacker) { return try sessions.read() }
        if let session = try CharlesSession.read(directory, unpacker: unpacker) { return session }
        return try ProxymanLog.read(directory, unpacker: unpacker)
    }

    // MARK: - Bodies in files of their own

    /// What the bodies of the smallest archive may come to, in bytes: pages are loaded again and again, and each time it is the same
    /// file.
    private static let leastOfBodies = 1 << 30

    /// Playwright: `_file` beside the HAR, `_sha1` under `resources` beside a trace.
    ///
    /// `room`: for all bodies, each time that a file is named.
    private func attach(
        _ files: [String: ZipDirectory.File],
        to capture: inout Capture,
        beside name: String,
        within room: UnpackingBudget
    ) {
        let unpacker = unpacker
        var reason: CaptureError?
        let folder = name.utf8.lastIndex(of: 0x2f).map { String(name[...$0]) } ?? ""
        capture.attachBodies { told in
            let names = [
                told["_file"]?.string.map { folder + $0 },
                told["_sha1"]?.string.map { "\(folder)resources/\($0)" },
            ]
            guard let file = names.lazy.compactMap({ $0.flatMap { files[$0] } }).first else { return nil }
            let most = unpacker.mostOfBody(file, isTorn: directory.isTorn)
            do throws(CaptureError) {
                try room.take(most, name: reader.name)
            } catch {
                reason = reason ?? error
                return nil
            }
            return unpacker.loader(of: file, most: most)
        }
        guard reason != nil else { return }
        capture.losses.append(
            Capture.Loss(
                offset: 0,
                line: 1,
                what:
                    "\(name): so many entries name the same bodies that not all of them are taken out of the archive"
            )
        )
    }
}
