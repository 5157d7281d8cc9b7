import Captures
import JSON
import TestSupport
import Testing

@testable import Reports

/// Why each cookie was sent or left out.
struct CookieStoryTests {
    private static let browser =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"

    /// Cookies of the last request, `sent NAME: WHY`.
    private static func story(_ exchanges: [Exchange]) -> [String] {
        let story = CookieStory(Capture(exchanges), redirectedFrom: [:])
        return story.cookies(of: exchanges.count - 1).map {
            "\($0["sent"] == true ? "sent" : "withheld") \($0["name"]?.string ?? ""): \($0["why"]?.string ?? "")"
        }
    }

    private static func exchange(
        _ url: String,
        at second: Int,
        method: String = "GET",
        agent: String = browser,
        cookie: String? = nil,
        origin: String? = nil,
        sets: [String] = []
    ) -> Exchange {
        var headers = HeaderFields([("User-Agent", agent)])
        if let cookie { headers.append("Cookie", cookie) }
        if let origin { headers.append("Origin", origin) }
        return Exchange(
            startedAt: Timestamp(nanoseconds: 1_773_000_000_000_000_000) + .seconds(second),
            duration: .milliseconds(100),
            request: RecordedRequest(method: method, url: RecordedURL(url), headers: headers),
            response: RecordedResponse(status: 200, headers: HeaderFields(sets.map { ("Set-Cookie", $0) }))
        )
    }

    @Test func sentOneNamesWhereItWasSet() {
        let set = Self.exchange("https://app.example/login", at: 0, sets: ["sid=abc; Path=/; Secure"])
        #expect(
            Self.story([set, Self.exchange("https://app.example/", at: 1, cookie: "sid=abc; old=1")]) == [
                "sent sid: [0] set it; it goes to app.example alone",
                "sent old: it was set before the recording began, or by a script",
            ]
        )
        #expect(
            Self.story([set, Self.exchange("https://app.example/", at: 1, cookie: "sid=other")]).first?
                .contains("[0] set another value") == true
        )
    }

    @Test(arguments: [
        (
            "sid=1; Path=/; SameSite=Lax; Secure", "https://app.example/cb", "POST", "https://idp.example",
            "SameSite=Lax, and this is a POST that idp.example led to"
        ),
        (
            "sid=1; Path=/; SameSite=Strict; Secure", "https://app.example/cb", "GET", "https://idp.example",
            "SameSite=Strict, and idp.example led to"
        ),
        ("sid=1; Path=/login", "https://app.example/cb", "GET", nil, "paths below /login"),
        ("sid=1; Max-Age=1", "https://app.example/login/x", "GET", nil, "it had expired"),
        ("sid=1; SameSite=None", "https://app.example/login/x", "GET", nil, "SameSite=None needs Secure"),
        (
            "sid=1; Path=/", "https://www.app.example/", "GET", nil,
            "it belongs to app.example, not to www.app.example"
        ),
        (
            "sid=1; Path=/", "https://app.example/cb", "GET", nil,
            "lost, blocked, or asked for without credentials"
        ),
    ])
    func withheldOneSaysWhatIsInTheWay(
        _ cookie: String,
        _ url: String,
        _ method: String,
        _ origin: String?,
        _ why: String
    ) {
        let story = Self.story([
            Self.exchange("https://app.example/login/", at: 0, sets: [cookie]),
            Self.exchange(url, at: 60, method: method, origin: origin),
        ])
        #expect(story.count == 1 && story.first?.hasPrefix("withheld sid: ") == true)
        #expect(story.first?.contains(why) == true, "\(story)")
    }

    @Test func whatWasDeletedOrBelongsElsewhereIsNotMissed() {
        #expect(
            Self.story([
                Self.exchange("https://app.example/", at: 0, sets: ["sid=1; Path=/"]),
                Self.exchange("https://app.example/out", at: 1, sets: ["sid=; Path=/; Max-Age=0"]),
                Self.exchange("https://app.example/", at: 2),
            ]) == []
        )
        #expect(
            Self.story([
                Self.exchange("https://app.example/", at: 0, sets: ["sid=1; Path=/"]),
                Self.exchange("https://idp.example/", at: 1),
            ]) == []
        )
        // A server has no browser's cookies, and nobody expects it to.
        #expect(
            Self.story([
                Self.exchange("https://idp.example/", at: 0, sets: ["sid=1; Path=/"]),
                Self.exchange(
                    "https://idp.example/token",
                    at: 1,
                    method: "POST",
                    agent: "python-requests/2.32"
                ),
            ]) == []
        )
    }

    @Test func secureCookieIsLostWhereItWasSetOrWhereItIsWanted() {
        let plain = Self.story([
            Self.exchange("http://app.example/", at: 0, sets: ["sid=1; Path=/; Secure"]),
            Self.exchange("https://app.example/", at: 1),
        ])
        #expect(plain == ["withheld sid: it was never stored: it is Secure, and [0] set it over plain http"])
        let wanted = Self.story([
            Self.exchange("https://app.example/", at: 0, sets: ["sid=1; Path=/; Secure"]),
            Self.exchange("http://app.example/", at: 1),
        ])
        #expect(wanted == ["withheld sid: it is Secure, and the connection is plain http"])
    }

    @Test func requestThatNeverLeftLacksNothing() {
        var never = Self.exchange("https://app.example/", at: 1)
        never.request.headers = HeaderFields()
        never.response = nil
        #expect(
            Self.story([Self.exchange("https://app.example/", at: 0, sets: ["sid=1; Path=/"]), never]) == []
        )
    }

    @Test func browsersDoNotShareTheirCookies() {
        let app = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
        let story = Self.story([
            Self.exchange("https://idp.example/", at: 0, sets: ["session=1; Path=/; Secure"]),
            Self.exchange("https://idp.example/authorize", at: 1, agent: app),
        ])
        #expect(story.first?.contains("[0] set it in another browser") == true)
    }

    @Test func namesOfThisMachineAreToldApart() {
        let story = Self.story([
            Self.exchange("http://localhost:3000/", at: 0, sets: ["sid=1; Path=/"]),
            Self.exchange("http://127.0.0.1:3000/cb", at: 1),
        ])
        #expect(story == ["withheld sid: it belongs to localhost, not to 127.0.0.1"])
    }
}
