import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// Tokens that were given back, and what a provider says when it is asked for one (RFC 7009, RFC 7662).
extension BearerRejectedTests {
    @Test func leavesATokenAloneThatWasGivenBack() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// Which token was given back is not known of a request that was saved without its body: it may be the one.
    @Test func leavesATokenAloneThatMayHaveBeenGivenBack() throws {
        let recording = try Recording(broken + ".near-miss").withMetadata()
            .stating(
                "revocation_endpoint",
                "https://id.harbour.example/revoke",
                at: "/.well-known/openid-configuration"
            )
            .editing { exchange in
                guard exchange.request.url.path == "/revoke" else { return }
                exchange.request.body = Body(content: .missing)
            }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
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
            exchange.response?.headers.replace(
                "WWW-Authenticate",
                with: "Bearer error=\"invalid_token\", error_description=\"\(words)\""
            )
        }
        #expect(!revoked.findings.contains { $0.title.contains("that was revoked") })
        #expect(revoked.outcomes.contains(.failure))
    }

    /// The API's own question about the token, sent while the call waits; `during`: or after it.
    func asking(_ status: Int, _ answer: String, during: Bool = true) throws -> Recording {
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
        question.response?.body = .json(answer)
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

    /// Where an export left the token out of a call, it may be the one that was given back before.
    @Test(arguments: [(true, Outcome.success), (false, .failure)])
    func isNoFailureWhereTheTokenMayBeTheOneThatWasRevoked(isRevoked: Bool, outcome: Outcome) throws {
        var recording = try Recording("healthy/web-code-flow").answering("/userinfo", 401)
        let call = try #require(recording.exchanges.last { $0.request.url.path == "/userinfo" })
        let token = try #require(BearerToken.of(call.request, exchange: 0)?.value)
        var revocation = try #require(
            Recording(broken + ".near-miss").exchanges.first { $0.request.url.path == "/revoke" }
        )
        revocation.request.body = Body(text: "token=\(token)", mediaType: FormBody.mediaType)
        revocation.startedAt = call.startedAt - .milliseconds(5)
        revocation.duration = .milliseconds(1)
        if isRevoked { recording.exchanges.append(revocation) }
        #expect(recording.sanitized.outcomes == [outcome])
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
}
