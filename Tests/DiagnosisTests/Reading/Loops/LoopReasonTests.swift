import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import Testing

struct LoopReasonTests {
    private let rule = "redirect-loop"
    private let broken = "user-agent/redirect-loop"

    /// A client of OpenID Connect that forgot openid gets no ID token, and knows nobody.
    ///
    /// `otherwise`: a member that is there or not against that, a status, or the round that was exchanged.
    @Test(arguments: [
        ("orders", "", true), ("openid orders", "", false), ("orders", "id_token", false),
        ("orders", "access_token", false), ("orders", "400", false), ("orders", "another round", false),
    ])
    func saysThatNoIDTokenCame(scope: String, otherwise: String, isTold: Bool) throws {
        var recording = try Recording(broken).withMetadata().asking("scope", scope)
        let callbacks = recording.exchanges.filter { $0.request.url.queryItems.first("code") != nil }
        let callback = try #require(otherwise == "another round" ? callbacks.last : callbacks.first)
        let code = callback.request.url.queryItems.first("code")
        var exchange = try #require(
            Recording("healthy/web-code-flow").sending("code", code).editingAnswer(of: "/token") {
                $0.members.removeAll { member in
                    member.name == "id_token" && otherwise != "id_token"
                        || member.name == "access_token" && otherwise == "access_token"
                }
            }.exchanges.last { $0.request.url.path == "/token" }
        )
        if otherwise == "400" { exchange.response?.status = 400 }
        exchange.startedAt = callback.startedAt
        exchange.duration = callback.duration
        recording.exchanges.append(exchange)
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("no ID token to know its user by") == isTold)
        #expect(finding.places.contains { $0.hasSuffix("response.body id_token") } == isTold)
    }

    @Test func namesACookieThatNoBrowserKeeps() throws {
        let recording = try Recording(broken)
        #expect(recording.finding(rule)?.explanation.contains("larger") == false)
        let oversized = recording.editing { exchange in
            guard exchange.request.url.queryItems.contains("code") else { return }
            exchange.response?.headers.append(
                "Set-Cookie",
                "_proxy=\(String(repeating: "a", count: 4200)); Path=/"
            )
        }
        let finding = try #require(oversized.finding(rule))
        #expect(finding.explanation.contains("larger than browsers keep"))
        #expect(finding.notes.contains { $0.contains("_proxy has 4206 bytes") })
    }

    /// What the callback sets for https does not get to the page over http that it leads to.
    @Test(arguments: [("http", "Secure", true), ("https", "Secure", false), ("http", "HttpOnly", false)])
    func showsACookieThatThePageBehindTheCallbackIsNotSent(scheme: String, attribute: String, isShown: Bool)
        throws
    {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/; \(attribute)")
                exchange.response?.redirect(to: "\(scheme)://www.shop.example/")
            } else if exchange.request.url.path == "/" {
                exchange.request.url = RecordedURL("\(scheme)://www.shop.example/")
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.places.last == "3 response.header Set-Cookie") == isShown)
        #expect((finding.notes.last?.contains("over http") ?? false) == isShown)
    }

    /// A browser drops or holds back what the callback sets; what it sends, or what is for another purpose, is no reason.
    @Test(arguments: [
        (
            "sid=7tGnE11CNeDXr1V8; Path=/; Domain=.harbour.example",
            "its Domain is not that of www.shop.example", true
        ),
        ("sid=7tGnE11CNeDXr1V8; Path=/callback", "not sent to /", true),
        ("sid=7tGnE11CNeDXr1V8; Path=/; SameSite=None", "SameSite=None without Secure", true),
        ("sid=7tGnE11CNeDXr1V8; Path=/; SameSite=Lax", nil, false),
        ("sid=7tGnE11CNeDXr1V8; Path=/; Domain=.shop.example", nil, false),
        ("sid=; Path=/; Domain=.harbour.example; Max-Age=0", nil, false),
    ])
    func namesACookieThatDoesNotGetToThePage(cookie: String, note: String?, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append("Set-Cookie", cookie)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(finding.explanation.contains("does not get to the page") == isTold)
        #expect((finding.places.last == "3 response.header Set-Cookie") == isTold)
        if let note { #expect(finding.notes.last?.contains(note) == true) }
    }

    /// Where another of the callback's cookies gets there, it is shown and not said to be the reason.
    @Test func cookieBesideOneThatArrivesIsNotSaidToBeTheReason() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append("Set-Cookie", "theme=dark; Path=/other")
            exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/; SameSite=Lax")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "3 response.header Set-Cookie")
        #expect(!finding.explanation.contains("does not get to the page"))
    }

    /// A page that is sent on to the one that gets the cookie, and a broker that sends its answer to the app behind it.
    @Test(arguments: ["https://www.shop.example/", "https://portal.example/cb?code=8d1f00c2&state=5b0c"])
    func cookieThatGetsThereByAnotherPageIsNoReason(target: String) throws {
        let isBroker = target.contains("code=")
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append("Set-Cookie", "sid=7tGnE11CNeDXr1V8; Path=/inner")
                if isBroker { exchange.response?.redirect(to: target) }
            } else if exchange.request.url.path == "/", isBroker {
                exchange.request.url = RecordedURL(target)
            } else if exchange.request.url.path == "/" {
                exchange.request.headers.append("Cookie", "sid=7tGnE11CNeDXr1V8")
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(!finding.explanation.contains("does not get to the page"))
    }

    /// What a page of another site led to is not sent a Strict cookie; what began at the app's own site is.
    @Test(arguments: [
        ("cross-site", "https://id.harbour.example/", true), ("none", nil, false),
        ("cross-site", "https://www.shop.example/", false),
    ])
    func strictCookieIsNotSentWhereAnotherSiteLedTo(site: String, referrer: String?, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.response?.headers.append(
                    "Set-Cookie",
                    "sid=7tGnE11CNeDXr1V8; Path=/; Secure; SameSite=Strict"
                )
                if let referrer { exchange.request.headers.append("Referer", referrer) }
            } else if exchange.request.url.path == "/" {
                exchange.request.headers.append("Sec-Fetch-Site", site)
            }
        }
        #expect((recording.finding(rule)?.fix.contains("SameSite=Lax") == true) == isTold)
    }
}
