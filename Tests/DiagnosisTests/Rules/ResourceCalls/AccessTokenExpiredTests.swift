import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AccessTokenExpiredTests {
    private let rule = "access-token-expired"
    private let broken = "resource-calls/access-token-expired"

    @Test func namesLifetimeAgeAndAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body expires_in", "- timing age", "6 request.url ",
                "6 response.header WWW-Authenticate",
            ]
        )
        #expect(finding.evidence[0].value == "600")
        #expect(finding.evidence[1].value.hasPrefix("16 min"))
    }

    @Test func leavesATokenAloneThatIsRefreshed() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func leavesEarlierCallsAlone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = 1200 }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("bearer-rejected") != nil)
    }

    @Test func goesByTheRecorderWhereAServerStatesNoTime() throws {
        let recording = try Recording(broken).answering("/orders", header: "Date", nil)
        #expect(recording.finding(rule) != nil)
        #expect(recording.editingAnswer(of: "/token") { $0["expires_in"] = 1200 }.finding(rule) == nil)
    }

    /// Nought is what some providers say of a token without an end; the API knows.
    @Test(arguments: [("The access token expired", true), ("The access token is unknown", false)])
    func tokenThatHadRunOutWhenItCame(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = 0 }.answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\", error_description=\"\(words)\""
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    @Test func readsAStringToo() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = "600" }.finding(rule)
                != nil
        )
    }

    @Test func leavesOtherTokensAndReasonsAlone() throws {
        let other = try Recording(broken).editingLast("/orders") { exchange in
            exchange.request.headers.replace("Authorization", with: "Bearer of-nobody")
        }
        #expect(other.finding(rule) == nil)
        let forbidden = try Recording(broken).editingLast("/orders") { $0.response?.status = 403 }
        #expect(forbidden.answering("/orders", header: "WWW-Authenticate", nil).finding(rule) == nil)
        // The name for it counts, whatever the status.
        #expect(forbidden.finding(rule) != nil)
        let scope = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=insufficient_scope"
        )
        #expect(scope.finding(rule) == nil)
    }

    @Test func abstainsWhereTheLifetimeIsNotKnown() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["expires_in"] = nil }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The `exp` of a token that is a JWT, where nothing else says how long it lasts.
    @Test func readsTheTokensOwnEnd() throws {
        let signed = try Recording("resource-calls/audience-mismatch.near-miss")
            .answering("/orders", header: "WWW-Authenticate", "Bearer error=\"invalid_token\"")
        let later = signed.answering("/orders", header: "Date", "Sat, 21 Mar 2026 19:15:08 GMT")
            .editingAnswer(of: "/token") { $0["expires_in"] = nil }
        #expect(later.finding(rule)?.isPrimary == true)
        #expect(later.finding(rule)?.places.first == "6 jwt.claims exp")
        #expect(signed.editingAnswer(of: "/token") { $0["expires_in"] = nil }.finding(rule) == nil)
    }

    private func exchange(
        after seconds: Int,
        _ error: String = "invalid_request",
        _ words: String = "Token has expired"
    ) throws -> Recording {
        var recording = try Recording(broken).without { $0.request.url.path == "/orders" }
        let first = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        let token = first.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?["access_token"]?.string
        var second = first
        second.startedAt = first.startedAt + .seconds(seconds)
        second.response?.headers.remove("Date")
        recording.exchanges.append(second)
        return recording.sending("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
            .sending("code", nil).sending("code_verifier", nil).sending("redirect_uri", nil)
            .sending("subject_token", token)
            .sending("subject_token_type", "urn:ietf:params:oauth:token-type:access_token")
            .answering("/token", 400, ["error": .string(error), "error_description": .string(words)])
    }

    @Test func findsASubjectTokenThatHadRunOut() throws {
        let late = try exchange(after: 700)
        #expect(late.finding(rule)?.isPrimary == true)
        #expect(late.finding(rule)?.title == "The subject token had run out")
        #expect(late.finding("token-endpoint-error")?.effectOf == rule)
        #expect(try exchange(after: 60).finding(rule) == nil)
        #expect(try exchange(after: 700, "invalid_target").finding(rule) == nil)
        #expect(try exchange(after: 700, "unauthorized_client").finding(rule) == nil)
        for words in ["The subject_token_type is invalid", "The audience of the token exchange is missing"] {
            #expect(try exchange(after: 700, "invalid_request", words).finding(rule) == nil)
        }
    }

    /// A service that fetches a token for itself, calls, is refused and fetches the next one; `then` is the answer to that one.
    private func service(_ then: Int, client: String = "stock-job", _ lifetime: Int = 60, after: Int64 = 70)
        -> Recording
    {
        var capture = CaptureBuilder()
        func fetch(_ number: Int, _ client: String) {
            capture.post(
                "https://id.harbour.example/token",
                [
                    ("grant_type", "client_credentials"), ("client_id", client),
                    ("client_secret", "not-a-secret-1"),
                ],
                headers: [("User-Agent", "stock-job/1")],
                body: .json(
                    #"{"access_token":"2YotnFZF-\#(number)","token_type":"Bearer","expires_in":\#(lifetime)}"#
                )
            )
        }
        func call(_ number: Int, _ status: Int) {
            capture.get(
                "https://api.shop.example/orders",
                status,
                headers: [("User-Agent", "stock-job/1"), ("Authorization", "Bearer 2YotnFZF-\(number)")],
                answer: status == 401 ? [("WWW-Authenticate", "Bearer error=\"invalid_token\"")] : [],
                body: .json("{}")
            )
        }
        fetch(1, "stock-job")
        if after > lifetime { call(1, 200) }
        capture.wait(after)
        call(1, 401)
        fetch(2, client)
        call(2, then)
        return Recording(capture.exchanges)
    }

    @Test func isANoteWhereAnotherTokenOfTheClientIsTaken() {
        let recording = service(200)
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.findings.allSatisfy { $0.severity == .note })
        #expect(recording.outcomes == [.success, .success])
    }

    /// Hasura says so in the JSON of a success, Envoy with 403.
    @Test(arguments: [
        (
            200,
            #"{"errors":[{"message":"Could not verify JWT: JWTExpired","extensions":{"code":"invalid-jwt"}}]}"#
        ), (403, "Jwt is expired"),
    ])
    func isANoteWhereTheRefusalHasAnotherStatus(status: Int, body: String) throws {
        func said(_ recording: Recording) throws -> Recording {
            var recording = recording
            let place = try #require(recording.exchanges.firstIndex { $0.response?.status == 401 })
            let type = status == 200 ? "application/json" : "text/plain"
            recording.exchanges[place].response = RecordedResponse(
                status: status,
                body: Body(text: body, mediaType: type)
            )
            return recording
        }
        let mended = try said(service(200))
        #expect(mended.findings.allSatisfy { $0.severity == .note })
        #expect(mended.outcomes == [.success, .success])
        #expect(try said(service(200, client: "price-job")).outcomes.first == .failure)
    }

    /// Neither what is refused again, nor what another client gets, nor what an API is shown that took no token of the kind before.
    @Test func staysAnErrorWhereNothingWasMended() {
        #expect(service(401).finding(rule)?.severity == .error)
        #expect(service(200, client: "price-job").finding(rule)?.severity == .error)
        let fresh = service(200, 3600, after: 1)
        #expect(fresh.finding("bearer-rejected")?.severity == .error)
        #expect(fresh.outcomes == [.failure, .success])
    }

    /// The client answers the API's refusal by a refresh: where that fails, the token's age is no cause of anything.
    @Test(arguments: [(400, "refresh-token-expired"), (301, "token-endpoint-error")])
    func isANoteWhereTheRefreshThatFollowsFails(status: Int, primary: String) throws {
        var capture = CaptureBuilder()
        capture.post(
            "https://id.harbour.example/token",
            [
                ("grant_type", "authorization_code"), ("client_id", "shop-web"), ("code", "9sQ2xKcD4"),
                ("client_secret", "not-a-secret-1"),
            ],
            body: .json(
                #"{"access_token":"2YotnFZF-1","token_type":"Bearer","expires_in":300,"refresh_token":"tGzv3JOk-1"}"#
            )
        )
        capture.wait(400)
        capture.get(
            "https://api.shop.example/orders",
            401,
            headers: [("Authorization", "Bearer 2YotnFZF-1")],
            answer: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")]
        )
        let unanswered = Recording(capture.exchanges)
        #expect(unanswered.finding(rule)?.severity == .error)
        capture.post(
            "https://id.harbour.example/token",
            [
                ("grant_type", "refresh_token"), ("client_id", "shop-web"),
                ("client_secret", "not-a-secret-1"), ("refresh_token", "tGzv3JOk-1"),
            ],
            status,
            answer: status == 301 ? [("Location", "/token/")] : [],
            body: status == 301
                ? nil
                : .json(#"{"error":"invalid_grant","error_description":"Offline user session not found"}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.findings.first { $0.isPrimary }?.rule == primary)
        #expect(recording.finding("bearer-rejected") == nil)
        #expect(recording.outcomes == [.failure])
        // One that failed before answered nothing.
        var before = recording
        before.exchanges[2].startedAt = recording.exchanges[1].startedAt - .seconds(5)
        #expect(before.finding(rule)?.severity == .error)
        // What an export left of it: the answer, and the size of its form.
        guard status == 400 else { return }
        var unsaved = recording
        unsaved.exchanges[2].request.body = nil
        unsaved.exchanges[2].request.foreign["bodySize"] = 240
        #expect(unsaved.flows.count == 1 && unsaved.finding(rule)?.severity == .note)
    }

    /// Two users of one server, whose tokens are alike.
    @Test(arguments: [("alice", Severity.note), ("bob", .error)])
    func tokenOfAnotherUserMendsNothing(user: String, severity: Severity) {
        var capture = CaptureBuilder()
        let times = #""iat":1780000000,"exp":1790000000"#
        func signIn(_ number: Int, _ user: String) {
            let token =
                encoded(#"{"alg":"RS256"}"#) + "."
                + encoded(
                    #"{"iss":"https://id.harbour.example","sub":"\#(user)","aud":"shop-web",\#(times)}"#
                )
                + ".c2ln"
            capture.post(
                "https://id.harbour.example/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "shop-web"),
                    ("code", "9sQ2xKcD4\(number)"), ("client_secret", "not-a-secret-1"),
                ],
                headers: [("User-Agent", "shop-backend/1")],
                body: .json(
                    """
                    {"access_token":"2YotnFZF-\(number)","token_type":"Bearer","expires_in":300,\
                    "id_token":"\(token)"}
                    """
                )
            )
        }
        func call(_ number: Int, _ status: Int) {
            capture.get(
                "https://api.shop.example/orders",
                status,
                headers: [("User-Agent", "shop-backend/1"), ("Authorization", "Bearer 2YotnFZF-\(number)")],
                body: .json("{}")
            )
        }
        signIn(1, "alice")
        capture.wait(400)
        call(1, 401)
        signIn(2, user)
        call(2, 200)
        #expect(Recording(capture.exchanges).finding(rule)?.severity == severity)
    }

    /// A server whose refresh was not recorded comes with the next signed token of the same user, or with another one; what it has
    /// already is confirmed to it.
    @Test(arguments: [
        ("alice", "shop-web", 900, 200, Severity.note), ("alice", "shop-web", 900, 304, .note),
        ("bob", "shop-web", 900, 200, .error),
        ("alice", "stock-web", 900, 200, .error), ("alice", "shop-web", 200, 200, .error),
        ("alice", "shop-web", 900, 401, .error),
    ])
    func nextSignedTokenThatIsTakenMendsIt(
        user: String,
        client: String,
        lasts: Int64,
        status: Int,
        severity: Severity
    ) {
        var capture = CaptureBuilder()
        let start: Int64 = 1_780_000_000
        func token(_ user: String, _ client: String, _ end: Int64) -> String {
            let claims =
                #"{"iss":"https://id.harbour.example","sub":"\#(user)","client_id":"\#(client)","exp":\#(start + end)}"#
            return "\(encoded(#"{"alg":"RS256","typ":"at+jwt"}"#)).\(encoded(claims)).c2ln"
        }
        func call(_ token: String, _ status: Int) {
            capture.get(
                "https://api.shop.example/orders",
                status,
                headers: [("User-Agent", "shop-backend/1"), ("Authorization", "Bearer \(token)")],
                answer: status == 401 ? [("WWW-Authenticate", "Bearer error=\"invalid_token\"")] : [],
                body: .json("{}")
            )
        }
        let first = token("alice", "shop-web", 300)
        capture.post(
            "https://id.harbour.example/token",
            [
                ("grant_type", "authorization_code"), ("client_id", "shop-web"), ("code", "9sQ2xKcD4"),
                ("client_secret", "not-a-secret-1"),
            ],
            headers: [("User-Agent", "shop-backend/1")],
            body: .json(#"{"access_token":"\#(first)","token_type":"Bearer","expires_in":300}"#)
        )
        capture.wait(400)
        call(first, 401)
        call(token(user, client, lasts), status)
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.severity == severity)
        #expect((recording.outcomes == [.success]) == (severity == .note))
    }

    /// The call was let in with the token of an answer that was cut off; a call that was not has none to show for it.
    @Test(arguments: [(200, true), (401, false)])
    func leavesAClientAloneWhoseNextTokenWasNotSaved(status: Int, isRenewed: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/token") { exchange in
            exchange.response?.body = Body(
                content: .bytes(Array(#"{"access_token":"mvDoT"#.utf8)),
                mediaType: "application/json",
                isTruncated: true
            )
        }.editingLast("/orders") { $0.response?.status = status }
        let errors = recording.findings.filter { $0.severity == .error }
        #expect(errors.isEmpty == isRenewed)
        #expect(recording.outcomes.first == (isRenewed ? .success : .failure))
    }
}
