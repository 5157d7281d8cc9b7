import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CORSBlockedTests {
    private let rule = "cors-blocked"
    private let broken = "token-request/cors-blocked"
    private let healthy = "token-request/cors-blocked.near-miss"

    private func token(in recording: Recording, _ edit: (inout Exchange) -> Void) -> Recording {
        recording.editing { if $0.request.url.path == "/token", $0.request.method == "POST" { edit(&$0) } }
    }

    private func preflight(in recording: Recording, _ edit: (inout Exchange) -> Void) -> Recording {
        recording.editing { if $0.request.method == "OPTIONS" { edit(&$0) } }
    }

    @Test func namesTheOriginAndThePreflight() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 request.header Origin", "5 response.status ", "4 response.status ",
                "4 response.header Access-Control-Allow-Origin",
            ]
        )
        #expect(finding.evidence.map(\.value).suffix(3) == ["net::ERR_FAILED", "403", "missing"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAnAllowedOriginAlone() throws {
        #expect(try Recording(healthy).finding(rule) == nil)
    }

    /// An extension that has the permission for a host sends no preflight, and reads what it is answered.
    @Test(arguments: [(true, true), (false, false)])
    func extensionWithoutPermissionIsOne(isAsked: Bool, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.headers.contains("origin") else { return }
            exchange.request.headers.replace(
                "Origin",
                with: "chrome-extension://laolmfhjaobpboigjfbclcphckmjodlp"
            )
        }.without { !isAsked && $0.request.method == "OPTIONS" }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(finding?.fix.contains("host_permissions") ?? true)
    }

    /// What a page asks for besides may be kept from it without harm.
    @Test(arguments: [("POST", "/token", true), ("GET", "/token", false), ("POST", "/userinfo", false)])
    func seesAPreflightAlone(method: String, path: String, fires: Bool) throws {
        let alone = try Recording(broken).without {
            $0.request.url.path == "/token" && $0.request.method == "POST"
        }
        let recording = preflight(in: alone) { exchange in
            exchange.request.headers.replace("Access-Control-Request-Method", with: method)
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
        }
        let place = recording.finding(rule)?.places.first
        #expect(place == (fires ? "4 request.header Origin" : nil))
    }

    /// A call that may only wait for its answer is one where its own preflight was refused: not that of another call, of another page,
    /// or of long before.
    @Test(
        arguments: [
            ("/token", "www", 0, true), ("/token", "www", -9, true), ("/token", "www", -11, false),
            ("/userinfo", "www", 0, false), ("/token", "admin", 0, false),
        ] as [(String, String, Int64, Bool)]
    )
    func preflightIsThatOfTheCall(path: String, page: String, seconds: Int64, fires: Bool) throws {
        let waiting = try token(in: Recording(broken)) { $0.failure = nil }
        let recording = preflight(in: waiting) { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.request.headers.replace("Origin", with: "https://\(page).shop.example")
            exchange.startedAt = exchange.startedAt + .seconds(seconds)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    /// An app that shows its pages in a web view, and waits for the code at a scheme of its own.
    @Test(
        arguments: [
            ("capacitor://localhost", nil, true), ("https://localhost", nil, true),
            ("http://localhost", "https://app.example", true),
            ("capacitor://localhost", "capacitor://localhost", false), ("https://localhost", "*", false),
            ("https://other.example", nil, false),
            ("chrome-extension://laolmfhjaobpboigjfbclcphckmjodlp", nil, false),
        ] as [(String, String?, Bool)]
    )
    func seesThePreflightOfAnApp(origin: String, allowed: String?, fires: Bool) throws {
        let recording = try Recording("the-capture/code-never-redeemed").editing { exchange in
            guard exchange.request.url.path == "/offers.json" else { return }
            exchange.request.method = "OPTIONS"
            exchange.request.url = RecordedURL("https://id.harbour.example/token")
            exchange.request.headers.append("Origin", origin)
            exchange.request.headers.append("Access-Control-Request-Method", "POST")
            exchange.response = RecordedResponse(status: 204)
            exchange.response?.headers.append("Allow", "POST, OPTIONS")
            if let allowed { exchange.response?.headers.append("Access-Control-Allow-Origin", allowed) }
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(finding?.fix.contains("native side") ?? true)
        #expect((recording.finding("code-never-redeemed") == nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    @Test func looksAtHeadersThatThePreflightAsksFor() throws {
        let recording = try preflight(in: Recording(broken)) { exchange in
            exchange.response?.status = 204
            exchange.response?.headers.append("Access-Control-Allow-Origin", "https://www.shop.example")
        }
        #expect(recording.finding(rule)?.notes.last == "headers that are not allowed: dpop")
        let allowed = preflight(in: recording) {
            $0.response?.headers.append("Access-Control-Allow-Headers", "DPoP")
        }
        // The answer itself was kept from the page, unless it was the network that lost it.
        let finding = try #require(allowed.finding(rule))
        #expect(finding.isPrimary && finding.notes.last == "the preflight")
        #expect(finding.fix.hasPrefix("Have every answer of the endpoint"))
        for reason in [nil, "net::ERR_CONNECTION_RESET"] {
            #expect(token(in: allowed) { $0.failure = reason }.finding(rule) == nil)
        }
    }

    @Test(arguments: [
        (204, 2, "DPoP", "dpop", "sent 2 times, which allows nobody"),
        (403, 1, "DPoP", "dpop", "the preflight has to be answered with 2xx"),
        (204, 1, "*", "dpop", "the preflight"),
        // For credentials the star does not stand.
        (204, 1, "*", "dpop,authorization", "headers that are not allowed: authorization"),
    ])
    func readsWhatThePreflightAllows(status: Int, times: Int, allowed: String, asked: String, words: String)
        throws
    {
        let recording = try preflight(in: Recording(broken)) { exchange in
            exchange.request.headers.replace("Access-Control-Request-Headers", with: asked)
            exchange.response?.status = status
            for _ in 0..<times {
                exchange.response?.headers.append("Access-Control-Allow-Origin", "https://www.shop.example")
            }
            exchange.response?.headers.append("Access-Control-Allow-Headers", allowed)
        }
        #expect(recording.finding(rule)?.notes.last == words)
    }

    @Test(
        arguments: [
            ("*", true), ("https://www.shop.example", true), ("https://shop.example", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func looksAtTheAnswer(allowed: String?, isRight: Bool) throws {
        let recording = try token(in: Recording(healthy)) { exchange in
            exchange.response?.headers.remove("Access-Control-Allow-Origin")
            if let allowed { exchange.response?.headers.append("Access-Control-Allow-Origin", allowed) }
        }
        #expect((recording.finding(rule) == nil) == isRight)
    }

    /// A server's own failure has the page that its framework makes, and an entry without any field was not saved whole.
    @Test(arguments: [(400, true, true), (500, true, false), (400, false, false)])
    func answerWithoutThePermissionIsOneOfTheProvider(status: Int, isHeadSaved: Bool, fires: Bool) throws {
        let recording = try token(in: Recording(healthy)) { exchange in
            exchange.response?.status = status
            exchange.response?.headers.remove("Access-Control-Allow-Origin")
            if !isHeadSaved { exchange.response?.headers = HeaderFields() }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesAnAnswerAloneOfWhichFieldsAreNotKnown() throws {
        let recording = try token(in: Recording(healthy)) { exchange in
            exchange.response?.headers.fields.removeAll { $0.name == "Access-Control-Allow-Origin" }
            exchange.unknownFields.response = 1
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAnErrorThoughTheProviderGaveTokens() throws {
        let recording = try token(
            in: Recording(healthy).granted()
        ) { exchange in
            exchange.response?.headers.remove("Access-Control-Allow-Origin")
        }
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAPageAloneThatUsesTheTokens() throws {
        var recording = try token(
            in: Recording(healthy).granted()
        ) { exchange in
            exchange.response?.headers.remove("Access-Control-Allow-Origin")
        }
        var call = try #require(recording.exchanges.last)
        call.startedAt = call.startedAt + .seconds(1)
        call.request.method = "GET"
        call.request.url = RecordedURL("https://id.harbour.example/userinfo")
        call.request.body = nil
        call.request.headers.append("Authorization", "Bearer not-a-token")
        call.response?.headers.append("Access-Control-Allow-Origin", "*")
        recording.exchanges.append(call)
        #expect(recording.finding(rule) == nil)
    }

    @Test(
        arguments: [
            ("User-Agent", "node"), ("Origin", "https://id.harbour.example"),
            ("Origin", "chrome-extension://abcdef"),
            ("Sec-Fetch-Mode", "navigate"), ("Origin", nil),
        ] as [(String, String?)]
    ) func leavesOtherCallersAlone(name: String, value: String?) throws {
        let recording = try Recording(broken).without { $0.request.method == "OPTIONS" }.sendingHeader(
            name,
            value,
            to: "/token"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["net::ERR_CONNECTION_REFUSED", "net::ERR_ABORTED", AnswerLoss.requestCut])
    func leavesTheNetworkAlone(words: String) throws {
        let recording = try token(in: Recording(broken).without { $0.request.method == "OPTIONS" }) {
            $0.failure = words
        }
        #expect(recording.finding(rule) == nil)
    }

    /// What only the capture lacks may have been a good one, whatever comes behind.
    @Test(arguments: [
        (AnswerLoss.serverMissing, false), (AnswerLoss.undecrypted("the answer", "there is no key"), false),
        (AnswerLoss.captureEnded, false), ("something went wrong", true),
    ])
    func leavesACallAloneWhoseAnswerTheCaptureLacks(reason: String, fires: Bool) throws {
        let cut = try token(in: Recording(broken).without { $0.request.method == "OPTIONS" }) { exchange in
            exchange.failure = reason
            exchange.duration = .seconds(1)
        }
        var later = try #require(cut.exchanges.first)
        later.startedAt = try #require(cut.exchanges.last).startedAt + .seconds(5)
        later.request.url = RecordedURL("https://www.shop.example/next")
        #expect((Recording(cut.exchanges + [later]).finding(rule) != nil) == fires)
    }

    @Test func leavesTheEndOfARecordingAlone() throws {
        let recording = try token(in: Recording(broken).without { $0.request.method == "OPTIONS" }) {
            $0.failure = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(token(in: recording) { $0.failure = "CORS error" }.finding(rule) != nil)
        // What only waits has no error.
        #expect(token(in: recording) { $0.failure = "net::ERR_FAILED" }.finding(rule) != nil)
    }

    @Test(arguments: [
        "AADSTS9002326: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
        "AADSTS90023: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type or 'Native' client-type with origin registered in AllowedOriginForNativeAppCorsRequestInOAuthToken allow list.",
    ])
    func knowsTheProvidersOwnWord(words: String) throws {
        let recording = try Recording(healthy).answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// WKWebView and Electron hold pages at an app's own scheme to the same rules.
    @Test(arguments: [
        ("capacitor://localhost", true), ("ionic://localhost", true), ("tauri://localhost", true),
        ("app://localhost", false), ("null", false),
    ])
    func appsWithPagesOfTheirOwnAreNoException(origin: String, isBlocked: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.headers.contains("origin") else { return }
            exchange.request.headers.replace("Origin", with: origin)
        }
        #expect((recording.finding(rule) != nil) == isBlocked)
        // No provider registers such an origin as it does those of the web.
        #expect((recording.finding(rule)?.fix.contains("native side") ?? false) == isBlocked)
    }

    /// A call of a page that the app's server answers with the way to the provider.
    @Test(arguments: [("cors", true), (nil, true), ("navigate", false)] as [(String?, Bool)])
    func scriptThatIsSentToSignInIsTold(mode: String?, isScript: Bool) throws {
        let login = try Recording("healthy/web-code-flow")
        let request = try #require(login.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var exchanges = Array(login.exchanges[...request])
        if let mode { exchanges[request].request.headers.append("Sec-Fetch-Mode", mode) }
        exchanges[request].request.headers.append("Origin", "null")
        exchanges[request].response = nil
        exchanges[request].failure = "net::ERR_FAILED"
        let finding = Recording(exchanges).finding(rule)
        #expect((finding != nil) == isScript)
        if isScript { #expect(finding?.title == "A script was sent to the provider's sign-in page") }
        // The page went to sign in itself afterwards.
        var visit = exchanges[request]
        visit.startedAt = visit.startedAt + .seconds(2)
        visit.request.headers.remove("Origin")
        visit.request.headers.replace("Sec-Fetch-Mode", with: "navigate")
        #expect(Recording(exchanges + [visit]).finding(rule) == nil)
    }

    /// What a framework asks for ahead is no login, and a page may go to sign in itself.
    @Test(arguments: ["Sec-Purpose", "Next-Router-Prefetch"]) func prefetchIsNoLogin(header: String) throws {
        let login = try Recording("healthy/web-code-flow")
        let request = try #require(login.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var exchanges = Array(login.exchanges[...request])
        exchanges[request - 1].request.headers.append(header, "prefetch")
        exchanges[request].request.headers.append("Sec-Fetch-Mode", "cors")
        exchanges[request].response = nil
        exchanges[request].failure = "net::ERR_FAILED"
        #expect(Recording(exchanges).finding(rule) == nil)
    }

    /// Where the head of an answer broke off, the permission may have been on its way.
    @Test(arguments: [true, false]) func whatIsMissingOfAHeadIsNotRefused(isCut: Bool) throws {
        func cut(_ exchange: inout Exchange) {
            exchange.response?.status = 200
            exchange.response?.headers = HeaderFields([("Date", "Tue, 12 May 2026 08:30:05 GMT")])
            exchange.failure = AnswerLoss.captureEnded
            guard isCut else { return }
            exchange.malformations = [Malformation(side: .response, offset: 0, reason: Malformation.halfHead)]
        }
        #expect((token(in: try Recording(healthy), cut).finding(rule) == nil) == isCut)
        let alone = try Recording(broken).without {
            $0.request.url.path == "/token" && $0.request.method == "POST"
        }
        #expect((preflight(in: alone, cut).finding(rule) == nil) == isCut)
    }

    /// The end-session endpoint is a page for the browser itself, and lets no script read its answer.
    @Test(arguments: [("cors", true), ("navigate", false), ("no-cors", false)])
    func logoutByScriptIsTold(mode: String, fires: Bool) {
        var capture = CaptureBuilder()
        let logout = capture.get(
            "https://id.harbour.example/realms/shop/protocol/openid-connect/logout?id_token_hint=a.b.c",
            0,
            headers: [
                ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/133.0.0.0"),
                ("Origin", "https://www.shop.example"), ("Sec-Fetch-Mode", mode),
            ]
        )
        var exchanges = capture.exchanges
        exchanges[logout].failure = "net::ERR_FAILED"
        let finding = Recording(exchanges).finding(rule)
        #expect((finding != nil) == fires)
        if fires { #expect(finding?.fix.contains("id_token_hint") == true) }
    }
}
