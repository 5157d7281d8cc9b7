import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct RateLimitedTests {
    private let rule = "rate-limited"
    private let broken = "transport/rate-limited"

    @Test func tellsHowLongToWait() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["5 response.status ", "5 response.header Retry-After"])
        #expect(finding.notes == ["https://id.harbour.example/token, 2 times"])
        #expect(recording.outcomes == [.failure])
    }

    /// The requests were refused from the first of them on.
    @Test func explainsWhatTheTokenEndpointSays() throws {
        let restated = try #require(Recording(broken).finding("token-endpoint-error"))
        #expect(restated.places.first == "4 response.body error")
        #expect(restated.effectOf == rule)
    }

    @Test func leavesARetryThatSucceededAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// A device that polls was answered later.
    @Test(arguments: [(400, false), (429, true)])
    func pollThatWasTooMuchIsForgottenWhereTheNextIsAnswered(last: Int, fires: Bool) throws {
        var recording = try Recording("logout-and-device/device-code-expired")
        recording.exchanges[1].response = RecordedResponse(status: 429)
        if last == 429 { recording.exchanges[2].response = RecordedResponse(status: 429) }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("device-code-expired")?.isPrimary == true) == !fires)
    }

    @Test func saysNothingOfOtherHosts() throws {
        let recording = try Recording("healthy/web-code-flow").answering("/", 429)
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfOtherRefusals() throws {
        #expect(try Recording(broken).answering("/token", 503).finding(rule) != nil)
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 429 { exchange.response?.status = 503 }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// Zoho, Salesforce, Google and Facebook, each under a name of another meaning or of its own: another status than 429 is told by the
    /// refusal itself.
    @Test(
        arguments: [
            (
                [
                    "error": "Access Denied", "status": "failure",
                    "error_description":
                        "You have made too many requests continuously. Please try again after some time.",
                ],
                "token-endpoint-error"
            ),
            (["error": "invalid_grant", "error_description": "login rate exceeded"], "token-invalid-grant"),
            (["error": "rate_limit_exceeded"], "token-endpoint-error"),
            (
                ["error": ["message": "(#4) Application request limit reached", "code": 4]],
                "token-endpoint-error"
            ),
        ] as [(JSONValue, String)]
    )
    func refusalTellsWhatTheProviderSays(answer: JSONValue, symptom: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 429 else { return }
            exchange.response?.status = 400
            exchange.response?.body = Body(
                text: JSONWriter.text(of: answer),
                mediaType: "application/json"
            )
        }
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider says that it throttles this client")
        #expect(finding.fix.contains("Retry-After"))
        let words = JSONWriter.text(of: answer)
        #expect(finding.evidence.contains { $0.place.part == .responseBody && words.contains($0.value) })
        #expect(finding.places.contains { $0.hasSuffix("response.header Retry-After") })
        #expect(recording.outcomes == [.failure])
    }

    /// Of a user's wrong passwords, of the number of tokens that there may be, of a device that polls too often, and of a name or word that
    /// has the letters.
    @Test(arguments: [
        ("invalid_grant", "Too many failed login attempts"),
        ("invalid_grant", "The refresh token was revoked: too many tokens were issued"),
        ("slow_down", "Too many requests have been made in the same timeframe."),
        ("invalid_scope", "The scope rate_limit:read is not known"),
        ("invalid_grant", "The corporate limit of sessions is reached"),
    ])
    func otherNumbersThatAreTooLargeAreNone(error: String, words: String) throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": .string(words)]
        )
        #expect(recording.finding(rule) == nil)
    }

    /// django-axes answers so.
    @Test func findsASignInThatIsTakenNoMore() throws {
        let recording = try Recording("authorization-response/login-abandoned").editingLast("/sign-in") {
            exchange in
            exchange.response = RecordedResponse(
                status: 429,
                body: Body(text: "Account locked: too many login attempts.", mediaType: "text/html")
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.last?.value == "Account locked: too many login attempts.")
    }

    /// Clients try the URLs at which a document may be one by one.
    @Test(arguments: [
        ("token-request/pkce-verifier-mismatch", "pkce-verifier-mismatch", Outcome.failure),
        ("authorization-response/user-cancelled", "user-cancelled", .cancelled),
    ])
    func probeWhoseOtherFormWasAnsweredIsNone(path: String, primary: String, outcome: Outcome) throws {
        var recording = try Recording(path).withDocuments { _ in }
        var probe = recording.exchanges[0]
        probe.request.url = RecordedURL(
            "https://id.harbour.example/.well-known/oauth-authorization-server"
        )
        probe.response = RecordedResponse(status: 429)
        probe.startedAt = probe.startedAt + .seconds(-1)
        recording.exchanges.insert(probe, at: 0)
        #expect(recording.finding(rule) == nil)
        #expect(recording.findings.first { $0.isPrimary }?.rule == primary)
        #expect(recording.outcomes == [outcome])
        // Alone it is all that the client had of the metadata.
        recording.exchanges[1].response = probe.response
        #expect(recording.finding(rule) != nil)
    }

    /// Another server's document, and the very one that came before, are none of its other forms.
    @Test(arguments: [
        (true, "https://id.other.example", "oauth-authorization-server"),
        (false, "https://id.harbour.example", "openid-configuration"),
    ])
    func documentFromElsewhereOrBeforeIsNoOtherForm(isFirst: Bool, read: String, name: String) {
        var capture = CaptureBuilder()
        func refuse() {
            capture.get(
                "https://id.harbour.example/.well-known/openid-configuration",
                429,
                body: .html("Slow down")
            )
        }
        if isFirst { refuse() }
        capture.get(
            "\(read)/.well-known/\(name)",
            body: .json(
                """
                {"issuer":"\(read)","authorization_endpoint":"\(read)/authorize","token_endpoint":"\(read)/token",\
                "jwks_uri":"\(read)/jwks","response_types_supported":["code"]}
                """
            )
        )
        if !isFirst { refuse() }
        #expect(Recording(capture.exchanges).finding(rule)?.isPrimary == true)
    }

    /// A login that went on without the keys, to where the provider refused it for another reason.
    @Test(arguments: [
        ("token-request/redirect-uri-token-mismatch", "redirect-uri-token-mismatch"),
        ("authorization-response/user-cancelled", "user-cancelled"),
    ])
    func keysThatDidNotComeAreNotWhyALoginEnded(path: String, primary: String) throws {
        let throttled = try Recording(path).withDocuments { exchange in
            if exchange.request.url.path == "/jwks" { exchange.response = RecordedResponse(status: 429) }
        }
        let unreachable = try Recording(path).withDocuments { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.response = nil
            exchange.failure = "net::ERR_CONNECTION_REFUSED"
        }
        for (recording, rule) in [(throttled, rule), (unreachable, "host-unreachable")] {
            #expect(recording.findings.first?.rule == primary)
            #expect(recording.findings.first?.isPrimary == true)
            #expect(recording.finding(rule)?.severity == .warning)
            #expect(!recording.findings.contains { $0.effectOf == rule })
            #expect(recording.outcomes == [primary == "user-cancelled" ? .cancelled : .failure])
        }
    }

    /// Nothing else is known of why the app refused its callback.
    @Test func keysThatDidNotComeExplainACallbackThatTheAppRefuses() throws {
        let recording = try Recording("token-request/redirect-uri-token-mismatch").frontChannel
            .withDocuments { exchange in
                guard exchange.request.url.path == "/jwks" else { return }
                exchange.response = nil
                exchange.failure = "net::ERR_CONNECTION_REFUSED"
            }
        #expect(recording.finding("host-unreachable")?.isPrimary == true)
        #expect(recording.finding("host-unreachable")?.severity == .error)
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == "host-unreachable")
    }
}
