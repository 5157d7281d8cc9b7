package import Captures
import JOSE
package import OAuth

/// A code, or what stands in its place, in all spellings in which a request may carry it to somebody.
package struct CarriedCode {
    private struct Spelling {
        var text: String
        var bytes: [UInt8]
    }

    private let value: String
    private let spellings: [Spelling]
    /// Of which one at least stands as it is where an encoder escapes a character or two of it.
    private let parts: [[UInt8]]

    /// `code`: as it was delivered.
    package init(_ code: Parameter) {
        value = code.value
        spellings = Self.spellings(of: code)
        parts = Self.parts(of: Array(code.value.utf8))
    }

    /// Whether a request carries the code; nil where there may be more in its body than the capture shows, or than is looked at.
    func isCarried(by request: RecordedRequest) -> Bool? {
        if isIn(request.url.text) { return true }
        // A page's own parts name its address, with the code in it.
        let fields = request.headers.fields.filter { !$0.name.equalsIgnoringASCIICase("referer") }
        if fields.contains(where: { isIn($0.value) }) { return true }
        if request.isBodyUnsaved { return nil }
        guard let body = request.body else { return false }
        return isCarried(in: body)
    }

    /// Whether a parameter, or a text in the JSON, of a request is a code and nothing else: whoever is told an address has it within that.
    package static func isGiven(_ code: String, by request: RecordedRequest) -> Bool {
        if request.url.queryItems.items.contains(where: { $0.value == code }) { return true }
        guard let body = request.body, (body.size ?? 0) < largest else { return false }
        if FormBody.items(of: body)?.items.contains(where: { $0.value == code }) ?? false { return true }
        return body.bytes.map { ScriptEscape.isWritten("\"\(code)\"", in: $0) } ?? false
    }

    private func isCarried(in body: Body) -> Bool? {
        guard (body.size ?? 0) < Self.largest else { return nil }
        var mayBeCoded = true
        if let bytes = body.bytes {
            if isWritten(in: bytes) { return true }
            if Self.isSealed(bytes) { return nil }
            // One of these alone is the same in every coding of a form.
            mayBeCoded = !value.utf8.allSatisfy(Self.isNeverEncoded)
        }
        if mayBeCoded, FormBody.items(of: body)?.items.contains(where: { $0.value == value }) ?? false {
            return true
        }
        return body.isRecorded && !body.isTruncated ? false : nil
    }

    /// Whether it stands in the text of a body, also with what only some encoders of JSON escape: `=` and `+`, say.
    package func isWritten(in bytes: [UInt8]) -> Bool {
        if spellings.contains(where: { bytes.firstRange(of: $0.bytes) != nil }) { return true }
        // Few bodies are worth a copy.
        guard parts.contains(where: { bytes.firstRange(of: $0) != nil }),
            let plain = ScriptEscape.undone(in: bytes)
        else { return false }
        return plain.firstRange(of: Array(value.utf8)) != nil
    }

    /// Whether it stands in an address or a header.
    package func isIn(_ text: String) -> Bool { spellings.contains { text.containsBytes($0.text) } }

    /// As it is in a text of any kind.
    private static func spellings(of code: Parameter) -> [Spelling] {
        var texts: Set = [code.value, code.rawValue, PercentEncoding.encode(code.value)]
        texts.formUnion(wrapped(code.value))
        return texts.map { Spelling(text: $0, bytes: Array($0.utf8)) }
    }

    /// As it is in the Base64 of whatever an app wraps around it; nothing of a code that others may have by chance.
    private static func wrapped(_ code: String) -> Set<String> {
        code.utf8.count < shortestWrapped ? [] : Base64.cores(of: code.utf8)
    }

    /// Its halves, and the longest part without a character that encoders escape.
    private static func parts(of code: [UInt8]) -> [[UInt8]] {
        let half = code.count / 2
        let longest = code.split { !isNeverEncoded($0) }.max { $0.count < $1.count } ?? []
        return [code[..<half], code[half...], longest].filter { $0.count >= shortestPart }.map { Array($0) }
    }

    /// Whether an app encrypted what it sent (RFC 7516, section 7.1): five parts, the first of which is a JSON object.
    private static func isSealed(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let start = rest.firstRange(of: Array("eyJ".utf8))?.lowerBound {
            let token = rest[start...].prefix(while: isNeverEncoded)
            if token.count(where: { $0 == 0x2e }) == 4 { return true }
            rest = rest[token.endIndex...]
        }
        return false
    }

    /// Letters, digits, `-`, `.` and `_`: not `~`, which forms have as `%7E` (WHATWG URL, section 5.2).
    private static func isNeverEncoded(_ byte: UInt8) -> Bool {
        byte.isBase64URLCharacter || byte == 0x2e
    }

    /// Shorter ones may be in a request by chance.
    private static let shortestWrapped = 16
    private static let shortestPart = 4
    /// In bytes of a body.
    private static let largest = 1 << 16
}
