import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CodeNeverRedeemedTests {
    let rule = "code-never-redeemed"
    let broken = "the-capture/code-never-redeemed"

    @Test func showsTheCodeAndTheTimeAfterIt() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.variant == "app")
        #expect(finding.places == ["2 response.location code", "- timing recorded after it"])
        #expect(finding.evidence[1].value == "45 s")
        #expect(recording.outcomes == [.incomplete])
    }

    /// The app began another login while this one was open: the answer to the first is one that its library does not know any more.
    @Test(arguments: [
        ("unchanged", "unchanged", true), ("client_id=shop-app", "client_id=another-app", false),
        ("oauth2redirect", "another-address", false), ("iPhone", "iPad", false),
    ])
    func tellsOfALoginThatWasOvertaken(part: String, other: String, fires: Bool) throws {
        var exchanges = try Recording(broken).exchanges.map { exchange in
            var exchange = exchange
            guard exchange.request.url.host == "id.harbour.example", exchange.request.url.path != "/token"
            else {
                return exchange
            }
            exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (iPhone) Mobile Safari/604.1")
            return exchange
        }
        var later = exchanges[1]
        let state = try #require(later.request.url.queryItems.first("state"))
        let nonce = try #require(later.request.url.queryItems.first("nonce"))
        later.startedAt = later.startedAt + .milliseconds(400)
        later.request.url = RecordedURL(
            later.request.url.text.replacing(state, with: "state-of-the-later-one")
                .replacing(nonce, with: "nonce-of-the-later-one").replacing(part, with: other)
        )
        if part == "iPhone" {
            later.request.headers.replace("User-Agent", with: "Mozilla/5.0 (iPad) Mobile Safari/604.1")
        }
        exchanges.insert(later, at: 2)
        let finding = try #require(Recording(exchanges).finding(rule))
        #expect(finding.places.contains("2 request.query state") == fires)
        #expect(finding.fix.contains("one login at a time") == fires)
        // Logins without a state are not told apart by it.
        let stateless = Recording(exchanges).editing { exchange in
            exchange.request.url = RecordedURL(exchange.request.url.text.replacing(state, with: ""))
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: location.replacing(state, with: ""))
        }
        #expect(stateless.finding(rule)?.fix.contains("one login at a time") == false)
        exchanges[2].startedAt = exchanges[3].startedAt + .seconds(5)
        exchanges.swapAt(2, 3)
        #expect(Recording(exchanges).finding(rule)?.fix.contains("one login at a time") == false)
    }

    /// Exports without bodies, or with their sizes alone.
    @Test(arguments: ["nothing", "empty"])
    func bodiesThatWereNotSavedMayHaveHeldIt(kind: String) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.method == "POST" else { return }
            exchange.request.body = kind == "empty" ? Body(text: "", mediaType: FormBody.mediaType) : nil
            exchange.request.headers.remove("content-length")
            if kind == "empty" {
                exchange.request.body?.wireSize = 229
            } else {
                exchange.request.foreign["bodySize"] = 229
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The app's own request passed by the recorder; a token that was there before says nothing of this code.
    @Test(arguments: [
        ("/userinfo", 200, false, false), ("/token", 200, false, false), ("/userinfo", 401, false, true),
        ("/userinfo", 200, true, true), ("/token", 200, true, true),
    ])
    func tokenThatNoAnswerBroughtMayBeOfThisCode(path: String, status: Int, isOld: Bool, fires: Bool) throws {
        var recording = try Recording(broken)
        let last = try #require(recording.exchanges.last)
        var call = last
        call.startedAt = last.startedAt + .seconds(2)
        call.request = RecordedRequest(
            method: path == "/token" ? "POST" : "GET",
            url: RecordedURL("https://id.harbour.example" + path)
        )
        if path == "/token" {
            let form = "grant_type=refresh_token&refresh_token=unseen-refresh-token&client_id=shop-app"
            call.request.body = Body(text: form, mediaType: FormBody.mediaType)
        } else {
            call.request.headers.append("Authorization", "Bearer unseen-access-token")
        }
        let answer = path == "/token" ? #"{"access_token":"new","token_type":"Bearer"}"# : #"{"sub":"alice"}"#
        call.response = RecordedResponse(
            status: status,
            body: .json(answer)
        )
        if isOld {
            var before = call
            before.startedAt = try #require(recording.exchanges.first).startedAt
            recording.exchanges.insert(before, at: 0)
        }
        recording.exchanges.append(call)
        #expect((recording.finding(rule) != nil) == fires)
        if !fires { #expect(recording.abstention(rule) != nil && recording.outcomes.contains(.incomplete)) }
    }

    /// Who signs out with the ID token of this login had its code exchanged, outside of the capture; but a token may come
    /// with the code, and all logins may have one nonce.
    @Test(arguments: [
        ("own", false), ("of another login", true), ("before the code", true), ("with the code", true),
    ])
    func logoutWithTheTokenOfThisLoginTellsOfAnExchange(token: String, fires: Bool) throws {
        var recording = try Recording(broken)
        let nonce = try #require(
            recording.exchanges.lazy.compactMap { $0.request.url.queryItems.first("nonce") }.first
        )
        let claims = #"{"iss":"https://id.harbour.example","aud":"shop-app","nonce":""#
        let named = token == "of another login" ? "of-another-login" : nonce
        let hint =
            [#"{"alg":"RS256"}"#, claims + named + "\"}"]
            .map(encoded).joined(separator: ".") + ".AAAA"
        var logout = try #require(recording.exchanges.last)
        logout.startedAt = logout.startedAt + .seconds(2)
        if token == "before the code" {
            logout.startedAt = recording.exchanges[2].startedAt - .seconds(1)
        } else if token == "with the code", let location = recording.exchanges[2].response?.location {
            recording.exchanges[2].response?.redirect(to: location + "&id_token=" + hint)
        }
        let url = RecordedURL("https://id.harbour.example/end-session?id_token_hint=" + hint)
        logout.request = RecordedRequest(method: "GET", url: url)
        recording.exchanges.append(logout)
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }

    /// By two clocks an exchange may come before its code; one with another code is not of it.
    @Test(arguments: [true, false]) func exchangeInFrontIsOfThisCodeAlone(isOfThisCode: Bool) throws {
        var recording = try Recording(broken)
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        var request = try #require(
            Recording("healthy/native-app").exchanges.first { $0.request.url.path == "/token" }
        )
        request.startedAt = recording.exchanges[1].startedAt + .seconds(1)
        recording.exchanges.insert(request, at: 2)
        recording = recording.sending("code", isOfThisCode ? code : "another-code-0001")
            .answering("/token", 400, ["error": "invalid_grant"])
        #expect((recording.finding(rule) == nil) == isOfThisCode)
    }

    @Test func passingItOnIsUsingIt() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func anyRequestThatCarriesItCounts() throws {
        let recording = try Recording(broken + ".near-miss")
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        for (url, body) in [("/x?c=\(code)", nil), ("/x", "[\"\(code)\"]"), ("/x", "code=\(code)&a=b")]
            as [(
                String, String?
            )]
        {
            let used = recording.editing { exchange in
                guard exchange.request.url.path == "/api/session" else { return }
                exchange.request.url = RecordedURL("https://www.shop.example" + url)
                exchange.request.body = body.map { Body(text: $0, mediaType: "text/plain") }
                exchange.request.headers.remove("content-length")
            }
            #expect(used.finding(rule) == nil)
        }
        let unused = recording.without { $0.request.url.path == "/api/session" }
        #expect(unused.finding(rule) != nil)
    }

    /// An app may wrap what it hands to its back end, or encrypt it.
    @Test(arguments: ["base64", "base64url", "sealed", "sealed beside a token", "other"])
    func whatAnAppWrapsItsCodeInIsOpened(kind: String) throws {
        let recording = try Recording(broken + ".near-miss")
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        let handed = #"{"device":"phone","code":"\#(code)"}"#
        let sealed = [encoded(#"{"alg":"ECDH-ES","enc":"A256GCM"}"#), "", "aXY", "c2VhbGVk", "dGFn"]
        let payload =
            switch kind {
            case "base64": Base64.encode(handed.utf8)
            case "base64url": Base64.encodeForURLs(handed.utf8)
            case "sealed": sealed.joined(separator: ".")
            case "sealed beside a token":
                "\(encoded(#"{"alg":"none"}"#)).e30.\",\"box\":\"" + sealed.joined(separator: ".")
            default: Base64.encode(handed.replacing(code, with: "another-one-of-this-app").utf8)
            }
        let wrapped = recording.editing { exchange in
            guard exchange.request.url.path == "/api/session" else { return }
            exchange.request.body = .json(#"{"data":"\#(payload)"}"#)
            exchange.request.headers.remove("content-length")
        }
        #expect((wrapped.finding(rule) != nil) == (kind == "other"))
        #expect((wrapped.abstention(rule) != nil) == kind.hasPrefix("sealed"))
        #expect((wrapped.outcomes == [.success]) == kind.hasPrefix("base64"))
    }

    /// Some encoders of JSON escape more than they must: Gson has `\u003d` for `=`.
    @Test(arguments: [true, false]) func escapesOfJSONAreUndone(isTheCode: Bool) throws {
        let recording = try Recording(broken + ".near-miss")
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        let first = try #require(code.utf8.first)
        let escaped = "\\u00" + String(isTheCode ? first : first ^ 1, radix: 16) + code.dropFirst()
        let handed = recording.editing { exchange in
            guard exchange.request.url.path == "/api/session" else { return }
            exchange.request.body = .json(#"{"code":"\#(escaped)"}"#)
            exchange.request.headers.remove("content-length")
        }
        #expect((handed.finding(rule) == nil) == isTheCode)
        #expect((handed.outcomes == [.success]) == isTheCode)
    }

    /// Pages of browser apps, and what they had to remember.
    private func left(by page: Recording) throws -> Recording {
        var recording = page
        var later = try #require(recording.exchanges.last)
        later.request = RecordedRequest(method: "GET", url: RecordedURL("https://www.shop.example/offers"))
        later.startedAt = later.endedAt + .seconds(40)
        recording.exchanges.append(later)
        return recording
    }

    @Test func saysWhatAPageHasToFind() throws {
        let finding = try #require(try left(by: page()).finding(rule))
        #expect(finding.variant == "page")
        #expect(finding.fix.contains("sessionStorage"))
        #expect(!finding.fix.contains("AppAuth"))
    }

    /// Another origin's storage is out of a page's reach; the provider's own page, and another site's, say nothing of it.
    @Test(arguments: [
        ("http://www.shop.example/", true), ("https://shop.example/start", true),
        ("https://www.shop.example/", false), ("https://id.harbour.example/", false),
        ("https://news.example/", false),
    ])
    func namesTheOriginThatTheLoginBeganAt(page address: String, isOther: Bool) throws {
        let recording = try left(by: page()).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.headers.replace("Referer", with: address)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains { $0.hasSuffix("request.header Referer") } == isOther)
        #expect(finding.explanation.contains("of one origin") == isOther)
    }

    /// Firebase's page at the redirect URI; that of an app on a device hands the code on by the app's scheme.
    @Test(arguments: [("", true), ("&apn=com.shop.app", false)])
    func tellsFirebasesPage(device: String, fires: Bool) throws {
        let host = "https://shop-4711.firebaseapp.com"
        let helper = host + "/__/auth/handler"
        let recording = try Recording("the-capture/backchannel-not-recorded").editing { exchange in
            let text = exchange.request.url.text
            exchange.request.url = RecordedURL(Self.moved(text, to: helper))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: Self.moved(location, to: helper))
            }
            if exchange.request.url.path == "/login" {
                exchange.request.url = RecordedURL(helper + "?apiKey=k&authType=signInViaRedirect" + device)
            } else if exchange.request.url.path == "/__/auth/handler" {
                exchange.response = RecordedResponse(
                    status: 200,
                    body: Body(text: "<!doctype html>", mediaType: "text/html")
                )
            }
        }
        let finding = try left(by: recording).finding(rule)
        #expect((finding != nil) == fires)
        if let finding { #expect(finding.fix.contains("authDomain")) }
    }

    private static func moved(_ text: String, to helper: String) -> String {
        text.replacing("https://www.shop.example/callback", with: helper)
            .replacing(
                "https%3A%2F%2Fwww.shop.example%2Fcallback",
                with: helper.replacing(":", with: "%3A").replacing("/", with: "%2F")
            )
    }

    @Test func aRecordingThatEndsThereSaysNothing() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/offers.json" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func theRedirectItselfIsNothingLater() throws {
        var recording = try Recording(broken)
        let location = try #require(recording.exchanges[2].response?.location)
        recording.exchanges[3].request.url = RecordedURL(location)
        recording.exchanges[3].response = nil
        recording.exchanges[3].startedAt = recording.exchanges[2].endedAt
        #expect(recording.finding(rule) == nil)
        recording.exchanges[0].duration = .seconds(60)
        #expect(recording.finding(rule) != nil)
    }

    @Test func abstainsWhereABodyWasNotSaved() throws {
        let recording = try Recording(broken + ".near-miss").withoutBodies(of: "/api/session")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsWhereATunnelWasNotOpened() throws {
        var recording = try Recording(broken)
        recording.exchanges[3].request.method = "CONNECT"
        recording.exchanges[3].request.url = RecordedURL("https://token.harbour.example:443/")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The app may have brought the code to its own server, whose certificate it pins; on a connection from before, as long as that stood.
    @Test(arguments: [
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", 1, true),
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", -5, true),
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", -60, false),
        ("Chat/9 CFNetwork/1568.200.51 Darwin/24.1.0", 1, false),
        ("apsd/1 CFNetwork/1568.200.51 Darwin/24.1.0", 1, false), ("Mozilla/5.0 (iPhone)", 1, false),
    ])
    func abstainsWhereTheAppHasAnUnreadConnection(agent: String, seconds: Int, isUnknown: Bool) throws {
        var recording = try Recording(broken)
        var tunnel = recording.exchanges[3]
        tunnel.request = RecordedRequest(
            method: "CONNECT",
            url: RecordedURL("https://api.shop.example:443/"),
            headers: HeaderFields([("User-Agent", agent)])
        )
        tunnel.response = RecordedResponse(status: 200)
        tunnel.tunnel = TunnelFacts(reason: .clientRejectsRecorder, sentBytes: 2_100, receivedBytes: 5_400)
        tunnel.startedAt = recording.exchanges[2].startedAt + .seconds(seconds)
        tunnel.duration = .seconds(9)
        recording.exchanges.append(tunnel)
        #expect((recording.finding(rule) == nil) == isUnknown)
        #expect((recording.abstention(rule) != nil) == isUnknown)
    }

    @Test func abstainsWhereABrowserRecordedAlone() throws {
        var capture = try Capture(
            Recording(broken).without { $0.request.url.path.contains("well-known") }.exchanges
        )
        #expect(
            FlowFinder.flows(in: capture).flatMap { Diagnostician.diagnose($0).findings }.map(\.rule)
                .contains(rule)
        )
        capture.creator = ("WebInspector", "537.36")
        let diagnoses = FlowFinder.flows(in: capture).map { Diagnostician.diagnose($0) }
        #expect(!diagnoses.flatMap(\.findings).map(\.rule).contains(rule))
        #expect(diagnoses.flatMap(\.abstentions).map(\.rule).contains(rule))
        // With something of the app's in it, it is no browser's alone.
        var both = try Capture(Recording(broken).exchanges)
        both.creator = capture.creator
        #expect(
            FlowFinder.flows(in: both).flatMap { Diagnostician.diagnose($0).findings }.map(\.rule)
                .contains(rule)
        )
    }

    /// An import names itself for its producer, and the files that it was made of beside that.
    @Test(arguments: [
        (["WebInspector"], false), (["Firefox", "Safari"], false), (["Firefox", "mitmproxy"], true),
    ])
    func abstainsAsWellWhereABrowsersExportWasImported(creators: [String], isViolated: Bool) throws {
        var capture = try Capture(
            Recording(broken).without { $0.request.url.path.contains("well-known") }.exchanges
        )
        capture.creator = ("authreel", "1.0")
        let files = creators.map { name in
            ImportStatement.File(name: "\(name).har", creator: ["name": .string(name)], clock: .reference)
        }
        capture.logMembers["_authreel"] = ["imported": ImportStatement(files: files, isAligned: false).json]
        let diagnoses = FlowFinder.flows(in: capture).map { Diagnostician.diagnose($0) }
        #expect(diagnoses.flatMap(\.findings).map(\.rule).contains(rule) == isViolated)
    }

    @Test func aClaimedAddressIsAnApps() throws {
        let claimed = try Recording("the-capture/backchannel-not-recorded").without {
            $0.request.url.path == "/callback"
        }
        // A web app whose callback was not recorded.
        #expect(claimed.finding(rule) == nil)
        #expect(
            claimed.asking("redirect_uri_https_type", "app_claimed_https").finding(rule)?.variant == "app"
        )
    }

    /// The server at the redirect URI hands the answer on by a scheme, where the app waits for the https address.
    @Test(arguments: [("https://stats.other.example/me", true), ("https://api.shop.example/me", false)])
    func aServerThatSendsTheCodeOnDoesNotTakeIt(address: String, fires: Bool) throws {
        var recording = try Recording("security-practice/claimed-https-opened-in-browser")
        let query = try #require(recording.exchanges[3].request.url.query)
        recording.exchanges[3].response = RecordedResponse(status: 302)
        recording.exchanges[3].response?.redirect(to: "com.example.shop://signed-in?" + query)
        var call = recording.exchanges[0]
        call.startedAt = recording.exchanges[3].endedAt + .seconds(45)
        call.request.url = RecordedURL(address)
        call.response = RecordedResponse(status: 200, body: .json("{}"))
        recording.exchanges.append(call)
        let finding = recording.finding(rule)
        // What its server answers afterwards it may know its user for.
        #expect((finding != nil) == fires)
        guard fires else { return }
        #expect(finding?.isPrimary == true && finding?.variant == "app")
        #expect(finding?.places.last == "3 response.location ")
        #expect(finding?.fix.contains("callbackURLScheme") == true)
        #expect(recording.outcomes == [.incomplete])
        #expect(recording.finding("backchannel-not-recorded") == nil)
    }

    /// The app hands the code to its back end, whose own calls nobody recorded: what it answers is how the login went.
    @Test(arguments: [(200, Outcome.success), (302, .success), (403, .failure)])
    func aBackEndThatTakesTheCodeEndsTheLogin(status: Int, outcome: Outcome) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/api/session" else { return }
            exchange.response?.status = status
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [outcome])
    }
}
