import Captures
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

    @Test func valueThatIsBoundAgainIsTheNewerOne() {
        var values = RunValues()
        values.bind("refresh-token-1", to: "one")
        values.bind("refresh-token-1", to: "two")
        #expect(values["refresh-token-1"] == "two" && values.replacing(in: "refresh-token-1") == "two")
    }
}

struct FreshValueTests {
    private static let random: @Sendable (Int) -> [UInt8] = { count in
        (0..<count).map { UInt8($0 &* 37 & 0xff) }
    }

    @Test(arguments: [
        "XyUVCrfCGTNHUIagrnJ65M5w_4U", "d4b8cc85-0a2a-4b06-a54f-c7533e052665", "0123456789",
        "9f86d081884c7d65",
        "QZw7j09ZFN7YcSFnm0H9ak",
    ])
    func freshValueHasTheSameShape(_ recorded: String) throws {
        let fresh = try #require(FreshValue.fresh(like: recorded, random: Self.random))
        #expect(fresh != recorded && fresh.utf8.count == recorded.utf8.count)
        func shape(_ text: String) -> [String] {
            text.utf8.map { byte in
                switch byte {
                case 0x30...0x39: "9"
                case 0x61...0x7a: "a"
                case 0x41...0x5a: "A"
                default: String(UnicodeScalar(byte))
                }
            }
        }
        #expect(shape(fresh) == shape(recorded))
        let hex: (String) -> Bool = { $0.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) } }
        #expect(hex(fresh) == hex(recorded))
    }

    @Test(arguments: [
        "/account/orders", "https://app.example/back", "eyJyZXR1cm5UbyI6Ii8ifQ", "{\"a\":1}", "dashboard",
        "abc",
    ])
    func valueThatSaysSomethingIsKept(_ recorded: String) {
        #expect(FreshValue.fresh(like: recorded, random: Self.random) == nil)
    }

    @Test func uuidKeepsItsVersionAndVariant() throws {
        let fresh = try #require(
            FreshValue.fresh(like: "d4b8cc85-0a2a-4b06-a54f-c7533e052665", random: Self.random)
        )
        #expect(fresh.utf8.dropFirst(14).first == 0x34 && fresh.utf8.dropFirst(19).first == 0x61)
    }
}
