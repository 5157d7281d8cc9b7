import JSON

/// Opens captures of any producer.
///
/// Entries are found by structure alone, in windows, and decoded one by one; bodies of some size stay in the
/// file until they are asked for. Nothing is mapped: a file that shrinks meanwhile gives fewer bytes, not a
/// crash.
package enum CaptureReader {
    private static let windowSize = 256 << 10
    /// Entries by whose length the number of all is guessed.
    private static let sampleSize = 1000

    /// Reads a file; `-` is standard input.
    ///
    /// A file that breaks off behind the beginning of `entries` is read as far as its entries are whole;
    /// ``Capture/losses`` says what is missing.
    ///
    /// - Throws: ``CaptureError`` when there is no such file, it cannot be read, or it is not HAR.
    package static func read(path: String) throws(CaptureError) -> Capture {
        try read(CaptureSource(path: path), name: path == "-" ? "standard input" : path)
    }

    /// Reads the entries of a capture of ours from one on, as they stand now.
    ///
    /// For a look beside a recording: however large the bodies are, there are never many bytes in memory. Those of more
    /// than a megabyte are not there (``Body/Content/missing``).
    ///
    /// `offset`: where the entry begins, or nothing does yet (``CaptureWriter/Position``); nil for all of the capture.
    package static func read(path: String, from offset: Int?) throws(CaptureError) -> Capture {
        let source =
            if let offset {
                try CaptureSource(
                    path: path,
                    from: offset,
                    // Before the first entry behind another stands a comma.
                    passing: [0x2c, 0x0a],
                    behind: Array("{\"log\":{\"version\":\"1.2\",\"entries\":[".utf8)
                )
            } else {
                try CaptureSource(path: path)
            }
        return try read(source, name: path, stringLimit: 1 << 20)
    }

    /// Reads a text in memory; `name` stands for the path in errors.
    package static func read(bytes: [UInt8], name: String) throws(CaptureError) -> Capture {
        try read(CaptureSource(bytes: bytes), name: name)
    }

    /// Reads what is open already; `name` stands for the path in errors.
    package static func read(_ source: CaptureSource, name path: String) throws(CaptureError) -> Capture {
        try read(source, name: path, stringLimit: nil)
    }

    private static func read(_ source: CaptureSource, name path: String, stringLimit: Int?)
        throws(CaptureError) -> Capture
    {
        var creator = (name: "", version: "")
        var members: [JSONObject.Member] = []
        var exchanges: [Exchange] = []
        var offsets: [Int] = []
        var lengths: [Int] = []
        var pool = StringPool()
        let scan = { () throws -> EntryScanner in
            try scanEntries(source, stringLimit: stringLimit) { found in
                switch found.kind {
                case .entry:
                    offsets.append(found.offset)
                    lengths.append(found.length)
                    if exchanges.count == sampleSize {
                        // Grown by doubling the list would hold twice what it needs.
                        let expected = source.size / max(1, found.offset / sampleSize)
                        exchanges.reserveCapacity(expected + expected / 16)
                    }
                    var exchange = try exchange(found, source: source)
                    pool.share(&exchange)
                    exchanges.append(exchange)
                case .member(let name):
                    guard let value = try? JSONParser.parse(found.bytes) else { return }
                    if name == "creator" {
                        creator = (value["name"]?.string ?? "", value["version"]?.string ?? "")
                    }
                    members.append(JSONObject.Member(name: name, value: value))
                }
            }
        }
        let scanner: EntryScanner
        do {
            scanner = try scan()
        } catch let problem as EntryScanner.Problem {
            throw notHAR(problem.offset, problem.expected, source, path)
        } catch {
            throw .inputOutput(path: path, reason: "\(error)")
        }
        var capture = Capture(exchanges)
        capture.creator = creator
        capture.logMembers = JSONObject(members)
        capture.loadEntry = { [offsets, lengths] index in
            source.bytes(at: offsets[index], count: lengths[index])
        }
        capture.findLine = { [offsets] index in line(of: offsets[index], in: source) }
        switch scanner.ending {
        case .whole: break
        case .torn(let unfinished):
            capture.losses = [
                Capture.Loss(
                    offset: scanner.endOfLastEntry,
                    line: line(of: scanner.endOfLastEntry, in: source),
                    what: unfinished > 0
                        ? "entry \(scanner.entryCount) is cut off after \(unfinished) bytes; the \(scanner.entryCount) before it are whole"
                        : "the file breaks off behind entry \(scanner.entryCount - 1); no entry is lost"
                )
            ]
        case .noEntries:
            throw notHAR(source.size, "\"log\" with \"entries\", but the file ends here", source, path)
        }
        return capture
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

    private static func exchange(_ found: EntryScanner.Found, source: CaptureSource) throws -> Exchange {
        HAREntry.exchange(of: try check(found)) { load in
            // A body that stays in the file: the entry is read again when somebody wants it.
            {
                let bytes = source.bytes(at: found.offset, count: found.length)
                guard let entry = try? JSONParser.parse(bytes) else { return nil }
                return load(entry)
            }
        }
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
        let lineNumber = line(of: offset, in: source)
        return .notHAR(
            path: path,
            line: lineNumber,
            column: column(of: offset, in: source),
            expected: expected
        )
    }

    private static func line(of offset: Int, in source: CaptureSource) -> Int {
        var line = 1
        var start = 0
        while start < offset {
            let window = source.bytes(at: start, count: min(windowSize, offset - start))
            guard !window.isEmpty else { break }
            line += window.count { $0 == 0x0a }
            start += window.count
        }
        return line
    }

    private static func column(of offset: Int, in source: CaptureSource) -> Int {
        var end = offset
        while end > 0 {
            let start = max(0, end - windowSize)
            let window = source.bytes(at: start, count: end - start)
            if let feed = window.lastIndex(of: 0x0a) { return offset - (start + feed) }
            end = start
        }
        return offset + 1
    }
}
