import JSON

/// Opens captures of any producer, HAR or not.
///
/// Entries are found by structure alone, in windows, and decoded one by one; bodies of some size stay in the
/// file until they are asked for. Nothing is mapped: a file that shrinks meanwhile gives fewer bytes, not a
/// crash. What is not HAR as it should be is read again, leniently (``TolerantScanner``); what it is else is told by its
/// first bytes (``FileKind``).
package enum CaptureReader {
    private static let windowSize = 256 << 10

    /// Where text that had to be unpacked or converted is kept, when it is too much for memory, in files without a name.
    package static let defaultScratch = "/tmp"

    /// Reads a file; `-` is standard input.
    ///
    /// A file that breaks off behind the beginning of `entries` is read as far as its entries are whole;
    /// ``Capture/losses`` says what is missing.
    ///
    /// - Throws: ``CaptureError`` when there is no such file, it cannot be read, or it is no capture.
    package static func read(path: String) throws(CaptureError) -> Capture {
        try read(CaptureSource(path: path), name: path == "-" ? "standard input" : path)
    }

    /// Reads the entries of a capture of ours from one on, as they stand now.
    ///
    /// For a look beside a recording: however large the bodies are, there are never many bytes in memory. Those of more
    /// than a megabyte are not there (``Body/Content/missing``).
    ///
    /// - Parameters:
    ///   - path: of the capture.
    ///   - offset: where the entry begins, or nothing does yet (``CaptureWriter/Position``); nil for all of the capture.
    ///   - descriptor: the file, where it is open for reading already; stays the caller's.
    /// - Returns: the entries from there on.
    /// - Throws: ``CaptureError`` when it cannot be read, or is no capture.
    package static func read(path: String, from offset: Int?, descriptor: Int32? = nil)
        throws(CaptureError) -> Capture
    {
        let whole = try CaptureSource(path: path, descriptor: descriptor)
        let source =
            if let offset {
                try CaptureSource(
                    whole,
                    name: path,
                    from: offset,
                    // Before the first entry behind another stands a comma.
                    passing: [0x2c, 0x0a],
                    behind: Array("{\"log\":{\"version\":\"1.2\",\"entries\":[".utf8)
                )
            } else {
                whole
            }
        do {
            return try strict(source, stringLimit: 1 << 20)
        } catch {
            throw failure(error, source, path)
        }
    }

    /// Reads a text in memory; `name` stands for the path in errors.
    package static func read(bytes: [UInt8], name: String) throws(CaptureError) -> Capture {
        try read(CaptureSource(bytes: bytes), name: name)
    }

    /// Reads what is open already, of any kind; `name` stands for the path in errors.
    ///
    /// `scratch`: see ``defaultScratch``.
    package static func read(_ source: CaptureSource, name path: String, scratch: String = defaultScratch)
        throws(CaptureError) -> Capture
    {
        try ForeignReader(name: path, scratch: scratch).read(source)
    }

    /// Reads a text that should be HAR.
    ///
    /// - Throws: ``CaptureError/notHAR(path:line:column:expected:)`` where there is no entry in it.
    static func readText(_ source: CaptureSource, name path: String) throws(CaptureError) -> Capture {
        do {
            return try strict(source, stringLimit: nil)
        } catch let problem as EntryScanner.Problem {
            guard let capture = tolerant(source) else { throw failure(problem, source, path) }
            return capture
        } catch {
            throw failure(error, source, path)
        }
    }

    /// Reads a capture behind lines of other text; nil where there is none.
    static func readBehindLines(_ source: CaptureSource) -> Capture? {
        tolerant(source) { $0.runBehindLines() }
    }

    private static func failure(_ error: any Error, _ source: CaptureSource, _ path: String) -> CaptureError {
        guard let problem = error as? EntryScanner.Problem else {
            return .inputOutput(path: path, reason: "\(error)")
        }
        return notHAR(problem.offset, problem.expected, source, path)
    }

    /// Reads HAR that is as it should be, be it torn at its end.
    private static func strict(_ source: CaptureSource, stringLimit: Int?) throws -> Capture {
        let collector = EntryCollector(source, isStrict: true)
        let scanner = try scanEntries(source, stringLimit: stringLimit) { found in
            switch found.kind {
            case .entry:
                collector.add(
                    entry: try check(found),
                    offset: found.offset,
                    length: found.length
                )
            case .member(let name): collector.add(member: name, json: found.bytes)
            case .beside(let name): collector.add(beside: name, json: found.bytes, offset: found.offset)
            }
        }
        guard scanner.ending != .noEntries else {
            throw EntryScanner.Problem(
                offset: source.size,
                expected: "\"log\" with \"entries\", but the file ends here"
            )
        }
        if let loss = loss(behind: scanner, isOurs: collector.isOurs, source) { collector.lose(loss) }
        let capture = collector.capture()
        let mayHoldMore =
            capture.count == 0 && collector.hasPagesWithEntries
            || !collector.isOurs && holdsEntries(behind: scanner, source)
        if mayHoldMore, let other = tolerant(source), other.count > capture.count { return other }
        return capture
    }

    /// What is missing at the end; nil where nothing is, as far as that is known.
    private static func loss(behind scanner: EntryScanner, isOurs: Bool, _ source: CaptureSource) -> Capture
        .Loss?
    {
        guard case .torn(let unfinished) = scanner.ending else { return nil }
        // It is being written to: where it ended the next entry begins now.
        if source.hasGrown, isOurs, unfinished <= CaptureFile.tail.count { return nil }
        let count = scanner.entryCount
        let what =
            unfinished > 0
            ? Capture.Loss.cutOff("entry", count, after: unfinished)
            : "the file breaks off behind \(count > 0 ? "entry \(count - 1)" : "the beginning of the entries"); no entry is lost"
        let end = scanner.endOfLastEntry
        return Capture.Loss(offset: end, line: source.line(of: end), what: what, isEnd: true)
    }

    /// Whether entries stand behind the last whole one.
    ///
    /// Where a quote is missing the rest of the file looks like one entry that never ends, and behind NUL bytes it is not looked
    /// at. Of a capture of ours that is no question: the writer goes on behind what is whole, and both have to agree.
    private static func holdsEntries(behind scanner: EntryScanner, _ source: CaptureSource) -> Bool {
        guard case .torn(let unfinished) = scanner.ending else { return false }
        // The unfinished one is the first.
        let least = unfinished > 0 ? 2 : 1
        let rest = source.bytes(at: scanner.endOfLastEntry, count: 4 << 20)
        let name = Array("\"startedDateTime\"".utf8)
        var place = 0
        for _ in 0..<least {
            guard let found = ByteSearch.index(of: name, in: rest, from: place) else { return false }
            place = found + 1
        }
        return true
    }

    /// Reads what is nearly HAR; nil where nothing comes out of it.
    private static func tolerant(
        _ source: CaptureSource,
        run: (inout TolerantScanner) -> Void = { $0.run() }
    ) -> Capture? {
        let collector = EntryCollector(source, isStrict: false)
        var scanner = TolerantScanner(source) { found in
            switch found {
            case .entry(let offset, let length, let line, let json, let page):
                guard var entry = (try? JSONParser.parse(json))?.object else {
                    collector.lose(Capture.Loss(offset: offset, line: line, what: "an entry is no object"))
                    return
                }
                if let page, entry["pageref"] == nil { entry["pageref"] = .string(page) }
                collector.add(entry: entry, offset: offset, length: length)
            case .member(let log, let name, let json): collector.add(member: name, json: json, log: log)
            case .loss(let loss): collector.lose(loss)
            }
        }
        run(&scanner)
        guard scanner.hasEntries, !collector.exchanges.isEmpty || collector.isWhole else { return nil }
        return collector.capture()
    }

    /// Runs the scanner over the whole source.
    ///
    /// Of a torn write only NUL bytes and the like may follow whole entries: what the file system had not
    /// written yet ends the text.
    static func scanEntries(
        _ source: CaptureSource,
        stringLimit: Int? = nil,
        found: (EntryScanner.Found) throws -> Void
    ) throws -> EntryScanner {
        var scanner = EntryScanner(stringLimit: stringLimit)
        var offset = 0
        while offset < source.size {
            var window = source.bytes(at: offset, count: windowSize)
            guard !window.isEmpty else { break }
            if offset == 0, window.starts(with: [0xef, 0xbb, 0xbf]) {
                // A byte order mark, as Windows editors write it: white space to us, and offsets stay right.
                for index in 0..<3 { window[index] = 0x20 }
            }
            let text = window.firstIndex(of: 0) ?? window.count
            try window[..<text].withUnsafeBufferPointer { try scanner.scan($0, at: offset, found: found) }
            if text < window.count { break }
            offset += window.count
        }
        return scanner
    }

    /// The members of an entry.
    ///
    /// - Throws: ``EntryScanner/Problem`` where it is no JSON.
    @discardableResult
    static func check(_ found: EntryScanner.Found) throws -> JSONObject {
        do {
            guard let object = try JSONParser.parse(found.bytes).object else {
                throw EntryScanner.Problem(offset: found.offset, expected: "an entry to be an object")
            }
            return object
        } catch let error as JSONError {
            throw EntryScanner.Problem(offset: found.offset + error.offset, expected: error.expected)
        }
    }

    static func notHAR(_ offset: Int, _ expected: String, _ source: CaptureSource, _ path: String)
        -> CaptureError
    {
        .notHAR(
            path: path,
            line: source.line(of: offset),
            column: source.column(of: offset),
            expected: expected
        )
    }
}
