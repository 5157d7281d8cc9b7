import Captures
import Testing

struct UnreadableSchemeTests {
    @Test(arguments: [
        ("my_app://callback?code=1", "my_app"), ("com.example.my_app:/cb", "com.example.my_app"),
        ("1234app://cb", "1234app"), ("my-app://cb", nil), ("my.app+x:/cb", nil), ("/my_app://cb", nil),
        ("callback", nil), ("127.0.0.1:8080/cb", nil), ("a b_c://x", nil), ("_app://x", nil),
        ("my_app:cb", nil),
        ("://x", nil), ("", nil), ("//my_app:80/", nil), ("cb?next=my_app://x", nil),
    ])
    func isWhatLooksLikeASchemeAndIsNone(text: String, scheme: String?) {
        #expect(RecordedURL(text).unreadableScheme == scheme)
    }
}
