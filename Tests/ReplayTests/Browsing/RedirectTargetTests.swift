import Captures
import Replay
import Testing

/// Whether an address is the one at which the app takes its response.
struct RedirectTargetTests {
    @Test(arguments: [
        ("https://app.example/cb", "https://app.example/cb?code=1&state=2", true),
        ("https://app.example/cb", "HTTPS://APP.example:443/cb#id_token=1", true),
        ("https://app.example", "https://app.example/?code=1", true),
        ("https://app.example/cb", "https://app.example/cb/?code=1", false),
        ("https://app.example/cb", "https://app.example/CB", false),
        ("https://app.example/cb", "http://app.example/cb", false),
        ("https://app.example/cb", "https://app.example.evil.example/cb", false),
        ("http://127.0.0.1:21801/callback", "http://127.0.0.1:21802/callback", false),
        ("com.example.app:/cb", "com.example.app:/cb?code=1", true),
        ("com.example.app:/cb", "COM.example.app:/cb?code=1", true),
        ("com.example.app:/cb", "com.example.app:/cb2?code=1", false),
        ("urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob?code=1", true),
    ])
    func addressesAreComparedAsBrowsersSpellThem(redirectURI: String, url: String, matches: Bool) {
        #expect(RedirectTarget(redirectURI).matches(RecordedURL(url)) == matches)
    }

    @Test func responseIsInTheQueryTheFragmentOrTheForm() {
        let target = RedirectTarget("https://app.example/cb")
        let names = { (items: QueryItems?) in items?.items.map { "\($0.name)=\($0.value)" } }
        #expect(
            names(target.response(in: RecordedURL("https://app.example/cb?code=a%2Fb&state=s"))) == [
                "code=a/b", "state=s",
            ]
        )
        #expect(
            names(target.response(in: RecordedURL("https://app.example/cb#id_token=t"))) == ["id_token=t"]
        )
        let posted = target.response(
            in: RecordedURL("https://app.example/cb"),
            form: QueryItems("code=c&iss=i")
        )
        #expect(names(posted) == ["code=c", "iss=i"])
        #expect(target.response(in: RecordedURL("https://other.example/cb?code=1")) == nil)
    }

    @Test func patternHasNothingThatABrowserTakesForAWildcard() {
        #expect(RedirectTarget("https://app.example/a*b").pattern == #"https://app.example/a\*b*"#)
        #expect(RedirectTarget("https://app.example").pattern == "https://app.example/*")
        #expect(RedirectTarget("com.example.app:/cb").pattern == nil)
    }
}
