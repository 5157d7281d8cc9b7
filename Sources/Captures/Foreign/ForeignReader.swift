import JSON

/// Opens a file by what it is, through whatever it is packed in.
struct ForeignReader: Sendable {
    /// What errors call it.
    let name: String
    /// Where large texts are unpacked.
    let scratch: String

    /// A mail carries a few files.
    private static let mostMailed = 20
    /// A gzip in a zip in a gzip is the most that anybody sends.
    private static let maximumDepth = 3

    /// For a file within this one.
    func named(_ inner: String) -> ForeignReader { ForeignReader(name: "\(name)/\(inner)", scratch: scratch) }

    func read(_ source: CaptureSource) throws(CaptureError) -> Capture {
        do throws(CaptureError) {
            return try read(source, depth: 0, budget: UnpackingBudget(packed: source.size))
        } catch {
            throw named(error, source)
        }
    }

    /// With what the text is, where all that is known is that it is none of a capture.
    private func named(_ error: CaptureError, _ source: CaptureSource) -> CaptureError {
        let head = source.bytes(at: 0, count: FileKind.recognizedBytes)
        switch error {
        case .notHAR(_, let line, let column, _) where Self.isBeginning(line, column, of: head): break
        case .notCapture(_, looksLike: FileKind.plainTextName, _): break
        default: return error
        }
        guard let kind = NamedText.kind(head) else { return error }
        return .notCapture(path: name, looksLike: kind.looksLike, advice: kind.advice)
    }

    /// Whether nothing but blanks stands before this line and column.
    private static func isBeginning(_ line: Int, _ column: Int, of head: [UInt8]) -> Bool {
        let blanks = head.prefix { $0 <= 0x20 }
        let lastLine = blanks.split(separator: 0x0a, omittingEmptySubsequences: false).last?.count ?? 0
        return line == 1 + blanks.count { $0 == 0x0a } && column == 1 + lastLine
    }

    func read(_ source: CaptureSource, depth: Int, budget: UnpackingBudget) throws(CaptureError) -> Capture {
        let kind = FileKind(source.bytes(at: 0, count: FileKind.recognizedBytes))
        guard depth <= Self.maximumDepth else {
            throw .unusableArchive(path: name, reason: "packed more than \(Self.maximumDepth) times")
        }
        switch kind {
        case .text: return try wrappedText(source, depth: depth, budget: budget)
        case .mail: return try mail(source, depth: depth, budget: budget)
        case .burp: return try BurpItems.read(source, name: name)
        case .charles: return try CharlesXML.read(source, name: name)
        case .jMeter: return try JMeterResults.read(source, name: name)
        case .mitmproxy: return try MitmproxyFlows.read(source, name: name)
        case .utf16(let isBigEndian):
            return try readConverted(depth, budget) { text throws(CaptureError) in
                try UTF16Text.convert(source, isBigEndian: isBigEndian, into: text)
            }
        case .gzip: return try gzip(source, depth: depth, budget: budget)
        case .zip:
            guard let directory = ZipDirectory(source) ?? ZipDirectory(torn: source) else {
                throw .unusableArchive(
                    path: name,
                    reason:
                        "a zip archive whose directory is missing: it is cut off, or still being downloaded"
                )
            }
            return try ZipCapture(source: source, directory: directory, reader: self, budget: budget).read()
        case .page:
            if let capture = pastedCapture(in: source, depth: depth, budget: budget) { return capture }
            throw .notCapture(path: name, looksLike: "an HTML page", advice: FileKind.pageAdvice)
        case .other(let looksLike, let advice):
            if kind == FileKind.plainText {
                // A link that holds all of it.
                if EscapedText.isIt(source) { return try escapedText(source, depth: depth, budget: budget) }
                if let capture = captureInText(source, depth: depth, budget: budget) { return capture }
            }
            throw .notCapture(
                path: name,
                looksLike: looksLike,
                advice: depth == 0 ? advice : FileKind.advice(insidePacked: advice)
            )
        }
    }

    /// Text, be it in a string, percent-encoded, in colours or in a container's log.
    private func wrappedText(_ source: CaptureSource, depth: Int, budget: UnpackingBudget)
        throws(CaptureError) -> Capture
    {
        if QuotedText.isIt(source) {
            return try readConverted(depth, budget) { text throws(CaptureError) in
                try QuotedText.convert(source, into: text)
            }
        }
        if EscapedText.isIt(source) { return try escapedText(source, depth: depth, budget: budget) }
        if TerminalColours.isIt(source) {
            return try readConverted(depth, budget) { text throws(CaptureError) in
                try TerminalColours.convert(source, into: text)
            }
        }
        if ContainerLog.isIt(source),
            let capture = try containerLog(source, depth: depth, budget: budget)
        {
            return capture
        }
        return try text(source, depth: depth, budget: budget)
    }

    private func escapedText(_ source: CaptureSource, depth: Int, budget: UnpackingBudget)
        throws(CaptureError) -> Capture
    {
        try readConverted(depth, budget) { text throws(CaptureError) in
            try EscapedText.convert(source, into: text)
        }
    }

    /// Reads the text that another one is made into.
    private func readConverted(
        _ depth: Int,
        _ budget: UnpackingBudget,
        _ convert: (ScratchText) throws(CaptureError) -> Void
    ) throws(CaptureError) -> Capture {
        let text = ScratchText(folder: scratch, name: name)
        try convert(text)
        return try read(text.source(), depth: depth + 1, budget: budget)
    }

    private func gzip(_ source: CaptureSource, depth: Int, budget: UnpackingBudget) throws(CaptureError)
        -> Capture
    {
        let text = ScratchText(folder: scratch, name: name)
        let outcome = try DeflatedText(name: name, budget: budget).unpack(
            source,
            0..<source.size,
            frame: .gzip
        ) {
            piece throws(CaptureError) in
            // What is no capture is not unpacked any further; in plain text one may follow.
            let kind = text.count == 0 ? FileKind(Array(piece.prefix(FileKind.recognizedBytes))) : .text
            if case .other = kind, kind != .plainText {
                try text.append(piece)
                return false
            }
            try text.append(piece)
            return true
        }
        guard text.count > 0 else {
            throw .unusableArchive(path: name, reason: outcome.problem ?? "an empty gzip file")
        }
        var capture = try read(text.source(), depth: depth + 1, budget: budget)
        if let problem = outcome.problem {
            let loss = Capture.Loss(offset: outcome.used, line: 1, what: problem, isEnd: true)
            capture.losses.append(loss)
        }
        return capture
    }

    // MARK: - Text

    /// Nil where no capture is in it.
    private func containerLog(_ source: CaptureSource, depth: Int, budget: UnpackingBudget)
        throws(CaptureError) -> Capture?
    {
        let text = ScratchText(folder: scratch, name: name)
        let loss = try ContainerLog.convert(source, into: text)
        do throws(CaptureError) {
            var capture = try read(text.source(), depth: depth + 1, budget: budget)
            if let loss { capture.losses.append(loss) }
            return capture
        } catch {
            switch error {
            case .notCapture, .notHAR: return nil
            default: throw error
            }
        }
    }

    private func mail(_ source: CaptureSource, depth: Int, budget: UnpackingBudget) throws(CaptureError)
        -> Capture
    {
        var found: [Capture] = []
        var failure: CaptureError?
        try MailedCapture(source, scratch: scratch, name: name).parts { part throws(CaptureError) in
            do throws(CaptureError) {
                found.append(try read(part, depth: depth + 1, budget: budget))
            } catch {
                switch error {
                // Mails consist of more than captures.
                case .notCapture, .notHAR: break
                case .inputOutput: throw error
                default: failure = failure ?? error
                }
            }
            return found.count == Self.mostMailed
        }
        if found.count == 1 { return found[0] }
        if !found.isEmpty { return Capture(joining: found) }
        // One that went without an encoding stands there as it is.
        if let pasted = pastedCapture(in: source, depth: depth, budget: budget) { return pasted }
        throw failure
            ?? .notCapture(
                path: name,
                looksLike: "a mail with no capture in it that can be read",
                advice: "save what is attached to it, and give that; \(FileKind.export)"
            )
    }

    /// Nil where there is none, or nothing comes out of it.
    private func pastedCapture(in source: CaptureSource, depth: Int, budget: UnpackingBudget) -> Capture? {
        PastedText(source).flatMap { converted($0.convert, depth: depth, budget: budget) }
    }

    /// A capture among other text, be it quoted, pasted or printed; nil where there is none.
    private func captureInText(_ source: CaptureSource, depth: Int, budget: UnpackingBudget) -> Capture? {
        // Messages in a log have JSON in them that is no capture.
        if !namesEntries(source), let log = Self.logs.lazy.compactMap({ $0(source) }).first {
            return log
        }
        return MarkedLines(source).flatMap { converted($0.convert, depth: depth, budget: budget) }
            ?? pastedCapture(in: source, depth: depth, budget: budget)
            ?? CaptureReader.readBehindLines(source)
    }

    /// Of what programs print of their calls, and what tools within apps share.
    private static let logs: [@Sendable (CaptureSource) -> Capture?] = [
        VCRCassette.readYAML, ChuckerExport.read, WormholyExport.read, FLEXExport.read, NetfoxExport.read,
        NetfoxSession.read,
        PulseExport.read, DioLog.read, PrettyDioLog.read, AlamofireLog.read, MoyaLog.read, KtorLog.read,
        FaradayLog.read, AFNetworkingLog.read,
        LogbookLog.read, CurlLog.read, OkHttpLog.read, PythonLog.read, RubyLog.read, ApacheWireLog.read,
        MessageLog.read,
    ]

    /// Whether something near the beginning of a text may be an entry of a HAR file.
    private func namesEntries(_ source: CaptureSource) -> Bool {
        ByteSearch.index(of: Array("startedDateTime".utf8), in: source.bytes(at: 0, count: 4 << 20)) != nil
    }

    /// A capture that a program for mail or texts has changed; nil where none did, or nothing comes out of it.
    private func mendedCapture(in source: CaptureSource, depth: Int, budget: UnpackingBudget) -> Capture? {
        guard CurlyQuotes.isIt(source) else {
            return WrappedText(source).flatMap { converted($0.convert, depth: depth, budget: budget) }
        }
        return converted(
            { text throws(CaptureError) in try CurlyQuotes.convert(source, into: text) },
            depth: depth,
            budget: budget
        )
    }

    /// What was found in a text, converted and read; nil where nothing comes out of it.
    private func converted(
        _ convert: (ScratchText) throws(CaptureError) -> Void,
        depth: Int,
        budget: UnpackingBudget
    ) -> Capture? {
        try? readConverted(depth, budget, convert)
    }

    private func text(_ source: CaptureSource, depth: Int, budget: UnpackingBudget) throws(CaptureError)
        -> Capture
    {
        let sketch = JSONSketch(source)
        // Their events are held one at a time: what is one large object must not come here.
        if sketch.looksLikeNetLog, let capture = NetLog.read(source) { return capture }
        if sketch.looksLikeEvents, let capture = DevToolsLog.read(source) ?? BiDiLog.read(source) {
            return capture
        }
        if sketch.looksLikeNewman, let capture = NewmanReport.read(source) { return capture }
        if sketch.looksLikeCharles, let capture = CharlesSession.read(source) { return capture }
        if sketch.looksLikeRequests,
            let capture = SAMLTracerExport.read(source) ?? WireMockJournal.read(source)
        {
            return capture
        }
        if sketch.looksLikeCassette, let capture = VCRCassette.read(source, sketch) { return capture }
        if sketch.looksLikeHoverfly, let capture = HoverflyLog.read(source, sketch) { return capture }
        if sketch.looksLikeReactotron, let capture = ReactotronLog.read(source) { return capture }
        if sketch.looksLikeMockServer, let capture = MockServerLog.read(source) { return capture }
        if let capture = mendedCapture(in: source, depth: depth, budget: budget) { return capture }
        do throws(CaptureError) {
            return try CaptureReader.readText(source, name: name)
        } catch {
            guard case .notHAR = error else { throw error }
            if let capture = captureInText(source, depth: depth, budget: budget) { return capture }
            if let looksLike = sketch.looksLike {
                throw .notCapture(path: name, looksLike: looksLike.what, advice: looksLike.advice)
            }
            if isBlank(source) {
                throw .notCapture(
                    path: name,
                    looksLike: "nothing but zeros",
                    advice: "what wrote it was stopped before its bytes were on the disk: record it again"
                )
            }
            throw error
        }
    }

    /// Whether there is no byte in it but zeros: room that was made for what never came.
    private func isBlank(_ source: CaptureSource) -> Bool {
        let window = 1 << 20
        return source.size > 0
            && stride(from: 0, to: source.size, by: window).allSatisfy {
                source.bytes(at: $0, count: window).allSatisfy { $0 == 0 }
            }
    }
}
