import Captures
import Flows
import Testing

@testable import Diagnosis

struct CookieDeliveryTests {
    static let chrome =
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36"
    static let safari =
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"
    static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

    struct Row: Sendable, CustomTestStringConvertible {
        var header: String
        var from = "https://app.shop.example/login"
        var to = "https://app.shop.example/callback"
        var method = "GET"
        var seconds: Int64 = 10
        var initiator = "https://id.harbour.example/authorize"
        var agent = chrome
        var obstacle: CookieDelivery.Obstacle?

        var testDescription: String { "\(header) \(method) \(from) → \(to) after \(seconds) s" }
    }

    static let rows: [Row] = [
        Row(header: "c=1; Path=/; Secure; SameSite=Lax", obstacle: nil),
        Row(header: "c=1; Path=/; Secure; SameSite=None", method: "POST", obstacle: nil),
        Row(header: "c=1; Path=/; Secure; SameSite=Lax", method: "POST", obstacle: .laxPost),
        Row(header: "c=1; Path=/; Secure", method: "POST", obstacle: nil),
        Row(header: "c=1; Path=/; Secure", method: "POST", seconds: 121, obstacle: .laxPost),
        Row(
            header: "c=1; Path=/; Secure",
            method: "POST",
            seconds: 121,
            agent: "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/148.0.0.0 Safari/537.36",
            obstacle: .laxPost
        ),
        Row(header: "c=1; Path=/; Secure", method: "POST", seconds: 121, agent: firefox, obstacle: nil),
        Row(header: "c=1; Path=/; Secure; SameSite=Strict", obstacle: .strict),
        Row(
            header: "c=1; Path=/; Secure; SameSite=strict",
            initiator: "https://id.shop.example/",
            obstacle: nil
        ),
        Row(header: "c=1; Path=/; SameSite=None", obstacle: .sameSiteNoneInsecure),
        Row(header: "c=1; Path=/; Secure", from: "http://app.shop.example/login", obstacle: .secureOverHTTP),
        Row(header: "c=1; Path=/; Secure", to: "http://app.shop.example/callback", obstacle: .secureOverHTTP),
        Row(
            header: "c=1; Path=/; Secure",
            from: "http://localhost:3000/login",
            to: "http://localhost:3000/callback",
            obstacle: nil
        ),
        Row(
            header: "c=1; Path=/; Secure",
            from: "http://127.0.0.1/l",
            to: "http://127.0.0.1/c",
            agent: safari,
            obstacle: .secureOverHTTP
        ),
        Row(
            header: "c=1; Path=/",
            from: "http://localhost/login",
            to: "http://127.0.0.1/callback",
            obstacle: .otherHost
        ),
        Row(header: "c=1; Path=/", from: "https://shop.example/login", obstacle: .otherHost),
        Row(header: "c=1; Path=/; Domain=shop.example", from: "https://shop.example/login", obstacle: nil),
        Row(
            header: "c=1; Path=/; Domain=.shop.example",
            from: "https://www.shop.example/login",
            obstacle: nil
        ),
        Row(header: "c=1; Path=/; Domain=op.example", obstacle: .foreignDomain),
        Row(
            header: "c=1; Path=/; Domain=app.shop.example",
            to: "https://www.shop.example/callback",
            obstacle: .otherHost
        ),
        Row(header: "c=1", from: "https://app.shop.example/auth/login", obstacle: .path),
        Row(header: "c=1", obstacle: nil),
        Row(header: "c=1; Path=/call", obstacle: .path),
        Row(header: "c=1; Path=/callback", obstacle: nil),
        Row(header: "c=1; Path=/; Max-Age=5", obstacle: .expired),
        Row(header: "c=1; Path=/; Max-Age=10", obstacle: nil),
        Row(header: "c=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", obstacle: .expired),
        Row(header: "c=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", obstacle: nil),
        Row(header: "__Host-c=1; Path=/; Secure", obstacle: nil),
        Row(header: "__Host-c=1; Path=/; Secure; Domain=shop.example", obstacle: .prefix),
        Row(header: "__host-c=1; Secure", obstacle: .prefix),
        Row(header: "__Host-c=1; Path=/", obstacle: .prefix),
        Row(header: "__Secure-c=1; Path=/", obstacle: .prefix),
        Row(header: "__Secure-c=1; Path=/; Secure", obstacle: nil),
        Row(header: "c=" + String(repeating: "x", count: 4096), obstacle: .tooLarge),
    ]

    @Test(arguments: rows) func saysWhatIsInTheWay(_ row: Row) throws {
        let cookie = try #require(SetCookie(parsing: row.header))
        let start = Timestamp(seconds: 1_772_000_000)
        let setting = CookieDelivery.Setting(
            cookie: cookie,
            url: RecordedURL(row.from),
            at: start,
            exchange: 0
        )
        let sending = CookieDelivery.Sending(
            url: RecordedURL(row.to),
            method: row.method,
            at: start + .seconds(row.seconds),
            initiator: RecordedURL(row.initiator),
            agent: row.agent
        )
        #expect(CookieDelivery.obstacle(for: setting, in: sending) == row.obstacle)
    }

    @Test(arguments: [
        ("app.shop.example", "shop.example"), ("shop.co.uk", "shop.co.uk"), ("a.b.shop.co.uk", "shop.co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"), ("a.b.github.io", "b.github.io"), ("", ""),
        ("...", "..."),
    ])
    func knowsTheSiteOfAHost(host: String, site: String) {
        #expect(Site.of(host) == site)
    }
}
