import Testing

@testable import Replay

/// What stands for a URL of the first flow in the second.
struct URLMappingTests {
    private let mapping = URLMapping([
        (old: "https://sso.example", new: "http://127.0.0.1:8080"),
        (old: "https://sso.example/realms/a", new: "http://127.0.0.1:8080/realms/b"),
    ])

    @Test(
        arguments: [
            ("https://sso.example", "http://127.0.0.1:8080"),
            ("https://sso.example/x", "http://127.0.0.1:8080/x"),
            ("https://sso.example/realms/a/token", "http://127.0.0.1:8080/realms/b/token"),
            ("https://sso.example.org/", "https://sso.example.org/"),
            ("https://sso.example:8443/", "https://sso.example:8443/"),
            ("next=https%3A%2F%2Fsso.example%2Fx", "next=http%3A%2F%2F127.0.0.1%3A8080%2Fx"),
            ("n=https%253A%252F%252Fsso.example", "n=http%253A%252F%252F127.0.0.1%253A8080"),
            ("https%3A%2F%2Fsso.example%3A8443", "https%3A%2F%2Fsso.example%3A8443"), ("", ""),
            ("shop", "shop"),
        ]
    )
    func prefixesAreReplacedWhereAURLBegins(text: String, expected: String) {
        #expect(mapping.mapped(text) == expected)
    }
}
