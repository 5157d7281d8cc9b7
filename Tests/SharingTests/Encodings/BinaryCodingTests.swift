import Captures
import Testing

@testable import Sharing

/// What is encoded in a run, changed where it stands.
struct BinaryCodingTests {
    private static let text = Array("before {\"user\":\"bolund\",\"next\":\"~~~???>>>\"} behind".utf8)

    /// Of another user, whatever stands before the text, and however many of its digits there are.
    @Test(arguments: ["", "x", "xy", "xyz"], [0, 1, 2, 3])
    func whatIsEncodedIsChangedAtEveryAlignment(before: String, dropped: Int) throws {
        let other = Array(String(decoding: Self.text, as: UTF8.self).replacing("bolund", with: "kestre").utf8)
        func run(_ text: [UInt8]) -> [UInt8] {
            let digits = Base64.encode(Array(before.utf8) + text).utf8.filter { $0 != 0x3d }
            return Array(digits.dropLast(dropped))
        }
        let changed = BinaryCoding.base64.changing(run(Self.text)[...]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            // In the others it is noise.
            return text.contains("bolund") ? Array(text.replacing("bolund", with: "kestre").utf8) : nil
        }
        #expect(changed == run(other))
    }

    /// Hexadecimal in hexadecimal, in base64, and in both.
    @Test(arguments: [["h", "h"], ["h", "b"], ["h", "h", "b"]])
    func hexadecimalIsChangedInsideOfOtherText(codings: [String]) throws {
        func encoded(_ text: String) -> String {
            codings.reduce(text) { text, coding in
                coding == "h" ? Hexadecimal.encode(text.utf8) : Base64.encode(Array(text.utf8))
            }
        }
        let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"
        var found = FoundSecrets()
        found.values = [secret: .token]
        let standIns = StandIns.fixed(found)
        let swept = try #require(standIns.sweeper.sweeping(Array("x: \(encoded(secret))".utf8)))
        #expect(String(decoding: swept, as: UTF8.self) == "x: \(encoded(standIns.standIn(for: secret)))")
    }

    /// Digits of either alphabet, and bits behind the last byte, are left as they are.
    @Test(arguments: ["ab+-/_AAAAAAAAAAAAZ", "ab+-/_AAAAAAAAAAAZ", "-__+/ab_AAAAAAAAAAAA"])
    func whatDoesNotChangeKeepsItsDigits(run: String) throws {
        let digits = Array(run.utf8)
        let changed = try #require(
            BinaryCoding.base64.changing(digits[...]) { bytes in
                guard BinaryCoding.base64.decoded(digits).starts(with: bytes) else { return nil }
                var other = bytes
                other[6] = 0xff
                return other
            }
        )
        #expect(digits.indices.filter { changed[$0] != digits[$0] } == [8, 9])
        #expect(BinaryCoding.base64.decoded(changed)[6] == 0xff)
    }

    /// Lines of one length are one document, and the last one may be shorter.
    @Test(arguments: ["\n", "\r\n"])
    func linesOfOneLengthAreOneDocument(ending: String) {
        let line = String(repeating: "QUJD", count: 16)
        let lines = [line, line, "QUI"].joined(separator: ending)
        let text = "key: " + lines + "= and \(line).\n\n" + line + "\n" + line + "QUJD\nQUJD is"
        let found = BinaryCoding.documents(in: Array(text.utf8)).map { Array(text.utf8)[$0] }
        #expect(
            found.map { String(decoding: $0, as: UTF8.self) } == [lines, line, line, line + "QUJD"]
        )
    }

    /// What goes on in the next line is changed in both, and the lines stay.
    @Test(arguments: ["\n", "\r\n"], 40..<56)
    func whatIsParted(ending: String, before: Int) throws {
        func lines(_ user: String) -> [UInt8] {
            let text = String(repeating: "~", count: before) + user + String(repeating: "?", count: 40)
            let digits = Base64.encode(Array(text.utf8)).utf8.filter { $0 != 0x3d }
            return Array(digits[..<64]) + Array(ending.utf8) + digits[64...]
        }
        let other = BinaryCoding.base64.changing(lines("bolund veldmuis")[...]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return text.contains("bolund veldmuis")
                ? Array(text.replacing("bolund veldmuis", with: "kestre owlsnest").utf8) : nil
        }
        #expect(other == lines("kestre owlsnest"))
    }
}
