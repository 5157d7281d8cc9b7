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
