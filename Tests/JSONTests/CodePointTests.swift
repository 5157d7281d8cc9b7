import JSON
import Testing

struct CodePointTests {
    @Test(
        arguments: [
            ("\n", "U+000A"), ("ü", "U+00FC"), ("\u{200b}", "U+200B"), ("\u{1f600}", "U+1F600"),
        ] as [(Unicode.Scalar, String)]
    )
    func hasFourDigitsAtLeast(scalar: Unicode.Scalar, expected: String) {
        #expect(scalar.codePoint == expected)
    }
}
