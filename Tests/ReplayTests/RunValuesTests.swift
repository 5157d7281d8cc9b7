import Captures
import JOSE
import Replay
import Testing

struct RunValuesTests {
    @Test func valueIsFoundInEverySpelling() {
        var values = RunValues()
        values.bind("a/b+c=d e12", to: "x/y+z=w v34")
        #expect(values.replacing(in: "a/b+c=d e12") == "x/y+z=w v34")
        #expect(
            values.replacing(in: "https://idp.example/?goto=%2Fcb%3Fs%3Da%252Fb%252Bc%253Dd%2520e12")
                == "https://idp.example/?goto=%2Fcb%3Fs%3Dx%252Fy%252Bz%253Dw%2520v34"
        )
        #expect(
            values.replacing(in: "goto=%252Fcb%253fs%253da%252fb%252bc%253dd%2520e12")
                == "goto=%252Fcb%253fs%253dx%252fy%252bz%253dw%2520v34"
        )
        #expect(values.replacing(in: "s=a%2Fb%2Bc%3Dd+e12&t=1") == "s=x%2Fy%2Bz%3Dw+v34&t=1")
    }

    @Test func longerValueWinsOverItsBeginning() {
        var values = RunValues()
        values.bind("abcdefgh1", to: "SHORT")
        values.bind("abcdefgh12345", to: "LONG")
        #expect(values.replacing(in: "abcdefgh12345 abcdefgh1") == "LONG SHORT")
    }

    @Test func shortValueStandsForItselfOnly() {
        var values = RunValues()
        values.bind("7", to: "8")
        #expect(values.replacing(in: "7") == "8")
        #expect(values.replacing(in: "chapter 7 of 17") == "chapter 7 of 17")
    }

    @Test func newValueIsNotReplacedOnceMore() {
        var values = RunValues()
        values.bind("first-value-1", to: "second-value-2")
        values.bind("second-value-2", to: "third-value-3")
        #expect(values.replacing(in: "=first-value-1;") == "=second-value-2;")
    }

    /// Its signature is of what it says.
    @Test func tokenThatIsSentAsRecordedStaysAsItIs() {
        var values = RunValues()
        values.bind("https://id.example/token", to: "http://127.0.0.1:8090/token")
        // A claim before it of each length, since three bytes share four characters.
        for padding in ["", "s", "sv"] {
            let claims = #"{"iss":"\#(padding)","aud":"https://id.example/token"}"#
            let token = [#"{"alg":"RS256"}"#, claims].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
            for text in [token + ".c2lnbmF0dXJl", "Bearer \(token).c2lnbmF0dXJl"] {
                #expect(values.replacing(in: text) == text)
            }
        }
        values.bind("eyJhbGciOiJub25lIn0.e30.", to: "eyJhbGciOiJub25lIn0.e30.c2ln")
        #expect(values.replacing(in: "t=eyJhbGciOiJub25lIn0.e30.") == "t=eyJhbGciOiJub25lIn0.e30.c2ln")
    }

    /// Four characters each, of which some would be read alone.
    @Test func pieceOfTheStandardAlphabetIsNotTakenApart() {
        var values = RunValues()
        values.bind("https://id.example/token", to: "http://127.0.0.1:8090/token")
        let piece = Base64URL.encode("to: https://id.example/token".utf8)
        for text in [piece + "+abc", "abc+" + piece, piece + "/abc+", "+" + piece] {
            #expect(values.replacing(in: text) == text)
        }
    }

    @Test(arguments: ["", "s", "sv"]) func valueInsideOfBase64URLIsFound(padding: String) {
        var values = RunValues()
        values.bind("https://id.example/token", to: "http://127.0.0.1:8090/token")
        let recorded = Base64URL.encode(#"{"a":"\#(padding)","to":"https://id.example/token"}"#.utf8)
        let live = Base64URL.encode(#"{"a":"\#(padding)","to":"http://127.0.0.1:8090/token"}"#.utf8)
        #expect(values.replacing(in: recorded) == live)
        #expect(values.replacing(in: "/cb?x=1&s=\(recorded)&t=2") == "/cb?x=1&s=\(live)&t=2")
        #expect(values.replacing(in: "/cb%3Fs%3D\(recorded)%26t") == "/cb%3Fs%3D\(live)%26t")
        let fill = { (text: String) in
            text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        }
        #expect(values.replacing(in: "s:\(fill(recorded))") == "s:\(fill(live))")
    }

    @Test func valueThatIsBoundAgainIsTheNewerOne() {
        var values = RunValues()
        values.bind("refresh-token-1", to: "one")
        values.bind("refresh-token-1", to: "two")
        #expect(values["refresh-token-1"] == "two" && values.replacing(in: "refresh-token-1") == "two")
    }
}
