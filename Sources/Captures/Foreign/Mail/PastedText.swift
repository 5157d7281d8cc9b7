/// A capture that somebody put into other text: between the fences of a ticket, behind `const har =`, into a page with HTML's
/// character references or into a script of one, or as a string, or in Base64, into other JSON.
struct PastedText {
    private enum Form {
        case plain, html, script, quoted, base64
        /// In a page that colours its parts: a tag stands around each.
        case coloured

        /// What ends it, where nothing else does: the next tag, or the fence; neither can stand inside of the JSON there.
        var end: String {
            switch self {
            case .html: "</"
            case .script: "</script"
            case .coloured: "</body"
            case .plain, .quoted, .base64: "\n```"
            }
        }
    }

    private let source: CaptureSource
    private var form: Form
    private let start: Int

    /// The capture begins near the beginning, or is not looked for.
    private static let nearBytes = 1 << 20
    private static let windowSize = 256 << 10
    /// The name that a capture's outermost object has, in each form.
    private static let names: [(text: String, form: Form)] =
        [
            ("\"log\"", .plain), ("&quot;log&quot;", .html), ("&#34;log&#34;", .html),
            ("\\\"log\\\"", .quoted),
        ] + beginnings.map { (Base64.encode($0.utf8), .base64) }
    /// Of captures, as programs indent them; of each as many bytes as Base64 tells apart from what follows.
    private static let beginnings = [
        "{\"log\"", "{\n  \"log\"", "{\r\n  \"log", "{\n    \"lo", "{\n\t\"lo",
    ]

    /// Nil where there is no such capture, or nothing but one.
    init?(_ source: CaptureSource) {
        let head = source.bytes(at: 0, count: Self.nearBytes)
        let isInPage = head.first { $0 > 0x20 } == UInt8(ascii: "<")
        let found = Self.names.compactMap { name in
            Self.beginning(of: name.form, before: Array(name.text.utf8), in: head, isInPage: isInPage).map {
                (name.form, $0)
            }
        }
        guard let (form, start) = found.min(by: { $0.1 < $1.1 }) else { return nil }
        self.source = source
        self.form =
            form == .plain && isInPage ? Self.isInScript(head[..<start]) ? .script : .html : form
        if self.form == .html, isInPage, head[(start + 1)...].first(where: { $0 > 0x20 }) == 0x3c {
            self.form = .coloured
        }
        self.start = start
        if self.form == .plain, head[..<start].allSatisfy({ $0 <= 0x20 }) { return nil }
    }

    /// Whether a page that goes on behind this is in a script, which has no character references.
    private static func isInScript(_ before: ArraySlice<UInt8>) -> Bool {
        let page = Array(before)
        var place = 0
        while let tag = ByteSearch.index(of: Array("<script".utf8), in: page, from: place) {
            guard let end = ByteSearch.index(of: Array("</script".utf8), in: page, from: tag) else {
                return true
            }
            place = end
        }
        return false
    }

    /// Where the object, or the string that holds it, begins whose first member has this name.
    ///
    /// `isInPage`: tags may stand between.
    private static func beginning(of form: Form, before name: [UInt8], in head: [UInt8], isInPage: Bool)
        -> Int?
    {
        var place = 0
        while let found = ByteSearch.index(of: name, in: head, from: place) {
            var before = head[..<found]
            if form == .base64 {
                if before.last.map({ Base64Alphabet.values[Int($0)] == 255 }) ?? true { return found }
                place = found + 1
                continue
            }
            var tags = 0
            // Taking an element out would copy all of them.
            while let last = before.last {
                if isSpace(last, before, form) {
                    before = before.dropLast()
                } else if isInPage, last == 0x3e, tags < mostTags,
                    let tag = before.suffix(longestTag).lastIndex(of: 0x3c)
                {
                    tags += 1
                    before = before[..<tag]
                } else {
                    break
                }
            }
            if before.last == UInt8(ascii: "{") {
                guard form == .quoted else { return before.endIndex - 1 }
                before = before.dropLast()
                if let quote = before.lastIndex(of: 0x22) { return quote }
            }
            place = found + 1
        }
        return nil
    }

    /// In bytes.
    private static let longestTag = 1 << 10
    /// Between a bracket and the name behind it: those of a line and of its number, and of either part.
    private static let mostTags = 32

    /// In a string white space is spelled `\n`.
    private static func isSpace(_ last: UInt8, _ before: ArraySlice<UInt8>, _ form: Form) -> Bool {
        guard last > 0x20 else { return true }
        guard form == .quoted else { return false }
        return last == UInt8(ascii: "\\")
            || "nrt".utf8.contains(last) && before.dropLast().last == UInt8(ascii: "\\")
    }

    /// The capture, without what stands around it as far as that can be told.
    func convert(into text: ScratchText) throws(CaptureError) {
        switch form {
        case .quoted: try QuotedText.convert(source, from: start, into: text)
        case .base64: try convertBase64(into: text)
        case .plain, .html, .script, .coloured: try convertPlain(into: text)
        }
    }

    /// In a string slashes and line ends may be spelled `\/` and `\n`.
    private func convertBase64(into text: ScratchText) throws(CaptureError) {
        guard start > 0, source.bytes(at: start - 1, count: 1) == [0x22] else {
            return try Base64Text.convert(source, from: start, into: text)
        }
        let digits = text.another()
        try QuotedText.convert(source, from: start - 1, into: digits)
        try Base64Text.convert(digits.source(), from: 0, into: text)
    }

    private func convertPlain(into text: ScratchText) throws(CaptureError) {
        let end = self.end
        var offset = start
        while offset < end {
            var window = source.bytes(at: offset, count: min(Self.windowSize, end - offset))
            guard !window.isEmpty else { return }
            if offset + window.count < end { window.removeLast(unfinished(window)) }
            offset += window.count
            if form == .coloured { window = Self.withoutTags(window) }
            let out = form == .html || form == .coloured ? Array(HTMLText.decode(window).utf8) : window
            try out.withUnsafeBufferPointer { piece throws(CaptureError) in try text.append(piece) }
        }
    }

    private var end: Int {
        if form == .script, let end = endOfValue { return end }
        let mark = Array(form.end.utf8)
        var offset = start
        while offset < source.size {
            let window = source.bytes(at: offset, count: Self.windowSize)
            if let found = ByteSearch.index(of: mark, in: window) { return offset + found }
            guard window.count == Self.windowSize else { break }
            offset += window.count - mark.count
        }
        return source.size
    }

    /// Where the object ends, behind which the script goes on; nil where it does not.
    private var endOfValue: Int? {
        var reader = LenientReader(source, at: start)
        var none: [UInt8] = []
        return (try? reader.value(into: &none, keep: false)).map { reader.position }
    }

    private static func withoutTags(_ window: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(window.count)
        var isInTag = false
        for byte in window {
            if byte == 0x3c { isInTag = true }
            if !isInTag { out.append(byte) }
            if byte == 0x3e { isInTag = false }
        }
        return out
    }

    /// Bytes at the end of a window that belong to a tag, a reference or a character whose rest is not there.
    private func unfinished(_ window: [UInt8]) -> Int {
        let longest = Self.longestTag
        if form == .coloured, let tag = window.suffix(longest).lastIndex(of: 0x3c), tag > 0,
            !window[tag...].contains(0x3e)
        {
            return window.count - tag
        }
        if let reference = window.suffix(12).lastIndex(of: 0x26), reference > 0 {
            return window.count - reference
        }
        return window.withUnsafeBufferPointer(TextCheck.unfinished)
    }
}
