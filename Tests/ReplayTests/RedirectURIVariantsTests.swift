import Testing

@testable import Replay

/// Spellings that are tried where a redirect URI is refused.
struct RedirectURIVariantsTests {
    @Test(
        arguments: [
            (
                "https://a.example/cb",
                ["with-slash https://a.example/cb/", "http http://a.example/cb"]
            ),
            (
                "http://localhost:3000/",
                [
                    "without-slash http://localhost:3000", "https https://localhost:3000/",
                    "127-0-0-1 http://127.0.0.1:3000/", "ipv6 http://[::1]:3000/",
                    "without-port http://localhost/",
                ]
            ),
            (
                "http://127.0.0.1/cb/?x=1",
                [
                    "without-slash http://127.0.0.1/cb?x=1", "https https://127.0.0.1/cb/?x=1",
                    "localhost http://localhost/cb/?x=1", "ipv6 http://[::1]/cb/?x=1",
                    "without-query http://127.0.0.1/cb/",
                ]
            ),
            (
                "http://[::1]:3000/cb",
                [
                    "with-slash http://[::1]:3000/cb/", "https https://[::1]:3000/cb",
                    "127-0-0-1 http://127.0.0.1:3000/cb", "localhost http://localhost:3000/cb",
                    "without-port http://[::1]/cb",
                ]
            ),
            // A slash at the end of a value is none of the path.
            (
                "https://a.example/cb?next=/",
                ["http http://a.example/cb?next=/", "without-query https://a.example/cb"]
            ),
            (
                "https://a.example/cb?x=1#/home",
                [
                    "without-fragment https://a.example/cb?x=1", "http http://a.example/cb?x=1",
                    "without-query https://a.example/cb",
                ]
            ),
            (
                "https%3A%2F%2Fa.example%2Fcb",
                ["decoded https://a.example/cb", "with-slash https%3A%2F%2Fa.example%2Fcb/"]
            ),
            ("com.example.app:/cb", ["with-slash com.example.app:/cb/"]),
        ]
    )
    func spellingsAreOfThePartsThatTheyName(uri: String, variants: [String]) {
        #expect(RedirectURIVariants.of(uri, registered: []).map { "\($0.id) \($0.uri)" } == variants)
    }

    /// What is registered is likelier than any spelling, and stands once.
    @Test func registeredOnesComeFirst() {
        let uri = "https://a.example/cb"
        let variants = RedirectURIVariants.of(uri, registered: [uri, uri + "/", "https://b.example/cb"])
        #expect(variants.map(\.id) == ["registered-2", "registered-3", "http"])
    }
}
