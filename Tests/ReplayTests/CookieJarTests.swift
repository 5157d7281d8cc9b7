import Captures
import Testing

@testable import Replay

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
        // A domain of everybody's, and a host that is called so.
        ("a=1; Domain=example", "https://idp.example/", "https://idp.example/", false),
        ("a=1; Domain=localhost", "http://app.localhost/", "http://app.localhost/", false),
        ("a=1; Domain=localhost", "http://localhost/", "http://localhost/", true),
        ("a=1; Domain=localhost", "http://localhost/", "http://app.localhost/", false),
        ("a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "https://idp.example/", "https://idp.example/", false),
    ])
    func cookieIsSentOrNot(cookie: String, from: String, to: String, isSent: Bool) {
        let header = jar([cookie], from: from).header(for: RecordedURL(to), at: now)
        #expect(header?.value == (isSent ? "a=1" : nil))
    }

    /// RFC 6265bis, section 4.1.3.
    @Test(arguments: [
        ("__Host-a=1; Secure; Path=/", true), ("__host-a=1; Secure; Path=/", true),
        ("__Host-a=1; Path=/", false),
        ("__Host-a=1; Secure", false), ("__Host-a=1; Secure; Path=/x", false),
        ("__Host-a=1; Secure; Path=/; Domain=idp.example", false), ("__Secure-a=1; Secure", true),
        ("__SECURE-a=1; Path=/", false), ("__Secure-a=1; Secure; Domain=idp.example", true),
        ("__Hosta=1", true),
        ("=__Host-a=1; Secure; Path=/", false),
    ])
    func nameWithAPrefixPromises(cookie: String, isKept: Bool) {
        let url = "https://idp.example/"
        #expect((jar([cookie], from: url).header(for: RecordedURL(url), at: now) != nil) == isKept)
    }

    /// RFC 6265bis, section 5.7, step 16.
    @Test(arguments: [
        ("a=2; Path=/x/", "a=1"), ("a=2; Domain=idp.example; Path=/x/y", "a=1"),
        ("b=2; Path=/x/", "a=1; b=2"),
        ("a=2; Path=/", "a=1; a=2"),
    ])
    func insecureAnswerHidesNoSecureCookie(cookie: String, header: String) {
        var jar = jar(["a=1; Secure; Path=/x/"], from: "https://idp.example/")
        let response = RecordedResponse(status: 200, headers: HeaderFields([("Set-Cookie", cookie)]))
        jar.store(response, from: RecordedURL("http://idp.example/"), at: now)
        #expect(jar.header(for: RecordedURL("https://idp.example/x/y"), at: now)?.value == header)
    }

    /// One that is over is no longer there.
    @Test func insecureAnswerReplacesASecureCookieThatIsOver() {
        var jar = jar(["a=1; Secure; Path=/; Max-Age=60"], from: "https://idp.example/")
        let response = RecordedResponse(status: 200, headers: HeaderFields([("Set-Cookie", "a=2; Path=/")]))
        let later = now + .seconds(61)
        let url = RecordedURL("http://idp.example/")
        jar.store(response, from: url, at: later)
        #expect(jar.header(for: url, at: later)?.value == "a=2")
    }

    @Test func newValueReplacesTheOld() {
        #expect(
            jar(["a=1", "a=2"], from: "https://idp.example/").header(
                for: RecordedURL("https://idp.example/"),
                at: now
            )?.value == "a=2"
        )
        #expect(
            jar(["a=1", "a=; Max-Age=0"], from: "https://idp.example/").header(
                for: RecordedURL("https://idp.example/"),
                at: now
            )?.value == nil
        )
    }

    @Test func longerPathsComeFirst() {
        let jar = jar(["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/"], from: "https://idp.example/x/")
        #expect(jar.header(for: RecordedURL("https://idp.example/x/y"), at: now)?.value == "b=2; a=1; c=3")
    }

    /// RFC 6265, section 5.3, step 11.3; one that was deleted or has run out is made anew.
    @Test(arguments: [
        (["a=1", "b=2", "a=3"], "a=3; b=2"), (["a=1", "b=2", "a=; Max-Age=0", "a=3"], "b=2; a=3"),
        (["a=1; Path=/x", "b=2", "a=3"], "b=2; a=3"), (["a=1; Max-Age=60", "b=2", "a=3"], "b=2; a=3"),
    ])
    func cookieThatIsSetAgainKeepsItsPlace(cookies: [String], header: String) {
        let url = RecordedURL("https://idp.example/")
        var jar = jar(Array(cookies.dropLast()), from: "https://idp.example/")
        let response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Set-Cookie", cookies.last ?? "")])
        )
        jar.store(response, from: url, at: now + .seconds(60))
        #expect(jar.header(for: url, at: now + .seconds(60))?.value == header)
    }

    /// A browser that has the cookies before a mark gets the new value of one of them.
    @Test func cookieThatIsSetAgainIsNew() {
        var jar = jar(["a=1", "b=2"], from: "https://idp.example/")
        let (before, mark) = jar.cookies(after: 0)
        let response = RecordedResponse(status: 200, headers: HeaderFields([("Set-Cookie", "a=3")]))
        jar.store(response, from: RecordedURL("https://idp.example/"), at: now)
        #expect(before.map(\.value) == ["1", "2"] && jar.cookies(after: mark).cookies.map(\.value) == ["3"])
    }

    @Test func cookieRunsOut() {
        let jar = jar(["a=1; Max-Age=60"], from: "https://idp.example/")
        #expect(jar.header(for: RecordedURL("https://idp.example/"), at: now + .seconds(59))?.value == "a=1")
        #expect(jar.header(for: RecordedURL("https://idp.example/"), at: now + .seconds(60))?.value == nil)
    }

    @Test func domainHasSoManyCookiesAsInABrowser() throws {
        let many = (1...1000).map { "c\($0)=1" } + ["a=1; Domain=idp.example"]
        let url = "https://login.idp.example/"
        let header = try #require(jar(many, from: url).header(for: RecordedURL(url), at: now))
        let names = CookieHeader.pairs(of: header).map(\.name)
        #expect(names.count == 181 && names.first == "c821" && names.last == "a")
    }

    /// A cookie may be set again beside others, or alone.
    @Test func bytesThatAreNoUTF8GoBackAsTheyCame() throws {
        var jar = jar(["ü=1", "b=ü"], from: "https://idp.example/")
        let url = RecordedURL("https://idp.example/")
        let fields = ["c=\u{e9}", "\u{c3}\u{bc}=\u{ff}"].map {
            HeaderFields.Field(name: "Set-Cookie", value: $0, isLatin1: true)
        }
        jar.store(RecordedResponse(status: 200, headers: HeaderFields(fields)), from: url, at: now)
        let header = try #require(jar.header(for: url, at: now))
        #expect(header.name == "Cookie" && header.isLatin1)
        #expect(
            header.sentValue.bytes == Array("ü=".utf8) + [0xff] + Array("; b=ü; c=".utf8) + [0xe9]
        )
    }

    @Test(arguments: ["a=1; Max-Age=9223372036854775807", "a=1; Max-Age=-9223372036854775808"])
    func absurdAgesNeverTrap(cookie: String) {
        _ = jar([cookie], from: "https://idp.example/").header(
            for: RecordedURL("https://idp.example/"),
            at: now
        )
    }
}
