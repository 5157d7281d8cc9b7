import Testing

@testable import Sharing

/// Which texts are logs.
struct LogTextTests {
    @Test(arguments: [
        ("03-26 09:15:00.125 D OkHttp: x", true), ("[2026-03-26 09:15:00.123Z - MSAL] (a)", true),
        ("started\n2026-03-26T09:15:00Z INFO x", true), ("Mar 26 09:15:00 host sshd[1]: x", true),
        ("DEBUG: x", true), ("[INFO] x", true), ("WARN o.s.s x", true),
        ("[2026] {\"a\":1} (b=c)", true), ("[auth.web] (b=c)", true),
        // Documents, programs, other numbers, and what is cut.
        (#"{"at":"09:15:00"}"#, false), (#"["09:15:00"]"#, false), ("[a] = b", false), ("[1, 2] x", false),
        ("[a]", false), ("[ ] x", false),
        ("DEBUG=1\nconst a = 1", false),
        ("INFORMATION x", false), ("function f() {}\n", false), ("x 109:15:00", false), ("09:15:0", false),
        ("INFO", false), ("", false),
        ("// built 2026-03-26 09:15:00\nconst a = 1", false),
        ("a\nb\nc\nd\n09:15:00 x", false),
    ])
    func logIsToldByItsFirstLines(text: String, isOne: Bool) {
        #expect(LogText.isOne(Array(text.utf8)[...]) == isOne)
    }
}
