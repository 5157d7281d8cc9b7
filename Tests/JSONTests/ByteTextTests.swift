import JSON
import Testing

struct ByteTextTests {
    private static let texts = [
        "", "a", "caf\u{e9}", "cafe\u{301}", "\u{212b}", "\u{e5}", "a\u{30a}", "\u{301}",
    ]

    @Test func textsAreTheSameByTheirBytesAlone() {
        #expect(Set(Self.texts.map(ByteText.init)).count == Self.texts.count)
        for (place, text) in Self.texts.enumerated() {
            for (otherPlace, other) in Self.texts.enumerated() {
                #expect(text.equalsBytes(of: other) == (place == otherPlace), "\(place) \(otherPlace)")
            }
            #expect(!text.equalsBytes(of: nil))
            #expect(Self.texts.contains(bytesOf: text) && !["cafe"].contains(bytesOf: text))
        }
    }
}
