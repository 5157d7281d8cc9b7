import OAuth
import Testing

struct SpaceDelimitedTests {
    @Test(arguments: [
        ("", []),
        (" ", []),
        ("openid", ["openid"]),
        ("openid profile  email ", ["openid", "profile", "email"]),
        ("code code", ["code", "code"]),
        // Nothing but spaces parts them, and a space does whatever comes behind it.
        ("a,b\tc", ["a,b\tc"]),
        ("a \u{301}b", ["a", "\u{301}b"]),
    ])
    func valuesAreWhatStandsBetweenSpaces(text: String, values: [String]) {
        #expect(text.spaceDelimited == values)
    }
}
