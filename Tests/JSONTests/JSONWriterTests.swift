import JSON
import Testing

struct JSONWriterTests {
    /// What has to be escaped is found wherever it stands, also behind bytes that look alike.
    @Test(arguments: ["bcdefghij", String(repeating: "b", count: 40)])
    func whatIsEscapedIsFoundAtEveryPlace(rest: String) throws {
        let special = [
            "\"", "\\", "\n", "\r", "\t", "\u{0}", "\u{1f}", "\u{7f}", "\u{2028}", "\u{2029}", "â", "ÿ", "!",
            "#", "]",
        ]
        // Also where the block ends that is filled first.
        for place in Array(0..<40) + Array(950..<1030) + Array(1980..<2062) {
            for first in special {
                for second in special {
                    let text = String(repeating: "a", count: place) + first + second + rest
                    var bytes: [UInt8] = []
                    JSONWriter.append(string: text, to: &bytes)
                    #expect(try JSONParser.parse(bytes).string == text)
                    // Before them stand letters only.
                    let written = bytes.dropFirst(place)
                    #expect(!written.contains { $0 < 0x20 || $0 == 0x7f })
                    let scalars = String(decoding: written, as: UTF8.self).unicodeScalars
                    #expect(!scalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" })
                }
            }
        }
    }
}
