import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct ClaimedHTTPSOpenedInBrowserTests {
    private let rule = "claimed-https-opened-in-browser"
    private let broken = "security-practice/claimed-https-opened-in-browser"

    @Test func namesTheCallbackAndTheApp() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 request.url ", "3 response.status ", "0 request.header User-Agent"])
        #expect(recording.outcomes == [.failure])
    }

    /// What the system asked the domain for before, where that is why it did not take the address for the app's.
    @Test(
        arguments: [
            ("https://HOST/.well-known/apple-app-site-association", 404, "text/plain", "answered with 404"),
            ("https://HOST/.well-known/assetlinks.json", 200, "text/html", "answered with 200 and a page"),
            ("https://app-site-association.cdn-apple.com/a/v1/HOST", 404, "text/plain", "answered with 404"),
            ("https://HOST/.well-known/assetlinks.json", 200, "application/json", nil),
            ("https://HOST/.well-known/assetlinks.json", 304, "application/json", nil),
            ("https://app-site-association.cdn-apple.com/a/v1/other.example", 404, "text/plain", nil),
            ("https://other.example/.well-known/assetlinks.json", 404, "text/plain", nil),
        ] as [(String, Int, String, String?)]
    )
    func showsTheAssociationFile(url: String, status: Int, mediaType: String, words: String?) throws {
        var recording = try Recording(broken)
        let host = try #require(recording.exchanges[3].request.url.host)
        var fetch = recording.exchanges[0]
        fetch.startedAt = fetch.startedAt - .seconds(5)
        fetch.request = RecordedRequest(
            method: "GET",
            url: RecordedURL(url.replacing("HOST", with: host)),
            headers: HeaderFields([("User-Agent", "swcd (unknown version) CFNetwork/1568.300.101")])
        )
        let text = mediaType == "text/html" ? "<!doctype html><p>Shop</p>" : "{}"
        fetch.response = RecordedResponse(status: status, body: Body(text: text, mediaType: mediaType))
        recording.exchanges.insert(fetch, at: 0)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.count == (words == nil ? 3 : 4))
        if let words { #expect(finding.evidence[3].note?.contains(words) == true) }
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesWebAppsAlone() throws {
        #expect(
            try Recording(broken).without { $0.request.url.path.hasSuffix("configuration") }.finding(rule)
                == nil
        )
    }

    /// Some write a slash in JSON with a backslash, and forms have it percent-encoded.
    @Test(arguments: [
        ("https://api.shop.example/finish", #"{"code":"4/0Adeu5BWzQ8rXkT2m"}"#, "application/json"),
        ("https://api.shop.example/finish", #"{"code":"4\/0Adeu5BWzQ8rXkT2m"}"#, "application/json"),
        ("https://api.shop.example/finish", "code=4%2F0Adeu5BWzQ8rXkT2m", FormBody.mediaType),
        ("https://api.shop.example/g/collect", #"{"code":"4\/0Adeu5BWzQ8rXkT2m"}"#, "application/json"),
    ])
    func leavesACodeAloneThatIsUsedLater(url: String, body: String, mediaType: String) throws {
        var recording = try Recording(broken)
        let code = try #require(recording.exchanges[3].request.url.queryItems.first("code"))
        recording = recording.editing { exchange in
            let text = exchange.request.url.text.replacing(code, with: "4%2F0Adeu5BWzQ8rXkT2m")
            exchange.request.url = RecordedURL(text)
            if let location = exchange.response?.location, location.contains(code) {
                exchange.response?.redirect(to: location.replacing(code, with: "4%2F0Adeu5BWzQ8rXkT2m"))
            }
        }
        #expect(recording.finding(rule) != nil)
        var later = recording.exchanges[3]
        later.startedAt = later.startedAt + .seconds(2)
        later.request.method = "POST"
        later.request.url = RecordedURL(url)
        later.request.body = Body(text: body, mediaType: mediaType)
        recording.exchanges.append(later)
        #expect(recording.finding(rule) == nil)
    }

    /// Somebody who looks at the site afterwards is not signed in there.
    @Test func aPageThatIsOpenedLaterDoesNotGoOnWithTheLogin() throws {
        func opening(_ edit: (inout Exchange) -> Void = { _ in }) throws -> Recording {
            var recording = try Recording(broken).answering("/app/signed-in", 200)
            recording.exchanges[3].response?.body = Body(text: "<p>Get the app</p>", mediaType: "text/html")
            var page = recording.exchanges[3]
            page.startedAt = page.endedAt + .seconds(46)
            page.request.url = RecordedURL((page.request.url.origin ?? "") + "/")
            edit(&page)
            recording.exchanges.append(page)
            return recording
        }
        #expect(try opening().finding(rule)?.isPrimary == true)
        #expect(try opening { $0.request.headers.append("Cookie", "session=1") }.finding(rule) == nil)
        #expect(try opening { $0.response?.headers.append("Set-Cookie", "session=1") }.finding(rule) == nil)
        let callback = try Recording(broken).exchanges[3]
        let atOnce = try opening {
            $0.startedAt = callback.endedAt + .seconds(1)
            $0.request.headers.append("Referer", callback.request.url.text)
        }
        #expect(atOnce.finding(rule) == nil)
    }

    /// Any page brings them on, and servers have a page for what they have not.
    @Test(arguments: [
        ("GET", "/favicon.ico", 404), ("GET", "/manifest.json", 404), ("POST", "/cdn-cgi/rum", 204),
        ("GET", "/.well-known/appspecific/com.chrome.devtools.json", 404),
        ("POST", "/g/collect?dl=%2Fsigned-in%3Fcode%3DCODE", 204),
    ])
    func iconsAndReportsDoNotGoOnWithTheLogin(method: String, path: String, status: Int) throws {
        var recording = try Recording(broken).answering("/app/signed-in", 200)
        recording.exchanges[3].response?.body = Body(text: "<p>Get the app</p>", mediaType: "text/html")
        var later = recording.exchanges[3]
        later.startedAt = later.endedAt + .milliseconds(200)
        later.request.method = method
        let code = try #require(later.request.url.queryItems.first("code"))
        later.request.url = RecordedURL(
            (later.request.url.origin ?? "") + path.replacing("CODE", with: code)
        )
        later.response?.status = status
        later.response?.body = Body(text: status == 204 ? "" : "<h1>404</h1>", mediaType: "text/html")
        recording.exchanges.append(later)
        #expect(recording.finding(rule)?.isPrimary == true)
        later.request.method = "POST"
        later.request.url = RecordedURL((later.request.url.origin ?? "") + "/session")
        recording.exchanges.append(later)
        #expect(recording.finding(rule) == nil)
    }

    @Test func takesAPageForItWhereTheClientIsKnownToBeAnApp() throws {
        var recording = try Recording(broken).answering("/app/signed-in", 200)
        recording.exchanges[3].response?.body = Body(text: "<p>Get the app</p>", mediaType: "text/html")
        #expect(recording.finding(rule)?.places.last == "0 request.header User-Agent")
        var registration = recording.exchanges[0]
        registration.startedAt = registration.startedAt - .seconds(60)
        registration.request.method = "POST"
        registration.request.url = RecordedURL("https://id.harbour.example/register")
        registration.request.body = .json("{\"redirect_uris\":[]}")
        registration.response = RecordedResponse(status: 201)
        registration.response?.body = .json("{\"client_id\":\"shop-app\",\"application_type\":\"native\"}")
        recording.exchanges.append(registration)
        #expect(recording.finding(rule)?.places.last == "4 response.body application_type")
    }

    /// The app fetched the provider's metadata, and its page came up in the browser and does nothing.
    @Test(arguments: [true, false]) func takesAPageThatRestsForIt(isAtRest: Bool) throws {
        var recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.queryItems.contains("code") else { return }
            exchange.response = RecordedResponse(
                status: 200,
                body: Body(text: "<h1>Get the app</h1>", mediaType: "text/html")
            )
        }
        let page = try #require(recording.exchanges.last { $0.request.url.queryItems.contains("code") })
        if !isAtRest {
            var call = page
            call.request.url = RecordedURL(page.request.url.resolving("/api/session").text)
            call.request.method = "POST"
            call.startedAt = call.startedAt + .seconds(1)
            recording = Recording(recording.exchanges + [call])
        }
        #expect((recording.finding(rule) != nil) == isAtRest)
    }

    /// A site that sends on whatever it does not know keeps nothing of the code.
    @Test(arguments: [
        ("/", false, false, true), ("https://apps.apple.com/app/id1", false, false, true),
        ("market://details?id=com.shop.app", false, false, true), ("shop://home", false, false, false),
        ("/app/missing", false, false, true), ("/?state=STATE", false, false, true),
        ("/?token=a1b2c3", false, false, false), ("/#token=a1b2c3", false, false, false),
        // A page for those who have signed in.
        ("/app/signed-in/done", false, false, false),
        ("/", true, false, false), ("/", false, true, false),
        ("https://apps.apple.com/app/id1", false, true, false),
    ])
    func takesARedirectForItThatKeepsNothing(
        location: String,
        setsCookie: Bool,
        isAppServed: Bool,
        fires: Bool
    ) throws {
        var recording = try Recording(broken)
        var callback = recording.exchanges[3]
        let state = try #require(callback.request.url.queryItems.first("state"))
        let target = location.replacing("STATE", with: state)
        callback.response = RecordedResponse(status: 302)
        callback.response?.redirect(to: target)
        if setsCookie { callback.response?.headers.append("Set-Cookie", "session=1; Path=/") }
        recording.exchanges[3] = callback
        var page = callback
        page.startedAt = callback.endedAt + .milliseconds(50)
        page.request.url = callback.request.url.resolving(target)
        page.response = RecordedResponse(
            status: location.hasSuffix("missing") ? 404 : 200,
            body: Body(text: "<h1>Shop</h1>", mediaType: "text/html")
        )
        recording.exchanges.append(page)
        var call = recording.exchanges[0]
        call.startedAt = page.endedAt + .seconds(20)
        call.request.url = RecordedURL(
            isAppServed ? "https://api.shop.example/me" : "https://stats.other.example/me"
        )
        call.response = RecordedResponse(status: 200, body: .json("{}"))
        recording.exchanges.append(call)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        if fires {
            #expect(finding?.places[2] == "3 response.location ")
            #expect(recording.outcomes == [.failure])
            #expect(recording.finding("backchannel-not-recorded") == nil)
        }
    }

    /// A web app's login that one host of its site begins and another one answers: by its first page where its session is lost in between,
    /// and not at all where it has no such route.
    @Test(arguments: [
        ("https://shop.example/login", true, false), ("https://shop.example/login", false, false),
        ("https://promo.other.example/", true, true), ("https://promo.other.example/", false, true),
    ])
    func loginThatItsSiteBeginsIsAWebApps(start: String, isSentOn: Bool, fires: Bool) throws {
        var recording = try Recording(broken)
        if isSentOn {
            recording.exchanges[3].response = RecordedResponse(status: 302)
            recording.exchanges[3].response?.redirect(to: "/")
            var page = recording.exchanges[3]
            page.startedAt = page.endedAt + .milliseconds(50)
            page.request.url = page.request.url.resolving("/")
            page.response = RecordedResponse(status: 200, body: .html("<h1>Shop</h1>"))
            recording.exchanges.append(page)
        }
        var begin = recording.exchanges[1]
        begin.startedAt = begin.startedAt - .milliseconds(15)
        begin.duration = .milliseconds(10)
        begin.request.url = RecordedURL(start)
        begin.response = RecordedResponse(status: 302)
        begin.response?.redirect(to: recording.exchanges[1].request.url.text)
        recording.exchanges.insert(begin, at: 1)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// A store of files tells nobody what it has not got.
    @Test(arguments: [
        ("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", true),
        ("<Error><Code>RequestTimeTooSkewed</Code></Error>", false), ("<h1>Forbidden</h1>", false),
    ])
    func takesAStoresWordsForAMissingPage(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.queryItems.contains("code") else { return }
            exchange.response = RecordedResponse(
                status: 403,
                body: Body(text: words, mediaType: "application/xml")
            )
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// The app's server pushed the request, and handed the app the address with its `request_uri`.
    private func pushed(_ agent: String, handing text: String, _ status: Int) -> Recording {
        let browser = [
            (
                "User-Agent",
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
            )
        ]
        let callback = "https://www.shop.example/app/signed-in?code=QedUStPKR0CsTy4Qwb8DwkNh&state=u8jzPde0"
        var capture = CaptureBuilder()
        capture.post(
            "https://api.shop.example/login/start",
            [("platform", "ios")],
            headers: [("User-Agent", agent)],
            body: .json("{\"url\":\"\(text)\"}")
        )
        capture.get(Self.authorization, headers: browser, body: .html("<form><input name=user></form>"))
        capture.post(
            "https://id.harbour.example/sign-in",
            [("user", "alice")],
            302,
            headers: browser,
            answer: [("Location", callback)]
        )
        capture.get(callback, status, headers: browser, body: .html("<p>Get the app</p>"))
        return Recording(capture.exchanges)
    }

    private static let authorization =
        "https://id.harbour.example/authorize?client_id=shop-app&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A3nNyjOq9wMxEhh2FDEEt"
    private static let app = "Shop/12 CFNetwork/1568.200.51 Darwin/24.5.0"

    @Test(arguments: [
        (app, authorization, 404, true), (app, authorization, 200, true),
        (app, "https://other.example", 404, false),
        ("Mozilla/5.0 Firefox/140.0", authorization, 404, false),
    ])
    func knowsTheAppThatFetchedTheRequestURI(agent: String, text: String, status: Int, fires: Bool) {
        let recording = pushed(agent, handing: text, status)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        guard let finding else { return }
        #expect(finding.places == ["3 request.url ", "3 response.status ", "0 request.header User-Agent"])
        #expect(recording.outcomes == [.failure])
    }
}
