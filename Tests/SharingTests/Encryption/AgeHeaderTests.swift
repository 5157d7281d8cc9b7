import TestSupport
import Testing

@testable import Sharing

/// Headers that are not as they should be: one text only is right for any header.
struct AgeHeaderTests {

    @Test func linesAreWrittenAsTheSpecificationHasThem() throws {
        let stanzas = [0, 1, 47, 48, 49, 96].map {
            AgeHeader.Stanza(type: "t", arguments: ["a", "b"], body: [UInt8](repeating: 0, count: $0))
        }
        let header = try AgeHeader(stanzas: stanzas, key: HandmadeFile.fileKey())
        let full = String(repeating: "A", count: 64)
        let lines = String(decoding: header.bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(
            lines.dropLast(2) == [
                "age-encryption.org/v1", "-> t a b", "", "-> t a b", "AA", "-> t a b", full.dropLast(1),
                "-> t a b", Substring(full), "", "-> t a b", Substring(full), "AA", "-> t a b",
                Substring(full), Substring(full), "",
            ]
        )
        #expect(lines.suffix(2).first?.count == 47 && lines.last == "")
        var bytes = (header.bytes + [1, 2, 3])[...]
        var decoder = AgeHeaderDecoder()
        #expect(try decoder.push(&bytes) == header)
        #expect(bytes.elementsEqual([1, 2, 3]))
    }

    /// Each with a right code, so that nothing else is wrong with it.
    @Test(
        arguments: [
            ("", 2, "->"), ("\n", 2, "->"), ("X25519 a\n\n", 2, "->"), ("->X25519 a\n\n", 2, "->"),
            ("-> \n\n", 2, "->"), ("->\n\n", 2, "->"), ("->  X25519\n\n", 2, "->"),
            ("-> X25519 \n\n", 2, "->"),
            ("-> X25519  a\n\n", 2, "->"), ("-> é\n\n", 2, "->"), ("-> a\u{7f}\n\n", 2, "->"),
            ("-> a\tb\n\n", 2, "->"), ("-> a\r\n\n", 2, "->"), ("-> a\n\r\n", 3, "base64"),
            ("-> a\nAAA=\n", 3, "base64"), ("-> a\nA\n", 3, "base64"), ("-> a\nAB\n", 3, "base64"),
            ("-> a\nAA-_\n", 3, "base64"), ("-> a\nAA AA\n", 3, "base64"),
            ("-> a\n\(String(repeating: "A", count: 65))\n", 3, "base64"),
            ("-> a\n\(String(repeating: "A", count: 68))\n", 3, "base64"),
            // A body of full lines ends with an empty one.
            ("-> a\n\(String(repeating: "A", count: 64))\n", 4, "base64"),
            ("-> a\n\(String(repeating: "A", count: 64))\n-> b\n\n", 4, "base64"),
            // Behind a short line the body is over.
            ("-> a\nAAAA\nAAAA\n", 4, "->"), ("-> a\n\n\n", 4, "->"),
        ] as [(String, Int, String)]
    )
    func lineThatIsNotAsItShouldBeIsNamed(lines: String, number: Int, expected: String) throws {
        let file = try HandmadeFile.file(headerLines: lines)
        let error = try #require(throws: AgeError.self) { try HandmadeFile.decrypted(file) }
        guard case .malformedHeader(number, let words) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(words.contains(expected))
    }

    @Test func unknownStanzasArePassedOver() throws {
        let own = try HandmadeFile.stanza()
        let other = AgeHeader.Stanza(type: "a!b", arguments: ["~", "-->"], body: [1, 2, 3])
        let empty = AgeHeader.Stanza(type: "x", arguments: [], body: [])
        #expect(
            try HandmadeFile.decrypted(HandmadeFile.file([other, empty, own, other])) == HandmadeFile.text
        )
        #expect(throws: AgeError.noMatch(types: ["a!b", "x"], recipients: [HandmadeFile.recipientText])) {
            try HandmadeFile.decrypted(HandmadeFile.file([other, empty, empty]))
        }
        // What age puts in so that nobody relies on there being nothing else is not for anybody.
        let grease = AgeHeader.Stanza(type: "q#-grease", arguments: [], body: [1])
        #expect(throws: AgeError.noMatch(types: ["x"], recipients: [HandmadeFile.recipientText])) {
            try HandmadeFile.decrypted(HandmadeFile.file([grease, empty]))
        }
        let long = AgeHeader.Stanza(type: String(repeating: "t", count: 5000), arguments: [], body: [])
        let error = try #require(throws: AgeError.self) {
            try HandmadeFile.decrypted(HandmadeFile.file([long]))
        }
        #expect("\(error)".count < 200)
    }

    @Test(
        arguments: [
            ("v2", .unsupportedVersion("v2")), ("v1.1", .unsupportedVersion("v1.1")),
            ("v1\r", .malformedHeader(line: 1, expected: "a line end of one byte, not a Windows one")),
            ("", .malformedHeader(line: 1, expected: "age-encryption.org/v1")),
            ("v1 ", .malformedHeader(line: 1, expected: "age-encryption.org/v1")),
            ("v1\u{1b}[2J", .malformedHeader(line: 1, expected: "age-encryption.org/v1")),
        ] as [(String, AgeError)]
    )
    func otherVersionsAreRefused(version: String, error: AgeError) throws {
        let file = try HandmadeFile.file([HandmadeFile.stanza()])
        let other = Array("age-encryption.org/\(version)".utf8) + file.dropFirst(21)
        #expect(throws: error) { try HandmadeFile.decrypted(other) }
    }

    // MARK: - Its last line

    @Test(arguments: [
        "---", "--- ", "---  C", "---C", "--- C ", "--- C=", "--- C\r", "--- C C", "--- Ce", "-- C", "--- C'",
        "----C",
    ])
    func lastLineIsTheCodeAndNothingElse(pattern: String) throws {
        let file = try HandmadeFile.file([HandmadeFile.stanza()])
        let header = try AgeHeader(stanzas: [HandmadeFile.stanza()], key: HandmadeFile.fileKey())
        var code = String(decoding: AgeHeader.base64(header.code), as: UTF8.self)
        // The last of 43 digits has two bits that are not the code's; set, they spell the same bytes once more.
        if pattern.hasSuffix("'") {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            let last = try #require(alphabet.firstIndex(of: code.removeLast()))
            code.append(alphabet[last + 1])
        }
        let line = pattern.replacing("'", with: "").replacing("C", with: code)
        let changed = header.text.dropLast(3) + Array(line.utf8) + file.dropFirst(header.bytes.count - 1)
        let error = try #require(throws: AgeError.self) { try HandmadeFile.decrypted(Array(changed)) }
        guard case .malformedHeader(line: 4, _) = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func headerOfAnotherKeyIsNoticed() throws {
        let header = try AgeHeader(stanzas: [HandmadeFile.stanza()], key: HandmadeFile.fileKey())
        var code = header.code
        code[31] ^= 1
        let line = [0x20] + AgeHeader.base64(code) + [0x0a]
        let file = try header.text + line + HandmadeFile.payload([(HandmadeFile.text, 0, true)])
        #expect(throws: AgeError.headerChanged) { try HandmadeFile.decrypted(file) }
        // A stanza that somebody added.
        let added = Array("-> X\n\n".utf8)
        let whole = try HandmadeFile.file([HandmadeFile.stanza()])
        let longer = whole[..<22] + added + whole[22...]
        #expect(throws: AgeError.headerChanged) { try HandmadeFile.decrypted(Array(longer)) }
    }

    // MARK: - Its size

    @Test func headerHasABound() throws {
        var decoder = AgeHeaderDecoder()
        var line = Array("age-encryption.org/v1\n-> a ".utf8)[...]
        #expect(try decoder.push(&line) == nil)
        var piece = [UInt8](repeating: 0x61, count: 1 << 16)[...]
        #expect(throws: AgeError.headerTooLong) {
            for _ in 0..<16 {
                var copy = piece
                _ = try decoder.push(&copy)
            }
        }
        // All at once, as well.
        var whole = AgeHeaderDecoder()
        piece =
            (Array("age-encryption.org/v1\n-> a ".utf8) + [UInt8](repeating: 0x61, count: 1 << 20) + [0x0a])[
                ...
            ]
        #expect(throws: AgeError.headerTooLong) { try whole.push(&piece) }
    }

    @Test func stanzasHaveABound() throws {
        let stanza = AgeHeader.Stanza(type: "a", arguments: [], body: [])
        let most = [AgeHeader.Stanza](repeating: stanza, count: 1023) + [try HandmadeFile.stanza()]
        #expect(try HandmadeFile.decrypted(HandmadeFile.file(most)) == HandmadeFile.text)
        #expect(throws: AgeError.tooManyStanzas) {
            try HandmadeFile.decrypted(HandmadeFile.file([stanza] + most))
        }
    }
}
