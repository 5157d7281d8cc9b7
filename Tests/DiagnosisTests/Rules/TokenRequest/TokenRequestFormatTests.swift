import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct TokenRequestFormatTests {
    private let rule = "token-request-format"
    private let broken = "token-request/token-request-format"

    private func sending(_ text: String, as type: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.body = Body(text: text, mediaType: type)
            exchange.request.headers.replace("Content-Type", with: type)
        }
    }

    @Test func namesTypeAndBody() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["4 request.header Content-Type", "4 request.body ", "4 response.body error"]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["application/json", "an object of JSON"])
    }

    /// A framework has errors of its own for a body that it cannot read.
    @Test(arguments: [(415, true), (405, true), (400, false)])
    func statusTellsThatTheBodyWasNotRead(status: Int, fires: Bool) throws {
        let recording = try Recording(broken).answering("/token", status, ["error": "media_type"])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    @Test func leavesAProviderThatTakesJSONAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: ["multipart/form-data; boundary=b1", "multipart/form-data; boundary=\"b1\""])
    func readsMultipart(
        type: String
    ) throws {
        let text =
            "--b1\r\nContent-Disposition: form-data; name=\"grant_type\"\r\n\r\nauthorization_code\r\n--b1\r\nContent-Disposition: form-data; filename=\"x\"; name=\"code\"\r\n\r\nabc\r\n--b1--\r\n"
        let recording = try sending(text, as: type)
        #expect(recording.finding(rule)?.evidence[1].value == "multipart")
        #expect(recording.flows.flatMap(\.tokenRequests).map(\.code) == ["abc"])
    }

    @Test func readsAnObjectThatIsCalledAForm() throws {
        let text = "\n {\"grant_type\":\"authorization_code\",\"code\":\"abc\"}"
        let finding = try #require(sending(text, as: FormBody.mediaType).finding(rule))
        #expect(finding.notes.first == "but the body is none")
        #expect(finding.evidence[1].value == "an object of JSON")
    }

    @Test func readsAFormUnderAnotherName() throws {
        let recording = try sending("grant_type=authorization_code&code=abc", as: "application/json")
        #expect(recording.finding(rule)?.evidence[1].value == "of another kind")
    }

    /// A form that is not called one: the header alone may have been left out, so the endpoint has to miss what it tells.
    @Test(arguments: [
        (400, "Missing form parameter: grant_type", true), (415, "HTTP 415 Unsupported Media Type", true),
        (400, "The code is not valid", false), (400, "", false),
    ])
    func formWithoutATypeIsOneWhereTheEndpointMissesIt(status: Int, words: String, fires: Bool) throws {
        let untyped = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/token", let body = exchange.request.body?.text else {
                return
            }
            exchange.request.body = Body(text: body)
        }
        .sendingHeader("Content-Type", nil, to: "/token")
        #expect(untyped.finding(rule) == nil)
        let refused = untyped.answering(
            "/token",
            status,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        let finding = refused.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.places.first?.hasSuffix("request.header Content-Type") == true) == fires)
        #expect(finding?.evidence.first?.value == (fires ? "missing" : nil))
    }

    /// What JavaScript makes of an object as a body, at an endpoint that metadata name or that is known by its path alone.
    @Test(arguments: [
        (FormBody.mediaType, true), (FormBody.mediaType, false), ("text/plain;charset=UTF-8", false),
    ])
    func namesAnObjectThatWasSentAsItsName(type: String, hasMetadata: Bool) throws {
        let sent = try sending("[object Object]", as: type).withEndpoints { name in
            "https://id.harbour.example/realms/shop/protocol/openid-connect/"
                + (name == "authorize" ? "auth" : name)
        }
        let recording = hasMetadata ? sent : sent.without { $0.request.url.path.contains("/.well-known/") }
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].value.contains("[object …]"))
        #expect(finding.fix.contains("URLSearchParams"))
        #expect(recording.finding("code-never-redeemed") == nil)
    }

    @Test func namesTheSettingsOfACallThatWereSentAsItsBody() throws {
        let settings =
            #"{"headers":{"Accept":"application/json"},"data":{"grant_type":"authorization_code"}}"#
        let recording = try sending(settings, as: "application/json")
            .answering("/token", 400, ["error": "invalid_request"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("axios.post"))
        #expect(finding.evidence[1].value == "an object of JSON")
    }

    @Test func wantsAPost() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.method = "GET"
            exchange.request.url = RecordedURL(
                exchange.request.url.text + "?grant_type=authorization_code&code=abc"
            )
            exchange.request.body = nil
        }.answering("/token", 405)
        #expect(recording.finding(rule)?.evidence[0].value == "GET https://id.harbour.example/token")
    }

    @Test(arguments: [
        (400, "invalid_grant"), (400, "unauthorized_client"), (503, "temporarily_unavailable"),
        (429, "slow_down"),
    ])
    func leavesAnswersAloneThatShowItWasRead(status: Int, error: String) throws {
        #expect(
            try Recording(broken).answering("/token", status, ["error": .string(error)]).finding(rule) == nil
        )
    }

    @Test func silencesTheGrantTypeThatWasNotFound() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "unsupported_grant_type"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("unsupported-grant-type") == nil)
    }

    @Test func leavesAFormAlone() throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            400,
            ["error": "invalid_request"]
        )
        #expect(recording.finding(rule) == nil)
    }

    /// Naver has it so in its documentation.
    @Test(arguments: [("nid.naver.com", false), ("id.harbour.example", true)])
    func leavesAProviderThatIsAskedByGetAlone(host: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.method = "GET"
            exchange.request.url = RecordedURL(
                "https://\(host)/token?grant_type=authorization_code&code=abc&client_id=shop-web"
            )
            exchange.request.body = nil
            exchange.request.headers.remove("content-type")
        }.answering("/token", 405)
        #expect((recording.finding(rule) != nil) == fires)
    }

    // MARK: - Forms in which nothing is found

    private static let code = "o-eaf6RgXR213gsQ4sFSVfFvFz6nbEAX"

    /// Where the client is not known either: that is what the endpoint says who finds none.
    @Test(arguments: [
        (#"{"grant_type":"authorization_code","code":"\#(code)"}"#, "misnamed"),
        ("grant_type=authorization_code&amp;code=\(code)&amp;client_id=shop-web", "escaped"),
    ])
    func isTheCauseWhereAFormCannotBeRead(body: String, variant: String) throws {
        let recording = try sending(body, as: "application/x-www-form-urlencoded")
            .answering("/token", 401, ["error": "invalid_client"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.variant == variant)
        #expect(recording.finding("client-auth-missing")?.isPrimary != true)
        #expect(recording.flows.count == 1)
        #expect(!recording.findings.flatMap(\.evidence).contains { "\($0)".contains(Self.code) })
    }

    private func inQuery(_ error: String, authorization: String? = nil) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL(
                exchange.request.url.text
                    + "?grant_type=authorization_code&code=\(Self.code)&client_id=shop-web&code_verifier=\(Self.code)"
            )
            exchange.request.body = nil
            exchange.request.headers.fields.removeAll {
                ["content-type", "authorization"].contains($0.name.lowercased())
            }
            if let authorization { exchange.request.headers.append("Authorization", authorization) }
        }.answering("/token", 401, ["error": .string(error)])
    }

    @Test func isTheCauseWhereTheParametersStandInTheURL() throws {
        let recording = try inQuery("invalid_client")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.variant == "query")
        #expect(finding.evidence[0].value == "grant_type, code, client_id, code_verifier")
        #expect(recording.finding("credentials-in-url")?.title == "The PKCE verifier travels in a URL")
        #expect(recording.flows.flatMap(\.tokenRequests).map(\.code) == [Self.code])
    }

    /// Zoom has it so; a client that shows a wrong secret in a header may be refused for that, and one that is told of its code was read.
    @Test(arguments: ["invalid_client", "invalid_grant"])
    func leavesAQueryAloneThatMayHaveBeenRead(error: String) throws {
        let recording = try inQuery(error, authorization: "Basic c2hvcC13ZWI6eA==")
        #expect(recording.finding(rule) == nil)
        #expect(recording.flows.flatMap(\.tokenRequests).map(\.code) == [Self.code])
    }

    @Test func leavesAQueryAloneThatTheEndpointReadsAnotherTime() throws {
        var recording = try inQuery("invalid_request")
        var read = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        read.startedAt = read.startedAt + .seconds(20)
        read.response?.status = 200
        read.response?.body = Body(
            text: #"{"access_token":"a1b2c3","token_type":"Bearer"}"#,
            mediaType: "application/json"
        )
        #expect(recording.finding(rule) != nil)
        recording.exchanges.append(read)
        #expect(recording.finding(rule) == nil)
    }

    /// A body of another kind, read as a form, has values where names are.
    @Test(arguments: [#"{"grant_type":"authorization_code","code":"\#(code)""#, code, "{'code':'\(code)'}"])
    func showsNoValueForAName(body: String) throws {
        let recording = try sending(body, as: "application/x-www-form-urlencoded").withMetadata()
            .answering("/token", 401, ["error": "invalid_client"])
        let finding = try #require(recording.finding("client-auth-missing"))
        #expect(finding.notes[0].hasPrefix("sent: ") && finding.notes[0].contains("…("))
        #expect(!recording.findings.flatMap(\.evidence).contains { "\($0)".contains(Self.code) })
    }

    /// Providers that have JSON in their documentation speak of what they read in it.
    @Test(
        arguments: [
            ("invalid_client", "The client secret is invalid", nil, false),
            ("invalid_request", "redirect_uri in the token request does not match", nil, false),
            ("invalid_request", "PKCE verification failed.", nil, false),
            ("invalid_request", "Missing code_verifier", nil, true),
            ("invalid_request", "The authorization code was not found or was already used", nil, false),
            ("invalid_client", "Client authentication failed", "Basic c2hvcC13ZWI6eA==", false),
            ("invalid_client", "Client authentication failed", nil, true),
            ("invalid_request", "Missing parameter, 'redirect_uri'", nil, true),
            (
                "invalid_client",
                "AADSTS7000218: The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
                nil, true
            ),
            ("invalid_request", "The authorization code grant is not known here", nil, true),
        ] as [(String, String, String?, Bool)]
    )
    func leavesJSONAloneThatWasRead(error: String, text: String, credentials: String?, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/token") { exchange in
            if let credentials { exchange.request.headers.append("Authorization", credentials) }
        }.answering("/token", 401, ["error": .string(error), "error_description": .string(text)])
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Where JSON is what the documentation shows, a refusal is about something else: at Notion, the method of the client.
    @Test(arguments: [
        ("api.notion.com", false), ("auth.atlassian.com", false), ("open.feishu.cn", false),
        ("id.harbour.example", true),
    ])
    func leavesServicesThatAreSpokenToInJSONAlone(host: String, fires: Bool) throws {
        let json =
            #"{"grant_type":"authorization_code","code":"abc","client_id":"shop","client_secret":"not-a-secret"}"#
        let recording = try sending(json, as: "application/json").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://\(host)/token")
        }.answering("/token", 401, ["error": "invalid_client"])
        #expect((recording.finding(rule) != nil) == fires)
    }
}
