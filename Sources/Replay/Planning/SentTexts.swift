package import Captures
import JOSE
import JSON

/// Which texts the requests of a recording hold, to tell what of an answer is of use later on.
///
/// May say of a text that it is there when it is nowhere; never the other way round.
package struct SentTexts: Sendable {
    /// Short ones, each a value of its own.
    private var short: Set<String> = []
    /// A bit for each hash of so many bytes that stand beside each other somewhere.
    private var windows = [UInt64](repeating: 0, count: 1 << 14)
    private static let window = RunValues.shortestInside

    package init() {}

    /// Notes what a request carries, as it is and decoded.
    package mutating func note(_ request: RecordedRequest) {
        note(request.url.text)
        for item in request.url.queryItems.items { note(item.value) }
        for field in request.headers.fields where !HeaderRules.isLeftOut(field) {
            note(field.value)
            let words = field.value.utf8.split(separator: 0x20, maxSplits: 1).map { String(Substring($0)) }
            guard words.count == 2 else { continue }
            note(words[1])
            guard words[0].lowercased() == "basic" else { continue }
            for part in Base64.decode(words[1]).split(separator: 0x3a, maxSplits: 1) {
                note(String(decoding: part, as: UTF8.self))
            }
        }
        guard let body = request.body else { return }
        if let form = FormBody.items(of: body) {
            for item in form.items { note(item.value) }
        } else if let bytes = body.bytes, let json = try? JSONParser.parse(bytes) {
            note(json)
        }
        if let text = body.text { note(text) }
    }

    /// Notes a value of a request, and what it says if it is a token.
    package mutating func note(_ text: String) {
        noteBytes(of: text)
        if text.utf8.contains(0x25) || text.utf8.contains(0x2b) {
            // Once and twice, and as a form has it.
            let once = PercentEncoding.decode(text)
            noteBytes(of: once)
            noteBytes(of: PercentEncoding.decode(text, plusIsSpace: true))
            if once.utf8.contains(0x25) { noteBytes(of: PercentEncoding.decode(once)) }
        }
        for content in EncodedRun.contents(of: text) {
            noteBytes(of: String(decoding: content, as: UTF8.self))
        }
        guard let token = JSONWebToken.parse(text) else { return }
        for part in [token.header, token.claims] {
            if let part { note(.object(part)) }
        }
    }

    private mutating func note(_ value: JSONValue) {
        switch value {
        case .string(let text): note(text)
        case .array(let elements): for element in elements { note(element) }
        case .object(let object): for member in object.members { note(member.value) }
        default: break
        }
    }

    private mutating func noteBytes(of text: String) {
        guard text.utf8.count >= Self.window else {
            short.insert(text)
            return
        }
        Self.eachWindow(of: text) { windows[$0 >> 6] |= 1 << UInt64($0 & 63) }
    }

    /// Whether a text may be part of a request as it is.
    package func mayHold(_ text: String) -> Bool {
        guard text.utf8.count >= Self.window else { return short.contains(text) }
        var isThere = true
        Self.eachWindow(of: text) { isThere = isThere && windows[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 }
        return isThere
    }

    /// The bit of each run of bytes.
    private static func eachWindow(of text: String, _ visit: (Int) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var run: UInt64 = 0
            for (index, byte) in bytes.enumerated() {
                run = run << 8 | UInt64(byte)
                guard index >= window - 1 else { continue }
                visit(Int(truncatingIfNeeded: (run &* 0x9e37_79b9_7f4a_7c15) >> 44))
            }
        }
    }
}
