import Captures
import Replay
import Testing

/// Which cookies a request carries (RFC 6265, section 5).
struct CookieJarTests {
    private let now = Timestamp(seconds: 1_780_000_000)

    private func jar(_ cookies: [String], from url: String) -> CookieJar {
        var jar = CookieJar()
        let response = RecordedResponse(
            status: 200,
            headers: HeaderFields(cookies.map { ("Set-Cookie", $0) })
        )
        jar.store(response, from: RecordedURL(url), at: now)
        return jar
    }

    @Test(arguments: [
        ("a=1", "https://idp.example/x/y", "https://idp.example/x/z", true),
        ("a=1", "https://idp.example/x/y", "https://idp.example/", false),
        ("a=1", "https://idp.example/", "https://sub.idp.example/", false),
        ("a=1; Domain=idp.example", "https://idp.example/", "https://sub.idp.example/", true),
        ("a=1; Domain=.idp.example", "https://sub.idp.example/", "https://idp.example/", true),
        ("a=1; Domain=other.example", "https://idp.example/", "https://other.example/", false),
        ("a=1; Path=/login", "https://idp.example/", "https://idp.example/login/x", true),
        ("a=1; Path=/login", "https://idp.example/", "https://idp.example/loginx", false),
        ("a=1; Secure", "https://idp.example/", "http://idp.example/", false),
        ("a=1; Secure", "http://idp.example/", "https://idp.example/", false),
        ("a=1; Secure", "http://app.localhost/", "http://app.localhost/", true),
        ("a=1; Secure", "http://127.0.0.2/", "http://127.0.0.2/", true),
        ("a=1; Max-Age=0", "https://idp.example/", "https://idp.example/", false),
        ("a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "https://idp.example/", "https://idp.example/", false),
    ])
    func cookieIsSentOrNot(cookie: String, from: String, to: String, isSent: Bool) {
        #expect(jar([cookie], from: from).header(for: RecordedURL(to), at: now) == (isSent ? "a=1" : nil))
    }

    @Test func newValueReplacesTheOld() {
        #expect(
            jar(["a=1", "a=2"], from: "https://idp.example/").header(
                for: RecordedURL("https://idp.example/"),
                at: now
            ) == "a=2"
        )
        #expect(
            jar(["a=1", "a=; Max-Age=0"], from: "https://idp.example/").header(
                for: RecordedURL("https://idp.example/"),
                at: now
            ) == nil
        )
    }

    @Test func longerPathsComeFirst() {
        let jar = jar(["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/"], from: "https://idp.example/x/")
        #expect(jar.header(for: RecordedURL("https://idp.example/x/y"), at: now) == "b=2; a=1; c=3")
    }

    @Test func cookieRunsOut() {
        let jar = jar(["a=1; Max-Age=60"], from: "https://idp.example/")
        #expect(jar.header(for: RecordedURL("https://idp.example/"), at: now + .seconds(59)) == "a=1")
        #expect(jar.header(for: RecordedURL("https://idp.example/"), at: now + .seconds(60)) == nil)
    }

    @Test(arguments: ["a=1; Max-Age=9223372036854775807", "a=1; Max-Age=-9223372036854775808"])
    func absurdAgesNeverTrap(cookie: String) {
        _ = jar([cookie], from: "https://idp.example/").header(
            for: RecordedURL("https://idp.example/"),
            at: now
        )
    }
}
