import TestSupport
import Testing

@testable import Sharing

/// Secrets in lines of `uuencode`.
struct UUEncodedTextTests {
    private static func decoded(_ text: String) -> [String] {
        UUEncodedText.all(in: Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        ("x\nbegin 644 cat.txt\n#0V%T\n`\nend\n", ["Cat"]),
        ("begin 0755 a b\r\n\"86(`\r\n`\r\nend\r\n", ["ab"]),
        ("begin 644 f\n$    80  \n \nend", ["\0\0\0a"]), ("begin 644 f\n#0V%T\n#0V%T\nend", ["CatCat"]),
        ("begin 644 f\n#0V%T\nbegin 644 g\n\"86(`\n", ["Cat", "ab"]),
        // Fewer digits than it says, other characters, and what only begins alike.
        ("begin 644 f\n#0V%\n", []), ("begin 644 f\n#0V%t\n", []), ("begin 644 f\n", []), ("begin 644 f", []),
        ("begin with\n#0V%T\n", []), ("#0V%T\n", []), ("", []),
    ])
    func linesAreDecoded(text: String, told: [String]) { #expect(Self.decoded(text) == told) }

    @Test func otherBytesKeepDigitsThatSayTheSame() throws {
        var text = Array("begin 644 f\n$    80  \n`\n".utf8)
        let encoded = try #require(UUEncodedText.all(in: text).first)
        encoded.write([0, 0, 0, 0x61], into: &text)
        #expect(String(decoding: text, as: UTF8.self) == "begin 644 f\n$    80  \n`\n")
        encoded.write([0, 0, 0, 0x62], into: &text)
        #expect(String(decoding: text, as: UTF8.self) == "begin 644 f\n$    8@  \n`\n")
        encoded.write([0], into: &text)
        #expect(UUEncodedText.all(in: text).map(\.bytes) == [[0, 0, 0, 0x62]])
    }

    @Test func secretOverSeveralLinesIsReplaced() throws {
        let secret = "q7Zr2LkX9vTb4WmN8cYp1HsJ"
        var found = FoundSecrets()
        found.values = [secret: .token]
        let standIns = StandIns.fixed(found)
        let text = """
            begin 644 note.txt
            M=&AI<R!I<R!A('1E>'0@:6X@9G)O;G0@;V8@=&AE('1O:V5N(#$R,R!Q-UIR
            G,DQK6#EV5&(T5VU..&-9<#%(<TH@86YD(&UO<F4@8F5H:6YD(&ET
            `
            end
            """
        let told = "this is a text in front of the token 123 \(secret) and more behind it"
        #expect(Self.decoded(text) == [told])
        let swept = try #require(standIns.sweeper.sweeping(Array(text.utf8)))
        #expect(swept.count == text.utf8.count)
        #expect(
            Self.decoded(String(decoding: swept, as: UTF8.self))
                == [told.replacing(secret, with: standIns.standIn(for: secret))]
        )
    }

    @Test func timeGrowsWithTheText() {
        func seconds(_ count: Int) -> Double {
            let text = Array(String(repeating: "begin 644 f\n#0V%T\n", count: count).utf8)
            return ProcessorTime.seconds { _ = UUEncodedText.all(in: text) }
        }
        let small = seconds(500)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(8_000) < 50 * max(small, 0.004))
    }
}
