import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

/// What may be wrong with a login without redirects, each made of one that Chromium did (FedCM).
struct CredentialLoginTests {
    private func recording() throws -> Recording {
        let name = "Tests/Recordings/fedcm-chromium.har"
        let capture = try CaptureReader.read(bytes: Fixtures.bytes(name), name: name)
        return Recording(capture.indices.map { capture[$0] })
    }

    /// Another token, in the provider's answer and in what the page sends on; the app's server answers so.
    private func handing(_ status: Int = 401, _ edit: (inout JSONObject) -> Void) throws -> Recording {
        let recording = try recording()
        let answer = recording.exchanges[7].response?.body?.bytes.flatMap { try? JSONParser.parse($0) }
        let token = try #require(answer?["token"]?.string.flatMap { JSONWebToken.parse($0) })
        var claims = try #require(token.claims)
        edit(&claims)
        var parts = token.text.split(separator: ".").map(String.init)
        parts[1] = encoded(JSONWriter.text(of: .object(claims)))
        let text = parts.joined(separator: ".")
        return recording.answering("/assert", 200, .object(["token": .string(text)]))
            .answering("/session", status).editingLast("/session") {
                $0.request.body = .json(#"{"credential":"\#(text)"}"#)
            }
    }

    private func withoutWhatCameOfIt() throws -> Recording {
        try recording().without { ["/session", "/keys"].contains($0.request.url.path) }
    }

    @Test func nothingIsWrongWithTheRecording() throws {
        #expect(try recording().findings.isEmpty && recording().outcomes == [.success])
    }

    @Test func audienceOfAnotherClientIsTheCause() throws {
        let finding = try #require(handing { $0["aud"] = "cashier" }.finding("id-token-audience-mismatch"))
        #expect(finding.isPrimary)
        #expect(finding.places == ["10 jwt.claims aud", "7 request.body client_id"])
    }

    @Test func nonceOfAnotherLoginIsTheCause() throws {
        let recording = try handing { $0["nonce"] = "another" }
        let finding = try #require(recording.finding("id-token-nonce-mismatch"))
        #expect(finding.isPrimary && finding.places == ["7 request.body nonce", "10 jwt.claims nonce"])
        // Newer browsers send it among the page's own parameters only.
        let params = recording.sending("nonce", nil, to: "/assert")
        #expect(
            try #require(params.finding("id-token-nonce-mismatch")).places.first == "7 request.body params"
        )
        for unread in ["{", #"{"nonce":""}"#] {
            #expect(params.sending("params", unread, to: "/assert").finding("id-token-nonce-mismatch") == nil)
        }
    }

    /// A provider that reads the field alone puts none into the token once browsers leave that out.
    @Test(arguments: [nil, JSONValue.null]) func nonceThatTheTokenLacksIsTheCause(claim: JSONValue?) throws {
        let recording = try handing { $0["nonce"] = claim }
        let finding = try #require(recording.finding("id-token-nonce-missing"))
        #expect(finding.isPrimary && finding.places == ["7 request.body nonce", "10 jwt.claims nonce"])
        #expect(recording.finding("id-token-nonce-mismatch") == nil)
        let params = recording.sending("nonce", nil, to: "/assert")
        let amongThem = try #require(params.finding("id-token-nonce-missing"))
        #expect(amongThem.places.first == "7 request.body params")
        #expect(amongThem.fix.contains("out of params") && !finding.fix.contains("out of params"))
        let unasked = params.sending("params", "{}", to: "/assert")
        #expect(unasked.finding("id-token-nonce-missing") == nil)
    }

    @Test func tokenThatRanOutIsTheCause() throws {
        let recording = try handing {
            $0["iat"] = 1_700_000_000
            $0["exp"] = 1_700_000_300
        }
        let finding = try #require(recording.finding("id-token-expired"))
        #expect(finding.isPrimary && finding.notes.contains("the clock of the app's server"))
        let silent = recording.answering("/session", header: "Date", nil)
        #expect(try #require(silent.finding("id-token-expired")).notes.contains("the recorder's clock"))
    }

    @Test(arguments: [
        ("Access-Control-Allow-Origin", nil, "the page's origin is not allowed"),
        ("Access-Control-Allow-Origin", "*", "the star does not stand for calls with credentials"),
        ("Access-Control-Allow-Origin", "https://other.example", "another origin is allowed"),
        ("Access-Control-Allow-Credentials", nil, "Access-Control-Allow-Credentials: true is missing"),
    ]) func browserKeepsTheTokenToItself(header: String, value: String?, words: String) throws {
        let recording = try withoutWhatCameOfIt().answering("/assert", header: header, value)
        let finding = try #require(recording.finding("cors-blocked"))
        #expect(finding.isPrimary && finding.notes.contains(words))
        // What went on all the same was not kept.
        #expect(
            try self.recording().answering("/assert", header: header, value).finding("cors-blocked") == nil
        )
    }

    @Test func providersNoIsTold() throws {
        let error = JSONValue.object(["code": "unauthorized_client", "url": "https://idp.example/why"])
        let recording = try withoutWhatCameOfIt().answering("/assert", 403, .object(["error": error]))
        let finding = try #require(recording.finding("authorization-error"))
        #expect(recording.outcomes == [.failure] && finding.isPrimary)
        #expect(
            finding.places == [
                "7 response.body error.code", "7 response.body error.url", "7 request.body client_id",
            ]
        )
        let unnamed = try withoutWhatCameOfIt().answering("/assert", 400)
        #expect(unnamed.finding("authorization-error")?.places.first == "7 response.status ")
    }

    /// What has no name is no refusal: the provider broke down, or had too much to do.
    @Test(arguments: [(500, "provider-server-error"), (429, "rate-limited")])
    func providerThatCouldNotAnswerHasNotRefused(status: Int, rule: String) throws {
        let recording = try withoutWhatCameOfIt().answering("/assert", status)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// The user's own no goes to nobody.
    @Test func deniedAccessIsTheProvidersNo() throws {
        let error = JSONValue.object(["error": .object(["code": "access_denied"])])
        let recording = try withoutWhatCameOfIt().answering("/assert", 403, error)
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("authorization-error")?.isPrimary == true)
    }

    // MARK: - Google's script, which asks before it offers anything

    private func asked(_ status: Int, from pages: [String]) -> Recording {
        var capture = CaptureBuilder()
        for page in pages {
            capture.add(
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    duration: .milliseconds(20),
                    request: RecordedRequest(
                        method: "GET",
                        url: RecordedURL(
                            "https://accounts.google.com/gsi/status?client_id=4074-abc&cas=VLXr"
                        ),
                        headers: HeaderFields([
                            ("User-Agent", "Mozilla/5.0 Chrome/141.0.0.0 Safari/537.36"), ("Origin", page),
                        ])
                    ),
                    response: RecordedResponse(status: status, headers: HeaderFields([("Vary", "Origin")]))
                )
            )
        }
        return Recording(capture.exchanges)
    }

    @Test func originThatGoogleDoesNotKnowIsTheCause() throws {
        let recording = asked(403, from: ["https://www.shop.example", "https://www.shop.example"])
        let finding = try #require(recording.finding("authorization-error"))
        #expect(recording.outcomes == [.failure] && finding.isPrimary && recording.findings.count == 1)
        #expect(finding.title == "Google does not know the page's origin for this client")
        #expect(
            finding.places == ["0 response.status ", "0 request.header Origin", "0 request.query client_id"]
        )
        #expect(asked(200, from: ["https://www.shop.example"]).flows.isEmpty)
    }

    // MARK: - Sign in with Google's form

    private func form(cookie: String?, _ status: Int) throws -> Recording {
        var recording = try recording()
        let json = recording.exchanges[10].request.body?.bytes.flatMap { try? JSONParser.parse($0) }
        let token = try #require(json?["credential"]?.string)
        recording.exchanges[10].request.body = Body(
            text: FormBody.encode([("credential", token), ("g_csrf_token", "7d1e0b4c2f9a")]),
            mediaType: FormBody.mediaType
        )
        return recording.sendingHeader("Cookie", cookie, to: "/session").answering("/session", status)
    }

    @Test(arguments: [nil, "other=1", "g_csrf_token=another"])
    func fieldThatNoCookieBearsOutIsTheCause(cookie: String?) throws {
        let finding = try #require(form(cookie: cookie, 400).finding("state-cookie-lost"))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "10 request.body g_csrf_token", "10 request.header Cookie", "10 response.status ",
            ]
        )
        #expect(try form(cookie: cookie, 200).finding("state-cookie-lost") == nil)
    }

    @Test func fieldThatACookieBearsOutIsNot() throws {
        let recording = try form(cookie: "g_csrf_token=7d1e0b4c2f9a", 400)
        #expect(recording.finding("state-cookie-lost") == nil)
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary == true)
        let empty = try form(cookie: nil, 400).sending("g_csrf_token", "", to: "/session")
        #expect(empty.finding("state-cookie-lost") == nil)
    }
}
