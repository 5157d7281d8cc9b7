import Captures
import Testing

struct IntentURITests {
    @Test(
        arguments: [
            (
                "intent://h.example/p?a=1#Intent;scheme=org.example;package=p;end",
                "org.example://h.example/p?a=1"
            ),
            ("intent:/cb?a=1#Intent;package=p;scheme=org.example;end", "org.example:/cb?a=1"),
            ("Intent://h.example/#Intent;scheme=https;end", "https://h.example/"),
            ("intent://h/é?a=é#Intent;scheme=org.example;end", "org.example://h/é?a=é"),
            ("intent://h/p#Intent;package=p;end", nil), ("intent://h/p#Intent;scheme=;end", nil),
            ("intent://h/p#Intent;scheme=a_b;end", nil), ("intent://h/p#scheme=org.example", nil),
            ("intent://h/p", nil), ("https://h/p#Intent;scheme=org.example;end", nil), ("", nil),
        ] as [(String, String?)]
    ) func namesWhatItOpens(uri: String, address: String?) {
        #expect(RecordedURL(uri).openedByIntent?.text == address)
    }
}
