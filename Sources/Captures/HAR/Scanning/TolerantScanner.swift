import JSON

/// Finds the entries of a HAR text that is not as it should be.
///
/// Besides `log.entries`: `entries` without `log`, or in the pages of one, several logs, an array of captures or of entries,
/// captures one behind the other, an entry a line, and all of these below a member that is there only to wrap them. An entry
/// that is no JSON is passed over; the next is looked for by how entries of this file begin.
struct TolerantScanner {
    enum Found {
        /// As JSON, whatever stands in the file; its line from 1, and the page that it stands in.
        case entry(offset: Int, length: Int, line: Int, json: [UInt8], page: String?)
        /// Of the log with this number, counted from 0.
        case member(log: Int, name: String, json: [UInt8])
        case loss(Capture.Loss)
    }

    private var reader: LenientReader
    private let source: CaptureSource
    private let found: (Found) -> Void
    private(set) var entryCount = 0
    /// Whether there was a list of entries, be it empty.
    private(set) var hasEntries = false
    /// Whether a capture is read that stands within an element of a list (``EntryLikeness/holdsLog(_:)``): within that there is no other.
    private var isInsideEntry = false
    /// Whether entries are read that are an object: a log within them has no such object of its own.
    private var isInsideEntries = false
    /// Names of the outermost object's members, the first few.
    private(set) var rootNames: [String] = []
    /// The id of the page whose entries are read, where they stand in it.
    private var page: String?
    private var logCount = 0
    private var lossCount = 0
    /// The file ends within an entry; that has been said.
    private var isTorn = false
    /// How an entry begins in this file.
    private var beginning: EntryBeginning?

    /// More are not looked for in a file of which nothing is right.
    private static let maximumLosses = 1000
    /// Names of members that hold a whole capture, or entries without more around them.
    private static let wrappers: Set<String> = [
        "har", "data", "result", "archive", "value", "body", "content",
    ]
    private static let maximumWrapping = 6

    init(_ source: CaptureSource, found: @escaping (Found) -> Void) {
        self.source = source
        self.found = found
        reader = LenientReader(source)
    }

    /// Reads what stands behind lines of text, as programs print them before the capture: from the first line on that begins with an
    /// object or a list that holds one.
    mutating func runBehindLines() {
        while !hasEntries, skipToLine() { run(isExpected: false) }
    }

    /// Goes to the next line that begins with an object or a list; it has to be near the beginning.
    private mutating func skipToLine() -> Bool {
        // Where the last try has ended the next one may begin.
        var last = reader.position > 0 ? source.bytes(at: reader.position - 1, count: 1).first : nil
        while reader.position < Self.nearBytes, let byte = reader.peek() {
            if last == 0x0a, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { return true }
            reader.advance()
            last = byte
        }
        return false
    }

    private static let nearBytes = 1 << 20

    /// Reads all of it; `isExpected`: whether what only may be a capture is taken for one.
    mutating func run(isExpected: Bool = true) {
        var isInside = false
        do throws(LenientReader.Problem) {
            while true {
                reader.skipSpace()
                guard let byte = reader.peek() else { return }
                // A call that the capture is an argument of ends with brackets (HAR viewers' `onInputData({…});`).
                let endsCall = byte == UInt8(ascii: ")") || byte == UInt8(ascii: ";")
                if byte == UInt8(ascii: ",") || byte == 0x1e || endsCall && hasEntries {
                    reader.advance()
                } else {
                    isInside = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
                    try part(depth: 0, isExpected: isExpected)
                    isInside = false
                }
            }
        } catch {
            guard hasEntries, !isTorn else { return }
            // Other text behind a whole log: nothing of that is missing.
            lose(error.offset, error.line, ending(error), isEnd: isInside || logCount == 0)
        }
    }

    private func ending(_ problem: LenientReader.Problem) -> String {
        let place = entryCount == 0 ? "the beginning of the entries" : "entry \(entryCount - 1)"
        return problem.isEnd
            ? "the file breaks off behind \(place)\(lossCount == 0 ? "; no entry is lost" : "")"
            : "what follows \(place) is not read: expected \(problem.expected)"
    }

    private mutating func lose(_ offset: Int, _ line: Int, _ what: String, isEnd: Bool = false) {
        lossCount += 1
        found(.loss(Capture.Loss(offset: offset, line: line, what: what, isEnd: isEnd)))
    }

    // MARK: - Structure

    /// A capture, an entry, or a list of either; where it is not expected, only what is one beyond doubt.
    private mutating func part(depth: Int, isExpected: Bool = true) throws(LenientReader.Problem) {
        switch reader.peek() {
        case UInt8(ascii: "{"):
            if isEntry(beyondDoubt: !isExpected) {
                try entry()
            } else {
                try object(depth: depth, isExpected: isExpected)
            }
        case UInt8(ascii: "["):
            try elements { (scanner) throws(LenientReader.Problem) in
                if depth < Self.maximumWrapping {
                    try scanner.part(depth: depth + 1, isExpected: isExpected)
                } else {
                    try scanner.skip()
                }
            }
        default: try skip()
        }
    }

    private mutating func object(depth: Int, isExpected: Bool) throws(LenientReader.Problem) {
        try members { (scanner, name) throws(LenientReader.Problem) in
            if depth == 0, scanner.rootNames.count < 8 { scanner.rootNames.append(name) }
            let byte = scanner.reader.peek()
            switch EntrySpelling.logName(name) {
            case "log" where byte == UInt8(ascii: "{"): try scanner.log()
            case "log" where byte == UInt8(ascii: "["):
                try scanner.elements { (scanner) throws(LenientReader.Problem) in
                    if scanner.reader.peek() != UInt8(ascii: "{") {
                        try scanner.skip()
                    } else if scanner.isEntry(beyondDoubt: !isExpected) {
                        try scanner.entry()
                    } else {
                        try scanner.log()
                    }
                }
            case "entries" where byte == UInt8(ascii: "[") && isExpected: try scanner.entries()
            // A line of Playwright's trace.
            case "snapshot" where byte == UInt8(ascii: "{") && scanner.isEntry():
                scanner.hasEntries = true
                try scanner.entry()
            case _
            where depth < Self.maximumWrapping
                && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")):
                let isWrapper = Self.wrappers.contains(name)
                try scanner.part(depth: depth + 1, isExpected: isExpected && isWrapper)
            default: try scanner.skip()
            }
        }
    }

    private mutating func log() throws(LenientReader.Problem) {
        let number = logCount
        logCount += 1
        try members { (scanner, written) throws(LenientReader.Problem) in
            let name = EntrySpelling.logName(written)
            if name == "entries", scanner.reader.peek() == UInt8(ascii: "[") {
                try scanner.entries()
            } else if name == "entries", scanner.reader.peek() == UInt8(ascii: "{"),
                !scanner.isInsideEntries
            {
                // The one entry, or all of them under numbers, as PHP writes a list with gaps.
                scanner.isInsideEntries = true
                defer { scanner.isInsideEntries = false }
                try scanner.part(depth: 1)
            } else if name == "pages", scanner.reader.peek() == UInt8(ascii: "[") {
                try scanner.pages(ofLog: number)
            } else {
                var json: [UInt8] = []
                try scanner.reader.value(into: &json)
                scanner.found(.member(log: number, name: name, json: json))
            }
        }
    }

    /// Reads the pages of a log, and the entries that some programs put into them; without those the pages are a member.
    private mutating func pages(ofLog number: Int) throws(LenientReader.Problem) {
        var pages: [JSONValue] = []
        // Also where the file breaks off within them.
        defer { found(.member(log: number, name: "pages", json: JSONWriter.bytes(of: .array(pages)))) }
        try elements { (scanner) throws(LenientReader.Problem) in
            guard scanner.reader.peek() == UInt8(ascii: "{") else {
                if let value = try scanner.reader.value() { pages.append(value) }
                return
            }
            var page = JSONObject()
            defer {
                pages.append(.object(page))
                scanner.page = nil
            }
            try scanner.members { (scanner, name) throws(LenientReader.Problem) in
                if EntrySpelling.logName(name) == "entries", scanner.reader.peek() == UInt8(ascii: "[") {
                    scanner.page = page["id"]?.string
                    try scanner.entries()
                } else if let value = try scanner.reader.value() {
                    page.members.append(JSONObject.Member(name: name, value: value))
                }
            }
        }
    }

    private mutating func entries() throws(LenientReader.Problem) {
        hasEntries = true
        try elements { (scanner) throws(LenientReader.Problem) in
            guard scanner.reader.peek() != UInt8(ascii: "{") else { return try scanner.entry() }
            let (offset, line) = (scanner.reader.position, scanner.reader.line)
            try scanner.skip()
            scanner.lose(offset, line, "between the entries stands something that is no object")
        }
    }

    private mutating func skip() throws(LenientReader.Problem) {
        var none: [UInt8] = []
        try reader.value(into: &none, keep: false)
    }

    private mutating func members(
        _ visit: (inout TolerantScanner, String) throws(LenientReader.Problem) -> Void
    ) throws(LenientReader.Problem) {
        reader.advance()
        while true {
            reader.skipSpace()
            guard let byte = reader.peek() else { throw reader.problem("}", isEnd: true) }
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") {
                reader.advance()
                if byte == UInt8(ascii: "}") { return }
                continue
            }
            var text: [UInt8] = []
            try reader.name(byte, &text, true)
            reader.skipSpace()
            try visit(&self, (try? JSONParser.parse(text.dropLast()))?.string ?? "")
        }
    }

    private mutating func elements(
        _ visit: (inout TolerantScanner) throws(LenientReader.Problem) -> Void
    ) throws(LenientReader.Problem) {
        reader.advance()
        while true {
            reader.skipSpace()
            guard let byte = reader.peek() else { throw reader.problem("]", isEnd: true) }
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                reader.advance()
                if byte == UInt8(ascii: "]") { return }
                continue
            }
            try visit(&self)
        }
    }

    // MARK: - Entries

    /// Whether the object that begins here looks like an entry, by the name of its first member, or by what entries have.
    private mutating func isEntry(beyondDoubt: Bool = false) -> Bool {
        let start = (reader.position, reader.line)
        defer { reader.seek(to: start.0, line: start.1) }
        reader.advance()
        reader.skipSpace()
        var text: [UInt8] = []
        guard let byte = reader.peek(), (try? reader.name(byte, &text, true)) != nil,
            let name = (try? JSONParser.parse(text.dropLast()))?.string
        else { return false }
        let isSpelled: Bool
        switch EntryLikeness.firstName(name) {
        case .other: return false
        case .ofEntry where !beyondDoubt: return true
        case .ofEntry: isSpelled = true
        case .perhapsOfEntry(let isSo): isSpelled = isSo
        }
        reader.seek(to: start.0, line: start.1)
        guard let entry = try? reader.value() else { return isSpelled && !beyondDoubt }
        return EntryLikeness.isEntry(entry, isSure: beyondDoubt || !isSpelled)
    }

    private mutating func entry() throws(LenientReader.Problem) {
        hasEntries = true
        let (offset, line) = (reader.position, reader.line)
        if beginning == nil { beginning = EntryBeginning(at: offset, in: source) }
        var json: [UInt8] = []
        do throws(LenientReader.Problem) {
            try reader.value(into: &json)
        } catch {
            if error.isEnd {
                lose(
                    offset,
                    line,
                    Capture.Loss.cutOff("entry", entryCount, after: source.size - offset),
                    isEnd: true
                )
                isTorn = true
                return reader.seek(to: source.size, line: error.line)
            }
            lose(
                error.offset,
                error.line,
                "\(unread) is not read: expected \(error.expected)"
            )
            return findNext(behind: offset, error)
        }
        if !isInsideEntry, EntryLikeness.holdsLog(json) {
            json = []
            isInsideEntry = true
            defer { isInsideEntry = false }
            reader.seek(to: offset, line: line)
            return try object(depth: 1, isExpected: true)
        }
        found(
            .entry(offset: offset, length: reader.position - offset, line: line, json: json, page: page)
        )
        entryCount += 1
    }

    /// The entry that comes next, as a person finds it who counts those that are read.
    private var unread: String {
        guard entryCount == 0 else { return "an entry behind entry \(entryCount - 1)" }
        return lossCount == 0 ? "the first entry" : "an entry before entry 0"
    }

    /// Goes to the next entry, or to the end.
    private mutating func findNext(behind offset: Int, _ problem: LenientReader.Problem) {
        let isLookedFor = lossCount < Self.maximumLosses
        let next = isLookedFor ? beginning?.next(in: source, behind: offset, problem) : nil
        reader.seek(to: next?.offset ?? source.size, line: next?.line ?? problem.line)
    }
}
