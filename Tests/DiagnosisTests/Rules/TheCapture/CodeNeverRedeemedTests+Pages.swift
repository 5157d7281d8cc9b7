import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// A page at the redirect URI that is the client itself.
extension CodeNeverRedeemedTests {
    /// The page of a browser app at the redirect URI, with the provider asked by it.
    func page() throws -> Recording {
        try Recording("the-capture/backchannel-not-recorded").withMetadata().editing { exchange in
            if exchange.request.url.path.contains("well-known") {
                exchange.request.headers.append("Origin", "https://www.shop.example")
                exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (X11; Linux) Firefox/140.0")
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 200
            exchange.response?.headers.remove("Location")
            exchange.response?.redirectURL = ""
            exchange.response?.body = Body(text: "<!doctype html>", mediaType: "text/html")
        }
    }

    /// Nor does it hand the code on where it tells a service for statistics its address, or its browser one for reports.
    @Test(
        arguments: [
            nil, ("g/collect?dl=URL", "text/plain", ""),
            ("enforce", "application/csp-report", #"{"csp-report":{"document-uri":"URL"}}"#),
        ] as [(String, String, String)?]
    )
    func aPageThatSpeaksToTheProviderIsNoServer(visit told: (String, String, String)?) throws {
        var recording = try page()
        let callback = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        if let (path, mediaType, text) = told {
            var visit = callback
            visit.startedAt = callback.endedAt + .milliseconds(5)
            let url = callback.request.url.text
            visit.request.method = "POST"
            visit.request.url = RecordedURL(
                "https://stats.example/" + path.replacing("URL", with: PercentEncoding.encode(url))
            )
            visit.request.body = Body(text: text.replacing("URL", with: url), mediaType: mediaType)
            visit.response = RecordedResponse(status: 204)
            recording.exchanges.append(visit)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.variant == "page")
        #expect(finding.severity == .warning)
        #expect(recording.finding("backchannel-not-recorded") == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    /// An API may have a path like those of statistics.
    @Test func aPageThatGivesAServerTheCodeItselfHandsItOn() throws {
        var recording = try page()
        var call = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        let code = try #require(call.request.url.queryItems.first("code"))
        call.startedAt = call.endedAt + .milliseconds(5)
        call.request.method = "POST"
        call.request.url = RecordedURL("https://www.shop.example/events/session")
        call.request.body = .json(#"{"code":"\#(code)"}"#)
        call.response = RecordedResponse(status: 204)
        recording.exchanges.append(call)
        #expect(recording.finding(rule) == nil)
    }

    /// A silent login in a hidden frame, whose page forbids every frame; the app's own may show it otherwise.
    @Test(arguments: [
        ("X-Frame-Options", "DENY", "iframe", true), ("X-Frame-Options", "SAMEORIGIN", "iframe", false),
        ("X-Frame-Options", "DENY", "document", false),
        ("Content-Security-Policy", "frame-ancestors 'none'", "iframe", true),
        ("Content-Security-Policy", "frame-ancestors 'self'", "iframe", false),
    ])
    func aPageThatMayNotBeFramedDoesNothingWithItsCode(
        name: String,
        value: String,
        target: String,
        isTold: Bool
    ) throws {
        let recording = try page().editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.headers.append("Sec-Fetch-Dest", target)
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("frame-ancestors 'self'") == isTold)
        #expect(finding.places.contains { $0.hasSuffix(" response.header \(name)") } == isTold)
    }

    /// Somebody went back to the sign-in page: what the library stored for the login is used up.
    @Test(arguments: [("", true), ("refused", false), ("of another login", false)])
    func namesTheAnswerThatWasExchangedBefore(first: String, isTold: Bool) throws {
        var recording = try page()
        var (signIn, callback) = (recording.exchanges[3], recording.exchanges[4])
        recording.exchanges.removeLast()
        let code = try #require(callback.request.url.queryItems.first("code"))
        var request = recording.exchanges[0]
        request.startedAt = callback.endedAt + .milliseconds(20)
        request.request.method = "POST"
        request.request.url = RecordedURL("https://id.harbour.example/token")
        request.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Access-Control-Allow-Origin", "*")])
        )
        recording.exchanges.append(request)
        recording = recording.sending("grant_type", "authorization_code").sending("code", code).granted()
        if first == "refused" { recording = recording.answering("/token", 400, ["error": "invalid_request"]) }
        var answer = Recording.changing(callback.request.url.text, "code", "second-code-0123456789")
        if first == "of another login" { answer = Recording.changing(answer, "state", "another-state-0001") }
        signIn.startedAt = signIn.startedAt + .seconds(60)
        signIn.response?.redirect(to: answer)
        callback.startedAt = signIn.endedAt + .milliseconds(20)
        callback.request.url = RecordedURL(answer)
        var later = callback
        later.request = RecordedRequest(method: "GET", url: RecordedURL("https://www.shop.example/offers"))
        later.startedAt = callback.endedAt + .seconds(40)
        recording.exchanges += [signIn, callback, later]
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("second answer to one request") == isTold)
        #expect((finding.places.last == "4 request.query code") == isTold)
    }

    @Test func aPageWithACookieOrWithoutCallsIsAServers() throws {
        let withCookie = try page().editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.headers.append("Set-Cookie", "session=1")
        }
        #expect(withCookie.finding(rule) == nil)
        let silent = try page().editing { exchange in
            exchange.client = ClientFacts(process: "firefox")
            exchange.request.headers.fields.removeAll {
                ["origin", "user-agent"].contains($0.name.lowercased())
            }
        }
        #expect(silent.finding(rule) == nil)
        #expect(silent.finding("backchannel-not-recorded") != nil)
    }

    @Test func aPagesOwnAssetsAreNothingLater() throws {
        let recording = try page().editing { exchange in
            guard exchange.request.url.path == "/" else { return }
            exchange.request.url = RecordedURL("https://www.shop.example/app.js")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [true, false]) func whatAnotherFileGoesOnWithIsNothingLater(isPage: Bool) throws {
        let recording = try (isPage ? page() : Recording(broken)).editing { exchange in
            let file = ["/", "/offers.json"].contains(exchange.request.url.path) ? "b.har" : "a.har"
            exchange.provenance.seen = [Provenance.Sighting(file: file, entry: 0)]
        }
        #expect(recording.finding(rule) == nil)
    }
}
