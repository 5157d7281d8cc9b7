import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct CodeReusedTests {
    private let rule = "code-reused"
    private let broken = "token-request/code-reused"

    /// The answer of the first of the two requests.
    private func first(_ status: Int, _ error: String?) throws -> Recording {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        recording.exchanges[index].response?.status = status
        recording.exchanges[index].response?.body = error.map {
            Body(text: "{\"error\":\"\($0)\"}", mediaType: "application/json")
        }
        return recording
    }

    @Test func namesBothRequestsAndTheReload() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 request.body code", "4 response.status ", "6 request.body code", "6 response.body error",
                "5 request.url ",
            ]
        )
        #expect(finding.notes.first == "sent first")
        #expect(finding.notes.last == "the callback was loaded again")
        #expect(recording.outcomes == [.failure])
    }

    /// pyoidc's error for it is that of a user who said no.
    @Test(arguments: [("Access Code already used", true), ("Access denied", false)])
    func readsTheWordsOfAnotherError(text: String, isOne: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "access_denied", "error_description": .string(text)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    /// Laravel Passport's error for it is invalid_request, in the specification's words, and a hint beside them.
    @Test func readsTheHintOfPassport() throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_request",
                "error_description":
                    "The request is missing a required parameter, includes an invalid parameter value, or is otherwise malformed.",
                "hint": "Authorization code has been revoked",
            ]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// FusionAuth's error for a code that was used is invalid_request.
    @Test(arguments: [
        ("Invalid Authorization Code", true), ("The request is missing the redirect_uri", false),
    ])
    func readsWhatIsSaidOfTheCodeWhateverTheError(words: String, isOne: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    /// Where the first request got the tokens: by whom, and how long after, the code is sent again.
    @Test(arguments: [
        ("Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "shop-backend/2.1", 2, "Let one of the two"),
        ("shop-backend/2.1", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", 2, "Let one of the two"),
        (
            "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0", "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0",
            3_600, "grant_type=refresh_token"
        ), ("shop-backend/2.1", "shop-backend/2.1", 2, "Exchange each code once"),
    ])
    func saysHowTheSecondRequestCameAbout(first: String, second: String, seconds: Int, fix: String) throws {
        var recording = try Recording(broken)
        let requests = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.path == "/token"
        }
        let start = try #require(requests.first.map { recording.exchanges[$0].startedAt })
        for (index, agent) in zip(requests, [first, second]) {
            recording.exchanges[index].request.headers.fields.removeAll {
                $0.name.lowercased() == "user-agent"
            }
            recording.exchanges[index].request.headers.append("User-Agent", agent)
        }
        for index in recording.exchanges.indices[(try #require(requests.last))...] {
            recording.exchanges[index].startedAt = start + .seconds(seconds)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains(fix))
        #expect(finding.notes.contains("sent again after \(seconds < 60 ? "2000 ms" : "60 min")"))
    }

    /// A callback that the browser fetched before its user went there.
    @Test(arguments: [("Sec-Purpose", "prefetch;prerender", true), ("Sec-Fetch-Mode", "navigate", false)])
    func tellsOfACallbackFetchedAhead(name: String, value: String, isAhead: Bool) throws {
        var recording = try Recording(broken)
        let callback = try #require(
            recording.exchanges.firstIndex { $0.request.url.queryItems.first("code") != nil }
        )
        recording.exchanges[callback].request.headers.append(name, value)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("Sec-Purpose: prefetch") == isAhead)
        #expect(finding.notes.contains("fetched ahead by the browser") == isAhead)
    }

    /// Of an app and its server, which are two clients: a provider may refuse the second for either reason.
    @Test(arguments: [("shop-admin", true), ("shop-web", false), ("", false)])
    func twoClientsOfOneCodeAreOneFault(client: String, areTwo: Bool) throws {
        let recording = try Recording(broken).sending("client_id", client)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "Two clients exchange the same code") == areTwo)
        #expect(finding.places.contains("6 request.body client_id") == areTwo)
        #expect(recording.finding("code-wrong-client") == nil)
    }

    /// Where neither had tokens, whoever was first is at fault: another client that uses the code up, or the login's own, refused for
    /// what its request has.
    @Test(arguments: [(0, "code-wrong-client"), (1, "code-reused")])
    func ofTwoClientsThatAreBothRefusedTheFirstIsTheCause(other: Int, cause: String) throws {
        var recording = try first(400, "invalid_grant").answering("/token", 400, ["error": "invalid_grant"])
        let requests = recording.exchanges.indices.filter {
            recording.exchanges[$0].request.url.path == "/token"
        }
        try #require(requests.count == 2)
        let form = try #require(FormBody.items(of: recording.exchanges[requests[other]].request.body)?.items)
        recording.exchanges[requests[other]].request.body = Body(
            text: FormBody.encode(form.map { ($0.name, $0.name == "client_id" ? "shop-admin" : $0.value) }),
            mediaType: FormBody.mediaType
        )
        #expect(recording.findings.first { $0.isPrimary }?.rule == cause)
        #expect(recording.finding(rule)?.title == "Two clients exchange the same code")
        #expect(recording.findings.contains { $0.rule == "code-wrong-client" } == (other == 0))
    }

    @Test func leavesARetryAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(
        arguments: [
            (400, "use_dpop_nonce"), (429, "slow_down"), (503, nil), (401, "invalid_client"),
            (400, "use_attestation_challenge"), (401, "invalid_client_attestation"),
        ] as [(Int, String?)]
    )
    func leavesACodeAloneThatWasNotSpent(status: Int, error: String?) throws {
        #expect(try first(status, error).finding(rule) == nil)
    }

    @Test func countsARefusedCodeAsSpent() throws {
        #expect(try first(400, "invalid_grant").finding(rule) != nil)
    }

    /// The broken exchange with both requests refused alike but for a number in the words, and the second one's credentials in the header, perhaps.
    private func refusedTwice(_ words: String, isMoved: Bool = false) throws -> Recording {
        var count = 0
        return try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            count += 1
            let text = words.isEmpty ? "" : words + "1111-\(count)\""
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: #"{"error":"invalid_grant"\#(text)}"#, mediaType: "application/json")
            )
            guard isMoved, count == 2, let form = FormBody.items(of: exchange.request.body)?.items else {
                return
            }
            let secret = "shop-web:not-a-secret-of-anyone"
            exchange.request.headers.append("Authorization", "Basic \(Base64.encode(secret.utf8))")
            exchange.request.body = Body(
                text: FormBody.encode(
                    form.filter { !$0.name.hasPrefix("client_") }.map { ($0.name, $0.value) }
                ),
                mediaType: FormBody.mediaType
            )
        }
    }

    /// What was wrong with the first is wrong with it too: it is sent again with the credentials in another place, or the provider says what it is.
    @Test(arguments: [
        ("", true), (#","error_description":"AADSTS501481: No match. Trace ID: "#, false),
    ])
    func leavesARequestAloneThatIsRefusedForTheSame(words: String, isMoved: Bool) throws {
        let recording = try refusedTwice(words, isMoved: isMoved)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-grant")?.isPrimary == true)
    }

    /// Whatever is said of each.
    @Test func twoClientsThatAreRefusedForTheSameAreOneFault() throws {
        let words = #","error_description":"AADSTS501481: No match. Trace ID: "#
        let recording = try refusedTwice(words).sending("client_id", "shop-admin")
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test func tellsOfACodeThatIsRefusedTwiceForNobodySaysWhat() throws {
        let recording = try refusedTwice("")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.explanation.contains("refused both times"))
        #expect(recording.finding("token-invalid-grant")?.effectOf == rule)
    }

    @Test(arguments: ["The grant was not accepted", "Unknown code"])
    func leavesACodeToItsRuleThatWasLateAlready(words: String) throws {
        var recording = try Recording("token-request/code-expired")
        var again = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        again.startedAt = again.startedAt + .seconds(2)
        recording.exchanges.append(again)
        recording = recording.answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("code-expired")?.isPrimary == true)
    }

    @Test func leavesAnIdempotentProviderAlone() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["bad_verification_code", "invalid_code"]) func knowsOtherNamesOfTheRefusal(
        error: String
    ) throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": .string(error)]).finding(rule) != nil
        )
    }

    @Test func leavesARequestWithoutAnswerAlone() throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        recording.exchanges[index].response = nil
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereTheCodeWasNotSaved() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.request.body = Body(
                    text: "grant_type=authorization_code",
                    mediaType: FormBody.mediaType
                )
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: [(400, true), (403, true), (502, false)])
    func takesABareStatusForTheRefusal(status: Int, isOne: Bool) throws {
        #expect((try Recording(broken).answering("/token", status).finding(rule) != nil) == isOne)
    }

    /// A request whose answer was lost may have been carried out or not: the second one is a retry, and what it may come of is told with
    /// the refusal.
    @Test(arguments: [
        ("ECONNRESET: connection reset by peer", ""),
        ("ECONNRESET: connection reset by peer", "The code has already been used"),
        ("ECONNREFUSED: connection refused", ""),
    ])
    func leavesARetryAfterALostAnswerAlone(failure: String, words: String) throws {
        let refused = try Recording("healthy/native-app").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        let place = try #require(refused.exchanges.firstIndex { $0.request.url.path == "/token" })
        var exchanges = refused.exchanges
        var lost = exchanges[place]
        lost.response = nil
        lost.failure = failure
        exchanges[place].startedAt = exchanges[place].startedAt + .seconds(1)
        exchanges.insert(lost, at: place)
        let recording = Recording(exchanges)
        #expect(recording.finding(rule) == nil)
        let refusal = try #require(recording.finding("token-invalid-grant"))
        #expect(refusal.isPrimary)
        #expect(refusal.fix.hasPrefix("Begin a new login") == failure.hasPrefix("ECONNRESET"))
    }

    /// In a provider's own words and names, where the first request is there to be shown.
    @Test(arguments: [
        (400, #"{"error":{"type":"OAuthException","message":"This authorization code has been used."}}"#),
        (200, #"{"ok":false,"error":"code_already_used"}"#),
        (200, #"{"errcode":40163,"errmsg":"code been used, rid: 5f"}"#),
        (200, #"{"error":"invalid_request","error_description":"no valid data in session"}"#),
    ])
    func showsTheFirstRequestWhateverTheRefusalIsCalled(status: Int, body: String) throws {
        let recording = try Recording(broken).editingLast("/token") { exchange in
            exchange.response?.status = status
            exchange.response?.body = Body(text: body, mediaType: "application/json")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.notes.first == "sent first")
        #expect(finding.places.prefix(2) == ["4 request.body code", "4 response.status "])
    }

    /// An export without content keeps the header by which a provider asks for its nonce.
    @Test func leavesARefusalAloneThatMayHaveAskedForANonce() throws {
        let recording = try Recording("token-request/dpop-nonce-ignored").editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.response?.body = Body(content: .missing)
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
        let unasked = recording.editing { exchange in
            exchange.response?.headers.remove("DPoP-Nonce")
        }
        #expect(unasked.finding(rule) != nil)
    }
}
