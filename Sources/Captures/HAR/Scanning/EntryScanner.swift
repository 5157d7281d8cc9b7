import JSON

/// Finds the entries of a HAR text by structure alone, window by window; decodes nothing but the names on the
/// way.
///
/// Only the way `log.entries[n]` is read; members of `log` and beside it are handed on, and every other value is skipped by
/// counting brackets outside of strings. Memory is bounded by the largest of them.
struct EntryScanner {
    /// A value with its place in the file.
    struct Found {
        enum Kind: Equatable {
            case entry
            /// Another member of `log`: `creator`, `version`, `pages`, …
            case member(String)
            /// A member beside `log`, without bytes where they are more than ``EntryScanner/mostBeside``.
            case beside(String)
        }

        var kind: Kind
        var offset: Int
        /// In the file.
        var length: Int
        /// What stands there; `null` in the place of long strings, where that was asked for.
        var bytes: [UInt8]
    }

    /// The first byte that is not as it should be.
    struct Problem: Error {
        var offset: Int
        var expected: String
    }

    /// Where the scan stands when the bytes end.
    enum Ending: Equatable {
        case whole
        /// Inside `entries` or behind it, with this many bytes of an unfinished entry.
        case torn(unfinished: Int)
        /// Before `entries` began.
        case noEntries
    }

    /// How deep in the three containers that are read.
    private enum Level: Int {
        case outside, root, log, entries, after
    }

    private enum Expectation {
        case value, valueOrEnd, nameOrEnd, name, colon, commaOrEnd
    }

    private var level: Level = .outside
    private var expectation: Expectation = .value
    private var memberName = ""
    private var hasLog = false
    private(set) var hasEntries = false
    /// Offset behind the last whole entry, or behind `[` while there is none.
    private(set) var endOfLastEntry = 0
    private(set) var entryCount = 0

    // The value that is being skipped.
    private var pending: [UInt8] = []
    private var pendingOffset = 0
    private var pendingKind: Found.Kind?
    private var isSkipping = false
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isScalar = false
    private var isName = false
    private var isLeftOut = false

    /// Bytes that are held of what stands beside `log`: in JSON that is no HAR it may be all there is.
    static let mostBeside = 4 << 20

    /// Strings that are longer are not held; nil holds all.
    private let stringLimit: Int?
    /// Where the string begins in `pending` that is being skipped, at its quote, and how long it is so far.
    private var stringStart = 0
    private var stringLength = 0

    /// `stringLimit`: in the place of a longer string there is `null`; meant for values of what we have written.
    init(stringLimit: Int? = nil) { self.stringLimit = stringLimit }

    var ending: Ending {
        if level == .after { return .whole }
        guard hasEntries else { return .noEntries }
        return .torn(unfinished: pendingKind == .entry ? pending.count : 0)
    }

    /// Reads a window that begins at `base` in the file.
    mutating func scan(_ window: UnsafeBufferPointer<UInt8>, at base: Int, found: (Found) throws -> Void)
        throws
    {
        var index = 0
        while index < window.count {
            if isSkipping {
                let start = index
                let wasInString = isInString
                let isFinished = skip(window, &index)
                if pendingKind != nil { keep(window[start..<index], isInString: wasInString) }
                if isFinished { try finish(at: base + index, found) }
                continue
            }
            let byte = window[index]
            if byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
                index += 1
                continue
            }
            try structural(byte, at: base + index)
            if !isSkipping { index += 1 }
        }
    }

    // MARK: - Structure

    private mutating func structural(_ byte: UInt8, at offset: Int) throws {
        switch expectation {
        case .value, .valueOrEnd:
            if expectation == .valueOrEnd, byte == UInt8(ascii: "]") { return try leave(byte, at: offset) }
            try value(byte, at: offset)
        case .nameOrEnd, .name:
            if expectation == .nameOrEnd, byte == UInt8(ascii: "}") { return try leave(byte, at: offset) }
            guard byte == UInt8(ascii: "\"") else {
                throw Problem(offset: offset, expected: "a member name in quotes")
            }
            isName = true
            beginSkipping(at: offset, kind: .member(""))
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw Problem(offset: offset, expected: "a colon") }
            expectation = .value
        case .commaOrEnd:
            guard level != .after else { throw Problem(offset: offset, expected: "the end of the file") }
            if byte == UInt8(ascii: ",") {
                expectation = level == .entries ? .value : .name
            } else {
                try leave(byte, at: offset)
            }
        }
    }

    private mutating func value(_ byte: UInt8, at offset: Int) throws {
        switch level {
        case .outside:
            guard byte == UInt8(ascii: "{") else {
                throw Problem(offset: offset, expected: "a HAR file: an object with \"log\"")
            }
            level = .root
            expectation = .nameOrEnd
        case .root where memberName == "log" && !hasLog:
            guard byte == UInt8(ascii: "{") else {
                throw Problem(offset: offset, expected: "\"log\" to be an object")
            }
            hasLog = true
            level = .log
            expectation = .nameOrEnd
        case .log where memberName == "entries" && !hasEntries:
            guard byte == UInt8(ascii: "[") else {
                throw Problem(offset: offset, expected: "\"entries\" to be an array")
            }
            hasEntries = true
            level = .entries
            expectation = .valueOrEnd
            endOfLastEntry = offset + 1
        case .root where memberName == "log" && byte == UInt8(ascii: "{"),
            .log where memberName == "entries" && byte == UInt8(ascii: "["):
            // Readers differ in which of the two they take; none may be lost.
            throw Problem(offset: offset, expected: "one \"\(memberName)\" only")
        case .entries:
            guard byte == UInt8(ascii: "{") else {
                throw Problem(offset: offset, expected: "an entry to be an object")
            }
            beginSkipping(at: offset, kind: .entry)
        default:
            beginSkipping(at: offset, kind: level == .log ? .member(memberName) : .beside(memberName))
        }
    }

    private mutating func leave(_ byte: UInt8, at offset: Int) throws {
        let close = level == .entries ? UInt8(ascii: "]") : UInt8(ascii: "}")
        guard byte == close else {
            throw Problem(offset: offset, expected: "a comma or \(level == .entries ? "]" : "}")")
        }
        switch level {
        case .entries: level = .log
        case .log: level = .root
        default:
            guard hasLog else { throw Problem(offset: offset, expected: "a member \"log\"") }
            guard hasEntries else {
                throw Problem(offset: offset, expected: "a member \"entries\" in \"log\"")
            }
            level = .after
        }
        expectation = .commaOrEnd
    }

    // MARK: - Skipping

    private mutating func beginSkipping(at offset: Int, kind: Found.Kind?) {
        isSkipping = true
        pendingKind = kind
        pendingOffset = offset
        pending.removeAll(keepingCapacity: true)
        isLeftOut = false
        depth = 0
        isInString = false
        isScalar = false
    }

    private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isInString: Bool) {
        if case .beside? = pendingKind, isLeftOut || pending.count + bytes.count > Self.mostBeside {
            isLeftOut = true
            return pending.removeAll()
        }
        guard let stringLimit else { return pending.append(contentsOf: bytes) }
        guard isInString else {
            pending.append(contentsOf: bytes)
            (stringStart, stringLength) = (pending.count - 1, 0)
            return
        }
        let wasShort = stringLength <= stringLimit
        stringLength += bytes.count
        if stringLength <= stringLimit {
            pending.append(contentsOf: bytes)
        } else if wasShort {
            pending.removeSubrange(stringStart...)
            pending.append(contentsOf: "null".utf8)
        }
    }

    /// Moves `index` behind the value, or to the end of the window; true when the value is whole.
    ///
    /// Where strings may be left out, also behind the quotes of each.
    private mutating func skip(_ window: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Bool {
        while index < window.count {
            let byte = window[index]
            if isInString {
                if isEscaped {
                    isEscaped = false
                    index += 1
                    continue
                }
                index = Self.endOfPlain(window, from: index)
                guard index < window.count else { break }
                index += 1
                if window[index - 1] == UInt8(ascii: "\\") {
                    isEscaped = true
                    continue
                }
                isInString = false
                if depth == 0 { return true }
                if stringLimit != nil { return false }
                continue
            }
            if isScalar {
                // Ends before the byte that follows it.
                if byte <= 0x20 || byte == 0x2c || byte == 0x7d || byte == 0x5d { return true }
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                if stringLimit != nil {
                    index += 1
                    return false
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 {
                    index += 1
                    return true
                }
            default: if depth == 0, byte > 0x20 { isScalar = true }
            }
            index += 1
        }
        return false
    }

    /// Where the next quote or backslash is, or the window ends: eight bytes at a time.
    private static func endOfPlain(_ window: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(window)
        var index = start
        while index + 8 <= window.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let special =
                ((word ^ 0x2222_2222_2222_2222).zeroBytes | (word ^ 0x5c5c_5c5c_5c5c_5c5c).zeroBytes)
                & 0x8080_8080_8080_8080
            guard special == 0 else { return index + special.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < window.count, window[index] != UInt8(ascii: "\""), window[index] != UInt8(ascii: "\\") {
            index += 1
        }
        return index
    }

    private mutating func finish(at end: Int, _ found: (Found) throws -> Void) throws {
        isSkipping = false
        if isName {
            isName = false
            memberName = (try? JSONParser.parse(pending))?.string ?? ""
            expectation = .colon
            return
        }
        expectation = .commaOrEnd
        guard let kind = pendingKind else { return }
        try found(
            Found(kind: kind, offset: pendingOffset, length: end - pendingOffset, bytes: pending)
        )
        pendingKind = nil
        if kind == .entry {
            endOfLastEntry = end
            entryCount += 1
        }
    }
}
