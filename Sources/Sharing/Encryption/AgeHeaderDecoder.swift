import Captures

/// Reads the header of an age file as it comes, in pieces of any size.
///
/// Strict, as the specification wants it: there is one text only for any header, so nothing in it can be changed unnoticed.
package struct AgeHeaderDecoder {
    /// Room for every stanza there may be, the long ones of today's plugins included.
    package static let maximumBytes = 1 << 20
    /// Each may cost an X25519 product for each identity, so a header of this size is tried in a blink.
    package static let maximumStanzas = 1024

    private var text: [UInt8] = []
    private var lineStart = 0
    /// The line that is being read, from 1.
    private var lineNumber = 1
    private var stanzas: [AgeHeader.Stanza] = []
    private var isInBody = false

    package init() {}

    /// Takes what belongs to the header from the front of `bytes`.
    ///
    /// - Returns: the header, once its last line is there; what follows it is left in `bytes`.
    /// - Throws: ``AgeError`` at the first line that is not as it should be.
    package mutating func push(_ bytes: inout ArraySlice<UInt8>) throws(AgeError) -> AgeHeader? {
        while let feed = bytes.firstIndex(of: 0x0a) {
            try append(bytes[...feed])
            bytes = bytes[(feed + 1)...]
            if let header = try endLine() { return header }
            lineStart = text.count
            lineNumber += 1
        }
        try append(bytes)
        bytes = []
        return nil
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(AgeError) {
        guard text.count + bytes.count <= Self.maximumBytes else { throw .headerTooLong }
        text += bytes
    }

    /// Looks at the line that is whole now.
    private mutating func endLine() throws(AgeError) -> AgeHeader? {
        let line = text[lineStart..<(text.count - 1)]
        if lineNumber == 1 {
            try checkVersion(line)
        } else if isInBody {
            try appendBody(line)
        } else if line.starts(with: AgeHeader.lastLine) {
            return try header(endingWith: line)
        } else {
            try appendStanza(line)
        }
        return nil
    }

    private func checkVersion(_ line: ArraySlice<UInt8>) throws(AgeError) {
        let introduction = AgeFile.introduction
        guard line.starts(with: introduction) else { throw wrong("age-encryption.org/v1") }
        let version = line.dropFirst(introduction.count)
        if version.elementsEqual(AgeFile.version) { return }
        guard version.last != 0x0d else { throw wrong("a line end of one byte, not a Windows one") }
        guard Self.isArgument(version), version.count <= 40 else { throw wrong("age-encryption.org/v1") }
        throw .unsupportedVersion(String(decoding: version, as: UTF8.self))
    }

    private mutating func appendStanza(_ line: ArraySlice<UInt8>) throws(AgeError) {
        let arguments = line.dropFirst(3).split(separator: 0x20, omittingEmptySubsequences: false)
        guard line.starts(with: [0x2d, 0x3e, 0x20]), arguments.allSatisfy(Self.isArgument) else {
            throw wrong(
                stanzas.isEmpty ? "-> and a recipient's type" : "-> and a recipient's type, or ---"
            )
        }
        guard stanzas.count < Self.maximumStanzas else { throw .tooManyStanzas }
        let words = arguments.map { String(decoding: $0, as: UTF8.self) }
        stanzas.append(AgeHeader.Stanza(type: words[0], arguments: Array(words.dropFirst()), body: []))
        isInBody = true
    }

    private mutating func appendBody(_ line: ArraySlice<UInt8>) throws(AgeError) {
        guard line.count <= AgeHeader.columns, let bytes = Base64.decodeStrictly(line, isPadded: false) else {
            throw wrong("base64 without =, in at most \(AgeHeader.columns) columns")
        }
        stanzas[stanzas.count - 1].body += bytes
        isInBody = line.count == AgeHeader.columns
    }

    private func header(endingWith line: ArraySlice<UInt8>) throws(AgeError) -> AgeHeader {
        guard !stanzas.isEmpty else { throw wrong("-> and a recipient's type") }
        let mark = AgeHeader.lastLine.count
        guard line.dropFirst(mark).first == 0x20,
            let code = Base64.decodeStrictly(line.dropFirst(mark + 1), isPadded: false), code.count == 32
        else { throw wrong("--- and 43 characters of base64") }
        guard stanzas.count == 1 || !stanzas.contains(where: { $0.type == AgeScrypt.type }) else {
            throw .passphraseBesideOthers
        }
        return AgeHeader(stanzas: stanzas, text: Array(text[..<(lineStart + mark)]), code: code)
    }

    private func wrong(_ expected: String) -> AgeError {
        .malformedHeader(line: lineNumber, expected: expected)
    }

    /// One and more visible characters of ASCII.
    private static func isArgument(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (33...126).contains($0) }
    }
}
