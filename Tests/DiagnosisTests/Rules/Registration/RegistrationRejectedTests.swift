import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct RegistrationRejectedTests {
    private let rule = "registration-rejected"
    private let broken = "registration/registration-rejected"

    @Test func showsTheErrorAndTheMemberItIsAbout() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 response.status ", "1 response.body error", "1 request.body redirect_uris",
            ]
        )
        #expect(finding.fix.contains("redirect URI"))
        #expect(recording.outcomes == [.failure])
    }

    /// Some say success by the status, and an error by the body.
    @Test(arguments: [
        (#"{"error":"invalid_redirect_uri"}"#, true), (#"{"client_id":"shop-1","error":"none"}"#, false),
    ])
    func readsAnErrorBehindAStatusOfSuccess(answer: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/register") { exchange in
            exchange.response?.status = 200
            exchange.response?.body = .json(answer)
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// AWS's command line registers itself first, in JSON of camel case, and everybody may.
    @Test(arguments: [
        (400, #"{"error":"invalid_scope","error_description":null}"#, true),
        (200, #"{"clientId":"cli-1","clientSecret":"not-a-secret"}"#, false),
    ])
    func readsARegistrationAtIdentityCenter(status: Int, answer: String, fires: Bool) {
        var capture = CaptureBuilder()
        capture.post(
            "https://oidc.eu-west-1.amazonaws.com/client/register",
            json: #"{"clientName":"shop","clientType":"public","scopes":["sso:account:acces"]}"#,
            status,
            body: .json(answer)
        )
        let recording = Recording(capture.exchanges)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.finding("registration-open") == nil)
    }

    @Test func aLaterTryThatWasAcceptedMakesUpForIt() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func namesTheMemberThatTheProviderNames() throws {
        let recording = try Recording(broken).answering(
            "/register",
            400,
            [
                "error": "invalid_client_metadata",
                "error_description": "token_endpoint_auth_method none is off",
            ]
        )
        #expect(
            recording.finding(rule)?.places.last == "1 request.body token_endpoint_auth_method"
        )
    }

    /// Matrix' authentication service compares the hosts of them; the one that it names first is at fault.
    @Test func namesTheAddressThatTheProviderNamesFirst() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/register" else { return }
            let text =
                #"{"redirect_uris":["https://shop.example/cb"],"client_uri":"https://shop.example","tos_uri":"https://x.example"}"#
            exchange.request.body = .json(text)
        }
        .answering(
            "/register",
            400,
            [
                "error": "invalid_client_metadata",
                "error_description": "tos_uri not on the same host as the client_uri",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "1 request.body tos_uri")
        #expect(finding.fix.hasPrefix("Change the address"))
    }

    @Test(arguments: [
        ("Application with the name shop already exist in the system", "another"), ("x", "method"),
    ])
    func saysWhatToDoWhereTheNameIsTaken(words: String, fix: String) throws {
        let recording = try Recording(broken).answering(
            "/register",
            400,
            ["error": "invalid_client_metadata", "error_description": .string(words)]
        )
        let told = try #require(recording.finding(rule)).fix
        #expect(told.contains("under a name") == (fix == "another"))
        #expect(told.contains("authentication method") == (fix == "method"))
    }

    @Test func quotesAnAnswerThatIsNoErrorOfTheSpecification() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/register" else { return }
            exchange.response?.body = Body(
                text: "Invalid body:\n- redirect_uris.0: not a URL",
                mediaType: "text/plain"
            )
        }
        let words = recording.finding(rule)?.evidence.last { $0.place.part == .responseBody }?.value
        #expect(words == "Invalid body: - redirect_uris.0: not a URL")
    }

    @Test func tellsWhetherATokenWasSent() throws {
        let recording = try Recording(broken).answering("/register", 401, ["error": "invalid_token"])
        #expect(recording.finding(rule)?.notes == ["no initial access token was sent"])
        let withToken = recording.editing { exchange in
            guard exchange.request.url.path == "/register" else { return }
            exchange.request.headers.append("Authorization", "Bearer initial-token-0001")
        }
        #expect(withToken.finding(rule)?.notes == ["the initial access token"])
        #expect(withToken.finding(rule)?.evidence.last?.value == "init…(18)")
    }

    @Test(arguments: ["GET", "PUT", "DELETE"]) func leavesTheRegistrationsOwnURLAlone(method: String) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/register" { exchange.request.method = method }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// RFC 7592, section 2.2: a change of the registration, 5 s after it was made.
    private func changed(with token: String?, _ status: Int, issued: String = "token-of-0001") throws
        -> Recording
    {
        let recording = try Recording(broken + ".near-miss").editingAnswer(of: "/register") {
            $0["registration_access_token"] = .string(issued)
        }
        var exchange = try #require(recording.exchanges.last { $0.request.url.path == "/register" })
        let client = exchange.response?.body?.text.flatMap { text in
            (try? JSONParser.parse(Array(text.utf8)))?["client_id"]?.string
        }
        let id = try #require(client)
        exchange.request.method = "PUT"
        exchange.request.url = RecordedURL(exchange.request.url.text + "/" + id)
        let body: JSONObject = [
            "client_id": .string(id), "redirect_uris": ["example.shop.app:/oauth2redirect"],
        ]
        exchange.request.body = .json(JSONWriter.text(of: .object(body)))
        if let token { exchange.request.headers.append("Authorization", "Bearer \(token)") }
        exchange.startedAt = exchange.startedAt + .seconds(5)
        exchange.response?.status = status
        if status >= 400 {
            exchange.response?.body = .json(#"{"error":"invalid_token"}"#)
        }
        var copy = recording.withoutAuthorization.without {
            ["/token", "/jwks"].contains($0.request.url.path)
        }
        copy.exchanges.append(exchange)
        return copy
    }

    @Test(
        arguments: [
            ("token-of-0001", "the one that was issued last"),
            ("token-of-0000", "another one than was issued last"),
            (nil, "no registration access token was sent"),
        ] as [(String?, String)]
    )
    func changeThatIsRefusedIsToldWithItsToken(token: String?, words: String) throws {
        let finding = try #require(try changed(with: token, 401).finding(rule))
        #expect(finding.title.contains("refused the token"))
        #expect(finding.notes == [words, "the one that was issued last"])
        #expect(!finding.evidence.contains { $0.value.contains("token-of-") })
        #expect(try changed(with: token, 200).finding(rule) == nil)
    }

    /// Another client may have been registered since, and a change that was taken may have left the token as it was.
    @Test(arguments: [("POST", "another"), ("PUT", nil)] as [(String, String?)])
    func tokenIsTheLastOfThisClient(method: String, client: String?) throws {
        var recording = try changed(with: "token-of-0001", 401)
        var between = try #require(recording.exchanges.last)
        between.startedAt = between.startedAt - .seconds(2)
        between.request.method = method
        between.response?.status = 200
        let own = between.request.url.path.split(separator: "/").last ?? ""
        var answer = JSONObject()
        answer["client_id"] = .string(client ?? String(own))
        if client != nil { answer["registration_access_token"] = "token-of-0002" }
        between.response?.body = .json(JSONWriter.text(of: .object(answer)))
        recording.exchanges.insert(between, at: recording.exchanges.count - 1)
        let notes = recording.finding(rule)?.notes
        #expect(notes == ["the one that was issued last", "the one that was issued last"])
    }

    @Test func statusIsToldOnceWhereThereIsNoError() throws {
        let finding = try changed(with: "token-of-0001", 401).editing { exchange in
            if exchange.request.method == "PUT" { exchange.response?.body = nil }
        }.finding(rule)
        #expect(finding?.evidence.filter { $0.place.part == .responseStatus }.count == 1)
    }

    @Test func abstainsWhereTheTokenWasStripped() throws {
        // A file is known to be stripped by a login in it that has no cookie.
        var recording = try Recording(broken + ".near-miss").without {
            ["/token", "/jwks"].contains($0.request.url.path)
        }
        recording.exchanges.append(try #require(changed(with: nil, 401).exchanges.last))
        #expect(recording.finding(rule) != nil)
        #expect(recording.sanitized.finding(rule) == nil)
        #expect(recording.sanitized.abstention(rule) != nil)
    }

    /// Keys may be secret ones.
    @Test(arguments: [("jwks", false), ("software_statement", false), ("client_name", true)])
    func showsNoKeysAndStatements(name: String, isShown: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/register" else { return }
            exchange.request.body = .json(#"{"\#(name)":"c2VjcmV0"}"#)
        }
        .answering(
            "/register",
            400,
            [
                "error": "invalid_client_metadata", "error_description": .string("\(name) cannot be read"),
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("1 request.body \(name)") == isShown)
    }

    @Test func throttlingIsAnotherMatter() throws {
        let recording = try Recording(broken).answering("/register", 429)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("rate-limited") != nil)
    }

    @Test func isANoteWhereTheClientHadAnotherRegistration() throws {
        let refused = try Recording(broken).exchanges[1]
        var recording = try Recording("authorization-request/redirect-uri-not-registered")
        var earlier = refused
        earlier.startedAt = recording.exchanges[0].startedAt + .seconds(-60)
        recording.exchanges.insert(earlier, at: 0)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note)
        #expect(!finding.explanation.contains("cannot start a login"))
    }

    @Test func addressThatNoMetadataNamesIsTold() throws {
        let recording = try Recording(broken).without { exchange in
            exchange.request.url.path == "/register" && exchange.response?.status != 400
        }.answering("/register", 404)
        #expect(try !#require(recording.finding(rule)).title.contains("does not offer"))
        let unnamed = recording.editing { exchange in
            guard exchange.request.url.path.hasPrefix("/.well-known/"),
                let text = exchange.response?.body?.text
            else { return }
            exchange.response?.body = .json(text.replacing("\"registration_endpoint\"", with: "\"other\""))
        }
        let finding = try #require(unnamed.finding(rule))
        #expect(finding.title.contains("does not offer"))
        #expect(finding.evidence.last?.value == "absent")
        // At the server that wants the token, as if it were the provider.
        let elsewhere = unnamed.editing { exchange in
            guard exchange.request.method == "POST" else { return }
            exchange.request.url = RecordedURL("https://api.harbour.example/register")
        }
        var resource = elsewhere.exchanges[0]
        resource.startedAt = resource.startedAt - .milliseconds(500)
        resource.request.url = RecordedURL(
            "https://api.harbour.example/.well-known/oauth-protected-resource"
        )
        resource.response?.body = .json(
            """
            {"resource":"https://api.harbour.example","authorization_servers":["https://id.harbour.example"]}
            """
        )
        let guessed = try #require(Recording([resource] + elsewhere.exchanges).finding(rule))
        #expect(guessed.title.contains("does not offer"))
        #expect(guessed.evidence.last?.value == "https://api.harbour.example/register")
    }
}
