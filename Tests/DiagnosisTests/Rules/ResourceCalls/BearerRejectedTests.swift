import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct BearerRejectedTests {
    let rule = "bearer-rejected"
    let broken = "resource-calls/bearer-rejected"

    /// MyInfo's person endpoint has words of its own.
    @Test(arguments: [
        (403, "Requested attributes do not match the attributes consented by person", "same list"),
        (
            401, "The requested UIN/FIN does not match the UIN/FIN of the person who logged in",
            "its claim sub"
        ),
        (403, "Forbidden", "Go by its words"),
    ])
    func saysWhatMyInfoMeans(status: Int, words: String, fix: String) throws {
        let recording = try Recording("providers/myinfo").answering(
            "/com/v4/person/2a8e3d8c-5f51",
            status,
            ["code": .string("\(status)"), "message": .string(words)]
        )
        #expect(try #require(recording.finding(rule)).fix.contains(fix))
    }

    @Test func namesTheAnswerAndTheToken() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "6 response.header WWW-Authenticate", "6 request.url ", "6 request.header Authorization",
            ]
        )
        #expect(finding.evidence[0].value == "Bearer error=\"invalid_token\"")
        #expect(!finding.evidence[2].value.contains("Bearer"))
    }

    /// A right token that no server finds.
    @Test(arguments: [("Bearer Bearer ", "twice"), ("", "without its scheme"), ("bearer DPoP ", "twice")])
    func namesAHeaderThatNobodyReads(before: String, words: String) throws {
        let recording = try Recording(broken)
        let header = try #require(recording.exchanges[6].request.headers.first("authorization"))
        let token = String(header.dropFirst("Bearer ".count))
        let unread = recording.replacing("Authorization", with: before + token, at: 6)
        let finding = try #require(unread.finding(rule))
        #expect(finding.isPrimary && finding.title.hasSuffix(words))
        #expect(!finding.evidence[2].value.contains(token))
        #expect(unread.answering("/orders", 200, ["orders": []]).finding(rule) == nil)
        // Of a token that nobody here issued nothing is known.
        let other = recording.replacing("Authorization", with: before + "another-token-of-somebody", at: 6)
        #expect(other.finding(rule) == nil)
    }

    /// A list that is open to all says nothing of a token that may not write into it; another token at its address does.
    @Test(arguments: [
        ("POST", "GET", false, true), ("POST", "GET", true, false), ("POST", "POST", false, false),
    ])
    func isNotOverForWhatAnotherMethodAnswers(method: String, later: String, isNewToken: Bool, fires: Bool)
        throws
    {
        var recording = try Recording(broken)
        recording.exchanges[6].request.method = method
        var second = recording.exchanges[6]
        second.startedAt = second.startedAt + .seconds(1)
        second.request.method = later
        second.response?.status = 200
        second.response?.headers.remove("www-authenticate")
        if isNewToken {
            let token = "another-token-8675309"
            recording = recording.refreshing(to: token)
            recording.exchanges.append(second)
            recording = recording.replacing("Authorization", with: "Bearer " + token, at: 8)
        } else {
            recording.exchanges.append(second)
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// UserInfo is one call by either method.
    @Test(arguments: ["GET", "POST"])
    func isOverWhereUserInfoAnswers(method: String) throws {
        var recording = try Recording("healthy/web-code-flow")
        let place = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/userinfo" })
        var first = recording.exchanges[place]
        first.request.method = method
        first.response?.status = 401
        recording.exchanges[place].startedAt = recording.exchanges[place].startedAt + .milliseconds(100)
        recording.exchanges.insert(first, at: place)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func showsTheClaimsOfATokenThatCanBeRead() throws {
        let finding = try #require(Recording("resource-calls/audience-mismatch.near-miss").finding(rule))
        #expect(
            finding.places.suffix(4) == [
                "6 jwt.claims iss", "6 jwt.claims aud", "6 jwt.claims exp", "6 jwt.header kid",
            ]
        )
    }

    /// 0001-01-01 and 9999-12-31, as .NET has them.
    @Test(arguments: [
        (1_799_999_999, "2027-01-15T07:59:59.000000Z"), (-62_135_596_800, nil), (253_402_300_799, nil),
    ])
    func saysATimeOfNoCalendarAsTheNumberThatItIs(end: Int64, text: String?) throws {
        let recording = try Recording("resource-calls/audience-mismatch.near-miss")
            .bearing(at: 6) { $0["exp"] = .number(JSONNumber(end)) }
        let finding = try #require(recording.finding(rule))
        let evidence = try #require(finding.evidence.first { $0.place.name == "exp" })
        #expect(evidence.value == text ?? "\(end)")
    }

    @Test(arguments: [
        "access-token-expired", "access-token-wrong-kind", "audience-mismatch", "api-audience-not-requested",
        "access-token-issuer-mismatch", "insufficient-scope",
    ])
    func leavesWhatHasACauseToIt(cause: String) throws {
        #expect(try Recording("resource-calls/\(cause)").finding(rule) == nil)
    }

    @Test func schemeThatIsNoneIsShown() throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            for index in exchange.request.headers.fields.indices
            where exchange.request.headers.fields[index].name == "Authorization" {
                exchange.request.headers.fields[index].value.replace("Bearer ", with: "Token ")
            }
        }
        let note = try #require(recording.finding(rule)?.evidence.last?.note)
        #expect(note.contains("`Token`"))
    }

    @Test func leavesCallsWithoutATokenAlone() throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.headers.remove("Authorization")
        }
        #expect(recording.findings.isEmpty)
    }

    @Test func leavesAProofThatIsAskedForAlone() throws {
        let recording = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "DPoP algs=\"ES256\", error=\"use_dpop_nonce\", error_description=\"a nonce, is needed\""
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesWhatWasRepeatedWithSuccessAlone() throws {
        var recording = try Recording(broken)
        var second = recording.exchanges[6]
        second.startedAt = second.startedAt + .seconds(1)
        second.response?.status = 200
        recording.exchanges.append(second)
        #expect(recording.findings.isEmpty)
    }

    @Test func readsUserInfoThoughNobodySawTheTokenGivenOut() throws {
        let recording = try Recording("token-request/token-invalid-client.near-miss")
        #expect(recording.finding(rule) != nil)
        #expect(recording.without { $0.request.url.path == "/token" }.finding(rule) != nil)
    }

    /// Scripts make text of what they do not have.
    @Test(arguments: ["undefined", "null", "[object Object]", "None"])
    func showsAWordInPlaceOfTheToken(word: String) throws {
        let finding = try #require(
            Recording(broken).sendingHeader("Authorization", "Bearer \(word)", to: "/orders").finding(rule)
        )
        #expect(finding.isPrimary)
        #expect(finding.evidence[2].value == word)
        #expect(finding.evidence[2].note?.contains("had no token") == true)
    }

    @Test("An app that has logged out has no token any more; who never got one begins a login now.")
    func leavesAWordAloneWhereNoTokenIsAtHand() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            if exchange.request.url.path == "/orders" {
                exchange.request.headers.replace("Authorization", with: "Bearer undefined")
            }
        }
        #expect(recording.finding(rule) == nil)
        let before = try Recording(broken).sendingHeader("Authorization", "Bearer null", to: "/orders")
            .without {
                $0.request.url.path == "/token"
            }
        #expect(before.finding(rule) == nil)
    }

    /// AD FS, where the login asked for an API.
    @Test(arguments: [
        ("MSIS9921: Audience 'orders' in the access token is not urn:microsoft:userinfo", true),
        ("MSIS9920: Received invalid UserInfo request", false),
    ])
    func saysThatUserInfoWantsATokenOfItsOwn(words: String, isNamed: Bool) throws {
        let recording = try Recording("resource-calls/audience-mismatch")
            .editingLast("/orders") { $0.request.url = RecordedURL("https://id.harbour.example/userinfo") }
            .answering("/userinfo", 401)
            .answering(
                "/userinfo",
                header: "WWW-Authenticate",
                #"Bearer error="invalid_token", error_description="\#(words)""#
            )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "UserInfo refused the access token for its audience") == isNamed)
    }

    @Test func saysWhetherTheKeyIsPublished() throws {
        let signed = try Recording("resource-calls/audience-mismatch.near-miss")
        let known = try #require(signed.finding(rule))
        #expect(known.title == "The API could not verify the access token's signature")
        #expect(known.notes.last == "among the keys that the provider publishes")
        let spring = signed.answering(
            "/orders",
            header: "WWW-Authenticate",
            #"Bearer error="invalid_token", error_description="Signed JWT rejected: Another algorithm expected, or no matching key(s) found""#
        )
        #expect(spring.finding(rule)?.title == known.title)
        let plain = signed.answering("/orders", header: "WWW-Authenticate", "Bearer error=\"invalid_token\"")
        #expect(plain.finding(rule)?.title == BearerRejectedTests.title)
        let rotated = plain.stating(
            "keys",
            .array([["kty": "EC", "crv": "P-256", "kid": "other", "x": "AA", "y": "AA"]]),
            at: "/jwks"
        )
        #expect(rotated.finding(rule)?.notes.last == "not among the keys that the provider publishes")
        let late = signed.answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\", error_description=\"Signature has expired\""
        )
        #expect(late.finding(rule)?.title == BearerRejectedTests.title)
    }

    @Test(arguments: [("/userinfo", true), ("/orders", false)])
    func repeatsWhatUserInfoSaysOfACall(path: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.response?.headers.remove("WWW-Authenticate")
        }
        .answering(path, 400, ["error": "invalid_request", "error_description": "DPoP proof expected"])
        let finding = recording.finding(rule)
        #expect((finding?.title == "UserInfo refused the call") == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// What the app's server asked for last, while it worked on a callback that it then refused.
    @Test(
        arguments: [
            (403, 500, true), (400, 302, false), (403, 302, false), (404, 500, false), (429, 500, false),
            (200, 500, false),
        ]
    )
    func namesTheAPIThatKeptTheAppFromSigningIn(status: Int, callback: Int, fires: Bool) throws {
        let said = "Resource not accessible by integration"
        let recording = try recording(answering: status, said, callback: callback)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary && finding.title == "The API refused the call on which the login depends")
        #expect(finding.evidence[0].value.contains(said))
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary != true)
        // One that was not over when the app answered, and one that only wants to be made once more, did not keep it.
        let late = recording.editingLast("/v1/emails") { $0.duration = .seconds(30) }
        let challenge = "DPoP error=\"use_dpop_nonce\""
        for other in [late, recording.answering("/v1/emails", header: "WWW-Authenticate", challenge)] {
            #expect(other.finding(rule) == nil)
        }
    }

    /// A bank's API, of a token that is bound to the certificate of the client (RFC 8705): the app's refusal is what came of it.
    @Test(arguments: [401, 403])
    func certificateThatTheAPIDoesNotExpectIsTheCauseOfTheAppsRefusal(status: Int) throws {
        let recording = try recording(answering: status, "Certificate thumbprint mismatch", callback: 500)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title == "The client's certificate is not the expected one")
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary != true)
    }

    /// The healthy login, whose app asks an API in place of UserInfo, and the answer to its callback.
    func recording(answering status: Int, _ message: String, callback: Int) throws -> Recording {
        try Recording("healthy/web-code-flow")
            .without { callback == 500 && $0.request.url.path == "/" }
            .editingLast("/userinfo") { exchange in
                exchange.request.url = RecordedURL("https://api.people.example/v1/emails")
            }
            .answering("/v1/emails", status, ["message": .string(message)])
            .editingLast("/callback") { exchange in
                exchange.response?.status = callback
                if callback == 500 {
                    exchange.response?.headers.remove("location")
                }
                if callback == 500 { exchange.response?.redirectURL = "" }
            }
    }

    static let title = "The API or UserInfo refused the access token"

    /// idpyoidc answers with 400 and no challenge.
    @Test(arguments: [("/userinfo", true), ("/orders", false)])
    func readsTheNameForItWithAnotherStatus(path: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.response?.headers.remove("WWW-Authenticate")
        }
        .answering(path, 400, ["error": "invalid_token", "error_description": "Invalid token"])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Who is told that a token is invalid has shown one, also where the export left its header out; not who may have shown none.
    @Test(arguments: [("invalid_token", true), ("invalid_request", false)])
    func knowsOfATokenThatWasLeftOut(error: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").sanitized
            .answering("/userinfo", 401, ["error": .string(error)])
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [.failure])
        if let finding { #expect(finding.evidence.last?.value == "none") }
    }

    /// A call of an API, too, where the client is one that was given tokens and the API named the token, and served nothing there later.
    @Test(arguments: [
        ("Bearer error=\"invalid_token\"", "shop-backend/2.1", false, true),
        ("Bearer", "shop-backend/2.1", false, false),
        ("Bearer error=\"invalid_token\"", "other-program/1.0", false, false),
        ("Bearer error=\"invalid_token\"", "shop-backend/2.1", true, false),
    ])
    func knowsOfAnAPIsTokenThatWasLeftOut(challenge: String, agent: String, isServed: Bool, fires: Bool)
        throws
    {
        var recording = try Recording("resource-calls/bearer-rejected").sanitized
            .answering("/orders", header: "WWW-Authenticate", challenge)
            .sendingHeader("User-Agent", agent, to: "/orders")
        var later = try #require(recording.exchanges.last { $0.request.url.path == "/orders" })
        later.startedAt = later.endedAt + .seconds(1)
        later.response = RecordedResponse(status: 200)
        if isServed { recording.exchanges.append(later) }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
        #expect(recording.finding("capture-sanitized")?.variant == nil)
        if let finding { #expect(finding.evidence.last?.value == "none") }
    }

    /// UserInfo of Singpass answers in a token, its refusals too.
    @Test func readsARefusalThatIsSigned() throws {
        let claims = "{\"error\":\"invalid_request\",\"error_description\":\"no key to encrypt for\"}"
        let token = [#"{"alg":"ES256"}"#, claims].map(encoded).joined(separator: ".")
        let recording = try Recording("healthy/web-code-flow").editingLast("/userinfo") { exchange in
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: token + ".AAAA", mediaType: "application/jwt")
            )
        }
        let finding = try #require(recording.finding("bearer-rejected"))
        #expect(finding.evidence[0].value.contains("no key to encrypt for"))
    }

    @Test(
        arguments: [
            ("cut", "cut off after 20 of"), ("quoted", "in quotes"), ("other", nil),
        ] as [(String, String?)]
    )
    func saysHowTheTokenWasChanged(change: String, note: String?) throws {
        let login = try Recording("healthy/web-code-flow")
        let found: String? =
            login.exchanges.lazy.compactMap { exchange in
                exchange.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object?["access_token"]?
                    .string
            }.first
        let issued = try #require(found)
        let sent =
            switch change {
            case "cut": String(issued.prefix(20))
            case "quoted": "\"\(issued)\""
            default: "a-token-of-another-login"
            }
        let recording = login.editingLast("/userinfo") { exchange in
            exchange.request.headers.replace("Authorization", with: "Bearer " + sent)
        }
        .answering("/userinfo", 401, ["error": "invalid_token"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("was changed") == (note != nil))
        #expect(note.map { note in finding.notes.contains { $0.hasPrefix(note) } } ?? true)
    }
}
