import Captures

/// Tells bodies that can be read from those that still have a content coding around them, and undoes it.
///
/// A recorder says what it could not undo (`_authreel.contentCoding`); other tools write what they got, with a header field
/// that is true or not, or with none.
enum CodedBody {
    enum Reading: Equatable {
        /// Nothing is around it.
        case plain
        /// What it is without its codings.
        case decoded([UInt8])
        /// Nobody can say what is in it.
        case unreadable
    }

    /// Bytes of a decoded body at most: what is larger is not looked into, and counts as not read.
    private static let limit = 1 << 26
    private static let maximumLayers = 8

    /// What a body is.
    ///
    /// `label`: the codings that its recorder could not undo, outermost last.
    /// `codings`: those that the message names; a tool that undid them leaves the names.
    static func reading(of bytes: [UInt8], mediaType: String, label: [String]?, codings: [String]) -> Reading
    {
        if isReplaced(bytes) { return .plain }
        guard let inner = Self.inUTF8(undone(bytes, label ?? codings), else: bytes) else {
            return isUnread(bytes, mediaType: mediaType, isLabelled: label != nil) ? .unreadable : .plain
        }
        return isUnread(inner, mediaType: mediaType, isLabelled: false) ? .unreadable : .decoded(inner)
    }

    /// Whether nobody can say what is in these bytes: pictures and messages in a binary form, too.
    ///
    /// `isLabelled`: they are said to be coded, and need not look so.
    static func isUnread(_ bytes: [UInt8], mediaType: String, isLabelled: Bool) -> Bool {
        if isReplaced(bytes) { return false }
        if coding(of: bytes) != nil || isUTF16(bytes) { return true }
        let form = BinaryForm(mediaType)
        if form == .unreadable { return !TextKind.opensDocument(bytes[...]) }
        guard String(validating: bytes, as: UTF8.self) == nil else {
            return form == .unknown && bytes.contains { $0 == 0 || isControl($0) }
        }
        return isLabelled || form != .open && bytes.contains(where: isControl)
            || form == .unknown && isBinary(bytes)
    }

    /// Whether bytes that are no UTF-8 are no text of a single-byte character set either, as MessagePack may be without a control
    /// character: some are controls there, too (ISO 8859), and more is wrong with them than a character that is cut.
    private static func isBinary(_ bytes: [UInt8]) -> Bool {
        bytes.contains { (0x80..<0xa0).contains($0) }
            && String(decoding: bytes, as: UTF8.self).unicodeScalars.count { $0 == "\u{fffd}" } > 3
    }

    /// A multipart body with other parts in the place of those that nobody can read, in the parts of a part as well; nil where there
    /// are none.
    ///
    /// `depth`: how many bodies it is a part of.
    static func withoutUnreadParts(_ bytes: [UInt8], mediaType: String, depth: Int = 0) -> [UInt8]? {
        guard depth < maximumLayers, case .multipart(let boundary) = BodyKind.kind(of: mediaType, bytes)
        else {
            return nil
        }
        var output = Splicer(bytes)
        for part in MultipartSlots.parts(in: bytes[...], boundary: boundary) {
            let value = Array(bytes[part.value])
            if part.mediaType.lowercased().hasPrefix("multipart/"),
                let other = withoutUnreadParts(value, mediaType: part.mediaType, depth: depth + 1)
            {
                output.replace(part.value, with: other)
                continue
            }
            guard !value.isEmpty,
                isUnread(value, mediaType: part.mediaType, isLabelled: false)
                    || !part.fileNames.isEmpty && isSomebodysText(value, mediaType: part.mediaType)
            else { continue }
            output.replace(part.value, with: replacement(of: value))
        }
        return output.finished()
    }

    /// Whether a file that was sent is in somebody's own words, which nothing names.
    private static func isSomebodysText(_ bytes: [UInt8], mediaType: String) -> Bool {
        let type = Body.essence(of: mediaType)
        guard ["", "text/plain", "application/octet-stream"].contains(type), !isReplaced(bytes) else {
            return false
        }
        switch TextKind.guessed(bytes[...]) {
        case .text, .lines: return TableSlots.slots(in: bytes[...]).isEmpty
        default: return false
        }
    }

    /// A text of the same length that says nothing, and that everybody knows for the mark that it is.
    ///
    /// What shows that it was compressed, or of UTF-16, stays: that may be what is wrong with it.
    static func replacement(of bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: gzip) { return gzip + Array(repeating: 0x2a, count: bytes.count - gzip.count) }
        let isUTF16 = isUTF16(bytes)
        return bytes.map { $0 == 0 && isUTF16 ? 0 : 0x2a }
    }

    private static func isReplaced(_ bytes: [UInt8]) -> Bool {
        bytes.dropFirst(bytes.starts(with: gzip) ? gzip.count : 0).allSatisfy { $0 == 0x2a || $0 == 0 }
    }

    /// What it begins with (RFC 1952, section 2.3.1).
    private static let gzip: [UInt8] = [0x1f, 0x8b]

    /// A body without its codings, as far as they can be undone; nil where none could.
    private static func undone(_ bytes: [UInt8], _ named: [String]) -> [UInt8]? {
        var bytes = bytes
        var named = named
        var isUndone = false
        for _ in 0..<maximumLayers {
            if let coding = coding(of: bytes) {
                guard let inner = decoded(bytes, coding) else { break }
                bytes = inner
                isUndone = true
                if named.last.map(canonical) == coding { named.removeLast() }
                continue
            }
            // What is text is none of it, whatever its labels say.
            guard let last = named.last, !hasByteOrderMark(bytes),
                String(validating: bytes, as: UTF8.self) == nil,
                let inner = decoded(bytes, last),
                coding(of: inner) != nil || named.count > 1 || hasByteOrderMark(inner)
                    || String(validating: inner, as: UTF8.self) != nil
            else { break }
            bytes = inner
            isUndone = true
            named.removeLast()
        }
        return isUndone ? bytes : nil
    }

    private static func decoded(_ bytes: [UInt8], _ coding: String) -> [UInt8]? {
        let result = ContentCoding.decode(bytes, codings: [coding], limit: limit)
        guard result.remaining == nil, !result.bytes.isEmpty, result.bytes.count < limit else { return nil }
        return result.bytes
    }

    private static func canonical(_ coding: String) -> String { coding == "x-gzip" ? "gzip" : coding }

    /// The coding that the first bytes of a body tell.
    private static func coding(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: gzip) { return "gzip" }
        return bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) ? "zstd" : nil
    }

    /// What was decoded, and text of UTF-16 in any case, in UTF-8.
    private static func inUTF8(_ decoded: [UInt8]?, else bytes: [UInt8]) -> [UInt8]? {
        let text = decoded ?? bytes
        guard isUTF16(text), text.count.isMultiple(of: 2) else { return decoded }
        let isMarked = hasByteOrderMark(text)
        let isBig = isMarked ? text[0] == 0xfe : text[0] == 0
        let units = text.dropFirst(isMarked ? 2 : 0).utf16Units(isBigEndian: isBig)
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) } ?? decoded
    }

    /// Text of UTF-16, with its mark or without.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool { hasByteOrderMark(bytes) || isBareUTF16(bytes) }

    /// Text of UTF-16 without a mark: of all pairs of bytes one is zero, in nine of ten the same one.
    private static func isBareUTF16(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8, bytes.count.isMultiple(of: 2), (bytes[0] == 0) != (bytes[1] == 0) else {
            return false
        }
        let zero = bytes[0] == 0 ? 0 : 1
        let pairs = stride(from: 0, to: bytes.count, by: 2)
        guard pairs.allSatisfy({ bytes[$0 + 1 - zero] != 0 }) else { return false }
        return pairs.lazy.filter { bytes[$0 + zero] == 0 }.count * 10 >= bytes.count / 2 * 9
    }

    /// Text of UTF-16: behind its mark a quarter of the characters and more are of ASCII, as in every document.
    private static func hasByteOrderMark(_ bytes: [UInt8]) -> Bool {
        let isBig = bytes.starts(with: [0xfe, 0xff])
        guard isBig || bytes.starts(with: [0xff, 0xfe]) else { return false }
        let high = stride(from: isBig ? 2 : 3, to: bytes.count, by: 2)
        return high.lazy.filter { bytes[$0] == 0 }.count * 4 >= bytes.count / 2 - 1
    }

    /// What no text has in whatever character set, UTF-16 included.
    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0 && byte != 0x1b && !(0x09...0x0d).contains(byte) || byte == 0x7f
    }
}
