import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// Supabase's server signs in at Google in an app's name, hands a code of its own to the app, and exchanges that with the grant in
/// the query.
struct GoTrueTests {
    private static let server = "https://abcd1234.supabase.co/auth/v1"
    private static let code = "2c9f4a9e-5a43-4d0c-9a8f-0f1b6b3a9d11"
    private static let verifier = "KmRBgV8Wq1tHnVw3mJ2cX5yD7fG9hK4lP6oR8sT0uA1e"

    private func exchange(
        _ method: String,
        _ url: String,
        _ status: Int,
        json: String? = nil,
        sent: String? = nil
    )
        -> Exchange
    {
        Exchange(
            startedAt: Timestamp(seconds: 0),
            duration: .milliseconds(20),
            request: RecordedRequest(
                method: method,
                url: RecordedURL(url),
                headers: HeaderFields([("User-Agent", "okhttp/4.12.0"), ("Cookie", "sb=1")]),
                body: sent.map { .json($0) }
            ),
            response: RecordedResponse(status: status, body: json.map { .json($0) })
        )
    }

    private func redirect(_ url: String, to location: String) -> Exchange {
        var recorded = exchange("GET", url, 302)
        recorded.response?.redirect(to: location)
        return recorded
    }

    private func login(
        _ status: Int = 200,
        _ answer: String =
            #"{"access_token":"bSHeh19unaDOWiCr","token_type":"bearer","refresh_token":"nJY0"}"#,
        sent: String? = nil,
        scope: String = "email profile"
    ) -> Recording {
        let state = "eyJhbGciOiJIUzI1NiJ9.eyJpZCI6IjEifQ.c2ln"
        let google =
            "https://accounts.google.com/o/oauth2/v2/auth?"
            + FormBody.encode([
                ("client_id", "4074-abc.apps.googleusercontent.com"),
                ("redirect_uri", Self.server + "/callback"),
                ("response_type", "code"), ("scope", scope), ("state", state),
            ])
        let begin =
            Self.server + "/authorize?"
            + FormBody.encode([
                ("provider", "google"), ("redirect_to", "com.shop.app://callback"),
                ("code_challenge", "sTsVB046IKZ-F5waIL8plXI4fHiac7V0zrtIby1I_xs"),
                ("code_challenge_method", "s256"),
            ])
        let callback =
            Self.server + "/callback?" + FormBody.encode([("state", state), ("code", "4/0AVG7fiQx8s0Lw1Zk")])
        var capture = CaptureBuilder()
        capture.add(redirect(begin, to: google))
        capture.add(redirect(google, to: callback))
        capture.add(redirect(callback, to: "com.shop.app://callback?code=\(Self.code)"))
        capture.add(
            exchange(
                "POST",
                Self.server + "/token?grant_type=pkce",
                status,
                json: answer,
                sent: sent ?? #"{"auth_code":"\#(Self.code)","code_verifier":"\#(Self.verifier)"}"#
            )
        )
        return Recording(capture.exchanges)
    }

    /// What it gives for its own code is neither the answer to the login at Google nor its client's request.
    @Test func itsExchangeIsNotThatOfTheLoginBehind() {
        let recording = login(scope: "openid email profile")
        for rule in ["id-token-missing", "pkce-missing-public-client"] {
            #expect(recording.finding(rule) == nil)
        }
        #expect(recording.outcomes == [.success])
    }

    /// The app began the login with an address that stands for its own window alone.
    @Test(arguments: [("net::ERR_CONNECTION_REFUSED", true), (nil, false)] as [(String?, Bool)])
    func appThatNobodyReachesIsTold(failure: String?, fires: Bool) throws {
        var recording = login()
        recording.exchanges.removeLast()
        let begun = recording.exchanges[0].request.url.text
        recording.exchanges[0].request.url = RecordedURL(
            Recording.changing(begun, "redirect_to", "https://tauri.localhost")
        )
        let target = "https://tauri.localhost/?code=\(Self.code)&provider_token=ya29.invented-a0ARW5m7"
        recording.exchanges[2].response?.redirect(to: target)
        var landing = recording.exchanges[2]
        landing.startedAt = landing.startedAt + .seconds(1)
        landing.request.url = RecordedURL(target)
        landing.response = failure == nil ? RecordedResponse(status: 200) : nil
        landing.failure = failure
        recording.exchanges.append(landing)
        let finding = recording.finding("callback-unreachable")
        #expect((finding?.isPrimary == true) == fires)
        #expect(finding.map { $0.places == ["2 response.location ", "3 response.status "] } ?? true)
        // The user's token at the provider is nobody's to see.
        #expect(finding?.evidence.allSatisfy { !$0.value.contains("ya29") } ?? true)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// An address that is not on its list is replaced by the Site URL.
    @Test(
        arguments: [
            ("https://www.shop.example/", "", .error), ("com.shop.app://elsewhere", "", nil),
            ("http://localhost:3000/", "#access_token=bSHeh19unaDOWiCr&token_type=bearer", .error),
            ("https://www.shop.example/", "#access_token=bSHeh19unaDOWiCr&token_type=bearer", .warning),
            ("https://www.shop.example/?lang=de", "#access_token=bSHeh19unaDOWiCr", .warning),
            ("https://www.shop.example/?code=", "#access_token=bSHeh19unaDOWiCr", .warning),
            ("https://www.shop.example/", "#error=server_error", nil),
        ] as [(String, String, Severity?)]
    )
    func siteURLThatTookThePlaceIsTold(target: String, fragment: String, severity: Severity?) throws {
        var recording = login()
        recording.exchanges.removeLast()
        let answer = fragment.isEmpty ? "?code=\(Self.code)" : fragment
        recording.exchanges[2].response?.redirect(to: target + answer)
        let finding = recording.finding("redirect-target-differs")
        #expect(finding?.severity == severity)
        #expect(severity != .error || recording.outcomes == [.failure])
        #expect(finding.map { $0.places == ["0 request.query redirect_to", "2 response.location "] } ?? true)
        #expect(finding?.evidence.last.map { $0.value == RecordedURL(target).withoutQuery } ?? true)
        #expect(login().finding("redirect-target-differs") == nil)
    }

    /// A server of the same site that took the code has the verifier, whose cookie may be one of all its names.
    @Test(arguments: [
        ("sb-abcd1234-auth-token.0=base64-eyJhY2Nlc3M; Path=/", false),
        ("sb-abcd1234-auth-token-code-verifier=; Path=/; Max-Age=0", true), ("theme=dark; Path=/", true),
        ("sb-abcd1234-auth-token=; Path=/; Max-Age=0", true),
    ])
    func codeThatAServerTookAtTheSiteURLIsNotLost(cookie: String, fires: Bool) throws {
        var recording = login()
        recording.exchanges.removeLast()
        let target = "https://www.shop.example/?code=\(Self.code)"
        recording.exchanges[2].response?.redirect(to: target)
        var landing = recording.exchanges[2]
        landing.startedAt = landing.startedAt + .seconds(1)
        landing.request.url = RecordedURL(target)
        landing.response = RecordedResponse(status: 307, headers: HeaderFields([("Set-Cookie", cookie)]))
        landing.response?.redirect(to: "https://www.shop.example/account")
        recording.exchanges.append(landing)
        #expect((recording.finding("redirect-target-differs")?.severity == .error) == fires)
        // Without its cookies the capture does not say.
        #expect(recording.sanitized.finding("redirect-target-differs") == nil)
    }

    /// A project with a domain of its own has the provider answer there, whichever of its names it is asked at.
    @Test(arguments: [("https://auth.shop.example/auth/v1", "google", true), (server, nil, false)])
    func loginIsBegunAtEitherNameOfTheServer(server: String, provider: String?, fires: Bool) throws {
        var recording = login()
        recording.exchanges.removeLast()
        let begun = recording.exchanges[0].request.url.text.replacing(Self.server, with: server)
        recording.exchanges[0].request.url = RecordedURL(Recording.changing(begun, "provider", provider))
        recording.exchanges[2].response?.redirect(to: "https://www.shop.example/?code=\(Self.code)")
        #expect((recording.finding("redirect-target-differs")?.isPrimary == true) == fires)
    }

    /// A Site URL may send its visitors on to the very address that the login was begun for.
    @Test(arguments: [
        ("", "https://shop.example/?code=\(code)", false), ("", "https://shop.example/", true),
        ("", "https://www.shop.example/?code=\(code)", true),
        ("#access_token=bSHeh19unaDOWiCr&token_type=bearer", "https://shop.example/", false),
        ("#access_token=bSHeh19unaDOWiCr&token_type=bearer", "https://www.shop.example/a", true),
    ])
    func siteURLThatSendsOnIsNoOtherAddress(fragment: String, next: String, fires: Bool) throws {
        var recording = login()
        recording.exchanges.removeLast()
        let begun = recording.exchanges[0].request.url.text
        recording.exchanges[0].request.url = RecordedURL(
            Recording.changing(begun, "redirect_to", "https://shop.example/account")
        )
        let page = "https://www.shop.example/" + (fragment.isEmpty ? "?code=\(Self.code)" : "")
        recording.exchanges[2].response?.redirect(to: page + fragment)
        var landing = recording.exchanges[2]
        landing.startedAt = landing.startedAt + .seconds(1)
        landing.request.url = RecordedURL(page)
        landing.response?.redirect(to: next)
        var end = landing
        end.startedAt = end.startedAt + .seconds(1)
        end.request.url = RecordedURL(next)
        end.response = RecordedResponse(status: 200)
        recording.exchanges += [landing, end]
        #expect((recording.finding("redirect-target-differs") != nil) == fires)
    }

    private func refusal(_ code: String, _ words: String) -> String {
        #"{"code":400,"error_code":"\#(code)","msg":"\#(words)"}"#
    }

    @Test func exchangeIsPartOfTheLogin() throws {
        let flow = try #require(login().flows.first)
        #expect(login().flows.count == 1 && login().outcomes == [.success])
        #expect(!login().findings.contains { $0.severity == .error })
        let request = try #require(flow.tokenRequests.first)
        #expect(request.code == Self.code && request.isCodeExchange)
        #expect(request.parameters.parameter("code")?.place.name == "auth_code")
    }

    @Test func verifierThatDoesNotFitIsTheCause() throws {
        let recording = login(
            400,
            refusal("bad_code_verifier", "code challenge does not match previously saved code verifier")
        )
        let finding = try #require(recording.finding("pkce-verifier-mismatch"))
        #expect(finding.isPrimary && recording.outcomes == [.failure])
        #expect(
            finding.places == [
                "0 request.query code_challenge", "3 request.body code_verifier",
                "3 response.body error_code",
            ]
        )
        #expect(recording.finding("token-endpoint-error") == nil)
    }

    /// A verifier that fits what the login began with is not wrong because the server says so.
    @Test func verifierThatFitsIsNot() throws {
        let recording = login(
            400,
            refusal("bad_code_verifier", "code challenge does not match previously saved code verifier")
        ).editing { exchange in
            guard exchange.request.url.path.hasSuffix("/authorize") else { return }
            exchange.request.url = RecordedURL(
                Recording.changing(
                    exchange.request.url.text,
                    "code_challenge",
                    CodeChallenge.s256(of: Self.verifier)
                )
            )
        }
        #expect(recording.finding("pkce-verifier-mismatch") == nil)
        #expect(recording.finding("token-invalid-grant")?.isPrimary == true)
    }

    /// The login at the server itself is there, though nothing of the one at the provider behind it.
    @Test func loginAtTheServerIsNotSaidToBeMissing() throws {
        var recording = login(
            400,
            refusal("bad_code_verifier", "code challenge does not match previously saved code verifier")
        )
        recording.exchanges.removeSubrange(1...2)
        let finding = try #require(recording.finding("token-invalid-grant"))
        #expect(finding.effectOf == "pkce-verifier-mismatch")
        #expect(!(finding.notes + [finding.explanation]).contains { $0.contains("not in the capture") })
        recording.exchanges.removeFirst()
        let alone = try #require(recording.finding("token-invalid-grant"))
        #expect(alone.isPrimary && alone.explanation.contains("not in the capture"))
    }

    @Test func verifierThatWasLostIsTheCause() throws {
        let recording = login(
            400,
            refusal(
                "validation_failed",
                "invalid request: both auth code and code verifier should be non-empty"
            ),
            sent: #"{"auth_code":"\#(Self.code)","code_verifier":""}"#
        )
        let finding = try #require(recording.finding("pkce-verifier-missing"))
        #expect(finding.isPrimary && finding.places.first == "0 request.query code_challenge")
    }

    @Test(arguments: ["flow_state_not_found", "flow_state_expired"])
    func codeThatIsNotTakenIsNoOther(name: String) throws {
        let recording = login(404, refusal(name, "invalid flow state, no valid flow state found"))
        let finding = try #require(recording.finding("token-invalid-grant"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("code has run out") == (name == "flow_state_expired"))
        #expect(recording.finding("code-expired") == nil)
        #expect(!finding.notes.contains("the code that was delivered, and never sent"))
    }

    @Test func refreshTokenThatWasUsedIsToldWithTheRefusal() throws {
        var capture = CaptureBuilder()
        capture.add(
            exchange(
                "POST",
                Self.server + "/token?grant_type=refresh_token",
                400,
                json: refusal("refresh_token_already_used", "Invalid Refresh Token: Already Used"),
                sent: #"{"refresh_token":"abcDEF123456"}"#
            )
        )
        let recording = Recording(capture.exchanges)
        let finding = try #require(recording.findings.first { $0.isPrimary })
        #expect(finding.rule == "token-invalid-grant" && finding.title.contains("used before"))
        #expect(recording.outcomes == [.failure])
        // An object of JSON is what it wants.
        #expect(recording.finding("token-request-format") == nil)
    }

    /// A grant in the query is a fault at any other server.
    @Test func otherServersHaveNoGrantInTheQuery() throws {
        var capture = CaptureBuilder()
        capture.add(
            exchange(
                "POST",
                "https://idp.example/token?grant_type=refresh_token",
                400,
                json: #"{"error":"unsupported_grant_type"}"#,
                sent: #"{"refresh_token":"abcDEF123456"}"#
            )
        )
        #expect(
            Recording(capture.exchanges).flows.allSatisfy { $0.tokenRequests.allSatisfy { !$0.isRefresh } }
        )
    }
}
