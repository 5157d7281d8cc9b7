/// A capture that came by mail and was saved as the message: attached, or in its text, in the encodings that mail needs (RFC 2045,
/// sections 6.7 and 6.8).
struct MailedCapture {
    private let source: CaptureSource
    private let scratch: String
    private let name: String

    init(_ source: CaptureSource, scratch: String, name: String) {
        self.source = source
        self.scratch = scratch
        self.name = name
    }

    /// Whether a file begins with the fields of a message: nothing but them up to the first empty line, and one that every mail has.
    static func isMail(_ head: ArraySlice<UInt8>) -> Bool {
        var names: Set<String> = []
        for (place, line) in lines(of: head).dropLast().enumerated() {
            if line.isEmpty { break }
            // In a mailbox a line of its own stands before each.
            if place == 0, line.starts(with: Array("From ".utf8)) { continue }
            if line.first?.isBlank ?? false { continue }
            guard let name = fieldName(line) else { return false }
            names.insert(name)
        }
        // Pages are saved in the same form.
        return !names.contains("snapshot-content-location") && !names.isDisjoint(with: everyMails)
    }

    private static let everyMails: Set<String> = [
        "mime-version", "received", "message-id", "content-transfer-encoding",
    ]

    /// Calls back with what each encoded part holds, until one is taken.
    ///
    /// - Throws: ``CaptureError/inputOutput(path:reason:)`` where there is no room for a part.
    func parts(_ take: (CaptureSource) throws(CaptureError) -> Bool) throws(CaptureError) {
        var reader = MailReader(scratch: scratch, name: name)
        var offset = 0
        var rest: ArraySlice<UInt8> = []
        while offset < source.size {
            let window = source.bytes(at: offset, count: Self.windowSize)
            guard !window.isEmpty else { break }
            offset += window.count
            rest += window
            let isLast = offset >= source.size
            var lines = Self.lines(of: rest)
            rest = isLast ? [] : lines.removeLast()
            if rest.count > Self.longestLine {
                lines.append(rest)
                rest = []
            }
            for line in lines {
                if let part = try reader.read(line), try take(part.source()) { return }
            }
        }
        if let part = try reader.end(), try take(part.source()) { return }
    }

    private static let windowSize = 256 << 10
    /// A mail has 1,000 characters in one at most, and some programs write all of Base64 into one; what is longer is taken for two.
    private static let longestLine = 1 << 20

    /// Without their ends; the last one is what stands behind the last end.
    private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map {
            $0.last == 0x0d ? $0.dropLast() : $0
        }
    }

    /// In lower case.
    static func fieldName(_ line: ArraySlice<UInt8>) -> String? {
        guard let colon = line.firstIndex(of: 0x3a), colon > line.startIndex,
            line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        return String(decoding: line[..<colon], as: UTF8.self).lowercased()
    }
}
