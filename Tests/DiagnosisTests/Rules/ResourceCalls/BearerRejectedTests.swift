import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct BearerRejectedTests {
    private let rule = "bearer-rejected"
    private let broken = "resource-calls/bearer-rejected"

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
        second.response?.headers.fields.removeAll { $0.name.lowercased() == "www-authenticate" }
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

    @Test func leavesATokenAloneThatWasGivenBack() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// With the refresh token ends the access token of its grant; one of another grant does not.
    @Test(arguments: [(true, Severity.note, Outcome.success), (false, .error, .failure)])
    func tokenWhoseRefreshTokenWasGivenBackEndsWithIt(isOfGrant: Bool, severity: Severity, outcome: Outcome)
        throws
    {
        let recording = try Recording(broken + ".near-miss")
        let grant = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        let answer = try #require(grant.response?.body?.bytes.flatMap { try? JSONParser.parse($0) })
        let token = try #require(answer["refresh_token"]?.string)
        let revoked = recording.sending("token", isOfGrant ? token : "of-another-grant", to: "/revoke")
        let finding = try #require(revoked.finding(rule))
        #expect(finding.severity == severity)
        #expect(finding.places.contains("7 request.body token") == isOfGrant)
        #expect(revoked.outcomes.contains(outcome))
    }

    /// What the API says of its own reason stands above what was revoked before.
    @Test(arguments: ["wrong audience", "Signature verification failed", "unknown issuer"])
    func reasonOfItsOwnIsNotTheRevocation(words: String) throws {
        let recording = try Recording(broken + ".near-miss")
        let grant = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        let answer = try #require(grant.response?.body?.bytes.flatMap { try? JSONParser.parse($0) })
        let token = try #require(answer["refresh_token"]?.string)
        let revoked = recording.sending("token", token, to: "/revoke").editing { exchange in
            guard exchange.response?.headers.first("www-authenticate") != nil else { return }
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "www-authenticate" }
            exchange.response?.headers.append(
                "WWW-Authenticate",
                "Bearer error=\"invalid_token\", error_description=\"\(words)\""
            )
        }
        #expect(!revoked.findings.contains { $0.title.contains("that was revoked") })
        #expect(revoked.outcomes.contains(.failure))
    }

    @Test(arguments: [
        "access-token-expired", "access-token-wrong-kind", "audience-mismatch", "api-audience-not-requested",
        "access-token-issuer-mismatch", "insufficient-scope",
    ])
    func leavesWhatHasACauseToIt(cause: String) throws {
        #expect(try Recording("resource-calls/\(cause)").finding(rule) == nil)
    }

    /// The API's own question about the token, sent while the call waits; `during`: or after it.
    private func asking(_ status: Int, _ answer: String, during: Bool = true) throws -> Recording {
        var recording = try Recording(broken)
        let call = try #require(recording.exchanges.last)
        let token =
            call.request.headers.first("authorization")?.split(separator: " ").last.map(String.init) ?? ""
        var question = call
        question.request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://id.harbour.example/introspect")
        )
        question.request.body = Body(
            text: FormBody.encode([
                ("token", token), ("client_id", "api"), ("client_secret", "secret-of-the-api"),
            ]),
            mediaType: FormBody.mediaType
        )
        question.response = RecordedResponse(status: status)
        question.response?.body = Body(text: answer, mediaType: "application/json")
        let end = recording.exchanges.count - 1
        recording.exchanges[end].duration = .milliseconds(300)
        question.startedAt = call.startedAt + .milliseconds(during ? 100 : 400)
        question.duration = .milliseconds(50)
        recording.exchanges.append(question)
        return recording
    }

    @Test func providerThatCallsItsTokenInactiveIsTheReason() throws {
        let finding = try #require(try asking(200, #"{"active":false}"#).finding(rule))
        #expect(finding.isPrimary && finding.title.contains("not active"))
        #expect(finding.places.prefix(2) == ["7 response.body active", "7 request.url "])
        #expect(finding.places.contains("6 response.header WWW-Authenticate"))
        let active = try #require(try asking(200, #"{"active":true}"#).finding(rule))
        #expect(!active.title.contains("not active"))
    }

    @Test func questionThatWasRefusedIsTheCauseOfTheRefusal() throws {
        let refused = try asking(401, #"{"error":"invalid_client"}"#)
        #expect(refused.finding("token-invalid-client")?.isPrimary == true)
        #expect(refused.finding(rule)?.effectOf == "token-invalid-client")
        let lost = try #require(try asking(404, "{}").finding(rule))
        #expect(lost.isPrimary && lost.title.contains("could not ask"))
    }

    /// The server that was shown the token does not speak HTTP: a mail server, or one that was not recorded.
    @Test(arguments: [(#"{"active":false}"#, true), (#"{"active":true}"#, false)])
    func inactiveTokenIsToldWithoutACall(answer: String, fires: Bool) throws {
        let recording = try asking(200, answer).without { $0.request.url.path == "/orders" }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
        // Revoked, it has to be inactive.
        let revoked = try Recording(broken + ".near-miss")
        let revocation = revoked.exchanges.first { $0.request.url.path.contains("revo") }
        #expect(revocation != nil)
        var both = recording
        if var revocation {
            let token = try #require(
                recording.exchanges.last.flatMap { FormBody.items(of: $0.request.body)?.first("token") }
            )
            revocation.request.body = Body(text: "token=\(token)", mediaType: FormBody.mediaType)
            revocation.startedAt =
                (recording.exchanges.last?.startedAt ?? revocation.startedAt) - .milliseconds(20)
            both.exchanges.append(revocation)
        }
        #expect(both.finding(rule) == nil)
    }

    /// An API that took the token all the same, or another provider, which knows nothing of it.
    @Test(arguments: [("id.harbour.example", 200), ("id.other.example", nil)] as [(String, Int?)])
    func inactiveTokenThatWasTakenIsNone(host: String, status: Int?) throws {
        let recording = try asking(200, #"{"active":false}"#).editing { exchange in
            if exchange.request.url.path == "/introspect" {
                exchange.request.url = RecordedURL("https://\(host)/introspect")
            }
            if exchange.request.url.path == "/orders", let status { exchange.response?.status = status }
        }.without { status == nil && $0.request.url.path == "/orders" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
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
            exchange.request.headers.fields.removeAll { $0.name == "Authorization" }
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

    @Test(
        arguments: [
            ("gold", nil, true), ("silver gold", nil, true), ("gold", "max_age=\"5\"", false),
            (nil, nil, false),
            ("silver", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func leavesAStepUpAlone(acr: String?, age: String?, isOne: Bool) throws {
        let first = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
                + (age.map { ", " + $0 } ?? "")
        )
        #expect(first.finding(rule) != nil)
        var second = try Recording(broken).asking("state", "another-state-1").asking(
            "nonce",
            "another-nonce-1"
        )
        .asking("acr_values", acr)
        second.exchanges = second.exchanges.prefix { $0.request.url.path != "/callback" }.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + .seconds(60)
            return exchange
        }
        let recording = Recording(first.exchanges + second.exchanges)
        #expect((recording.finding(rule) == nil) == isOne)
        #expect(recording.outcomes.first == (isOne ? .success : .failure))
    }

    /// The back end's half has no request for the second login, only its code and what it opened.
    @Test func leavesAStepUpAloneThatTheBackEndSawOfIt() throws {
        let first = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
        ).without { !["/token", "/orders", "/jwks"].contains($0.request.url.path) }
        #expect(first.finding(rule) != nil)
        var second = first.sending("code", "another-code-of-a-second-login").answering("/orders", 200)
        second.exchanges = second.exchanges.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + .seconds(60)
            return exchange
        }
        #expect(Recording(first.exchanges + second.exchanges).finding(rule) == nil)
        #expect(Recording(first.exchanges + second.answering("/orders", 401).exchanges).finding(rule) != nil)
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
                exchange.request.headers.fields.removeAll { $0.name == "Authorization" }
                exchange.request.headers.append("Authorization", "Bearer undefined")
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

    /// Envoy's words, and Spring's.
    @Test(arguments: [
        "Jwks remote fetch is failed",
        "An error occurred while attempting to decode the Jwt: Couldn't retrieve remote JWK set: timed out",
    ])
    func saysThatTheAPIHasNoKeys(words: String) throws {
        let recording = try Recording("resource-calls/audience-mismatch.near-miss").answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\", error_description=\"\(words)\""
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The API could not get the keys to verify the access token with")
    }

    @Test(arguments: [("/userinfo", true), ("/orders", false)])
    func repeatsWhatUserInfoSaysOfACall(path: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.response?.headers.fields.removeAll { $0.name == "WWW-Authenticate" }
        }
        .answering(path, 400, ["error": "invalid_request", "error_description": "DPoP proof expected"])
        let finding = recording.finding(rule)
        #expect((finding?.title == "UserInfo refused the call") == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Twitch and gateways want more than a token.
    @Test(arguments: [("Client ID is missing", true), ("Unauthorized", false)])
    func namesWhatTheAPIWantsBesideTheToken(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.response?.headers.fields.removeAll { $0.name == "WWW-Authenticate" }
        }
        .answering("/orders", 401, ["error": "Unauthorized", "message": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "The API wants something of the client beside the access token") == fires)
    }

    /// What the app's server asked for last, while it worked on a callback that it then refused.
    @Test(
        arguments: [
            (403, 500, true), (400, 302, false), (403, 302, false), (404, 500, false), (429, 500, false),
            (200, 500, false),
        ]
    )
    func namesTheAPIThatKeptTheAppFromSigningIn(status: Int, callback: Int, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow")
            .without { callback == 500 && $0.request.url.path == "/" }
            .editingLast("/userinfo") { exchange in
                exchange.request.url = RecordedURL("https://api.people.example/v1/emails")
            }
            .answering("/v1/emails", status, ["message": "Resource not accessible by integration"])
            .editingLast("/callback") { exchange in
                exchange.response?.status = callback
                if callback == 500 {
                    exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "location" }
                }
                if callback == 500 { exchange.response?.redirectURL = "" }
            }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary && finding.title == "The API refused the call on which the login depends")
        #expect(finding.evidence[0].value.contains("Resource not accessible by integration"))
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary != true)
    }

    private static let title = "The API or UserInfo refused the access token"

    /// idpyoidc answers with 400 and no challenge.
    @Test(arguments: [("/userinfo", true), ("/orders", false)])
    func readsTheNameForItWithAnotherStatus(path: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.url = RecordedURL("https://id.harbour.example" + path)
            exchange.response?.headers.fields.removeAll { $0.name == "WWW-Authenticate" }
        }
        .answering(path, 400, ["error": "invalid_token", "error_description": "Invalid token"])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
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
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "authorization" }
            exchange.request.headers.append("Authorization", "Bearer " + sent)
        }
        .answering("/userinfo", 401, ["error": "invalid_token"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("was changed") == (note != nil))
        #expect(note.map { note in finding.notes.contains { $0.hasPrefix(note) } } ?? true)
    }

    /// RFC 9470, section 3.
    @Test func tellsAnAPIThatWantsAStrongerSignIn() throws {
        let challenge =
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"phr\", max_age=\"300\""
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", challenge)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.title == "The API wants a stronger or a fresher sign-in")
        #expect(try Recording(broken).finding(rule)?.title != finding.title)
    }

    /// A token is bound to the certificate that it was issued over.
    @Test func tellsOfAnotherCertificate() throws {
        let recording = try Recording("resource-calls/bearer-rejected").editingLast("/orders") { exchange in
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "www-authenticate" }
            exchange.response?.body = Body(
                text:
                    #"{"message":"Token endpoint was called with a different certificate. Fingerprints mismatch"}"#,
                mediaType: "application/json"
            )
        }
        let finding = try #require(recording.finding("bearer-rejected"))
        #expect(finding.title == "The client's certificate is not the expected one")
    }

    /// A wallet that gets a token and no credential for it.
    @Test(arguments: [
        ("invalid_nonce", "c_nonce"), ("unknown_credential_configuration", "credential_configuration_id"),
        ("out_of_stock", nil),
    ])
    func credentialThatIsRefusedIsTold(error: String, remedy: String?) throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:pre-authorized_code"),
                ("pre-authorized_code", "oaKazRN8I0IbtZ0C7JuMn5"), ("client_id", "wallet"),
            ],
            body: .json(#"{"access_token":"2YotnFZF-1","token_type":"Bearer","expires_in":300}"#)
        )
        func ask(_ status: Int, _ answer: String) {
            capture.add(
                Exchange(
                    startedAt: Timestamp(seconds: 0),
                    duration: .milliseconds(20),
                    request: RecordedRequest(
                        method: "POST",
                        url: RecordedURL("https://issuer.harbour.example/credential"),
                        headers: HeaderFields([("Authorization", "Bearer 2YotnFZF-1")]),
                        body: .json(#"{"credential_configuration_id":"pid"}"#)
                    ),
                    response: RecordedResponse(status: status, body: .json(answer))
                )
            )
        }
        ask(400, #"{"error":"\#(error)"}"#)
        let refused = Recording(capture.exchanges)
        #expect(refused.finding(rule)?.isPrimary == (remedy == nil ? nil : true))
        if let remedy { #expect(try #require(refused.finding(rule)).fix.contains(remedy)) }
        // With the next nonce it went well.
        ask(200, #"{"credentials":[]}"#)
        #expect(Recording(capture.exchanges).finding(rule) == nil)
    }

    /// An API has errors of its own by the same names.
    @Test func otherAPIsNonceIsNoCredential() {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example/token",
            [
                ("grant_type", "client_credentials"), ("client_id", "shop"),
                ("client_secret", "not-a-secret-1"),
            ],
            body: .json(#"{"access_token":"2YotnFZF-1","token_type":"Bearer","expires_in":300}"#)
        )
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                duration: .milliseconds(20),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL("https://api.shop.example/orders"),
                    headers: HeaderFields([("Authorization", "Bearer 2YotnFZF-1")]),
                    body: .json(#"{"article":7}"#)
                ),
                response: RecordedResponse(status: 400, body: .json(#"{"error":"invalid_nonce"}"#))
            )
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// The header went off with the call, and did not get to the server.
    @Test(arguments: [
        ("Bearer", #"{"message":"Missing Authorization header"}"#, true),
        ("Bearer error=\"invalid_request\", error_description=\"No access token was provided\"", "{}", true),
        ("Bearer", #"{"message":"Unauthorized"}"#, false),
        // One sentence for a token that is not there and one that is not good: Azure's gateway, and others.
        ("Bearer", #"{"message":"Unauthorized. Access token is missing or invalid."}"#, false),
        ("Bearer", #"{"message":"Invalid or missing access token"}"#, false),
    ])
    func tellsAServerThatSawNoToken(challenge: String, body: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", challenge)
            .editingLast("/orders") { $0.response?.body = .json(body) }
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The server says that no access token came, and one was sent") == isTold)
    }
}
