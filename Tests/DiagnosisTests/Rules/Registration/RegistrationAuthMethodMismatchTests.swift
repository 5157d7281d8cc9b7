import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RegistrationAuthMethodMismatchTests {
    private let rule = "registration-auth-method-mismatch"
    private let broken = "registration/registration-auth-method-mismatch"

    private func registered(for method: JSONValue?) throws -> Recording {
        try Recording(broken).editingAnswer(of: "/register") { $0["token_endpoint_auth_method"] = method }
    }

    @Test func showsBothMethods() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body token_endpoint_auth_method", "5 request.body client_secret",
                "5 response.body error",
            ]
        )
        #expect(
            finding.evidence.map(\.value) == ["client_secret_basic", "client_secret_post", "invalid_client"]
        )
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
    }

    /// What is read need not be all that was registered, however often that is.
    @Test func countsThoughItIsReadManyTimesSince() throws {
        let recording = try (0..<40).reduce(into: Recording(broken)) { recording, _ in
            recording = recording.configuring("GET") {
                $0["client_secret"] = nil
                $0["token_endpoint_auth_method"] = nil
            }
        }
        #expect(recording.finding(rule)?.places.first == "0 response.body token_endpoint_auth_method")
    }

    @Test func aListOfMethodsCounts() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(
        arguments: [
            ("client_secret_basic", true), ("client_secret_post", false), ("none", true),
            ("private_key_jwt", true), ("tls_client_auth", false), (nil, true),
        ] as [(String?, Bool)]
    )
    func knowsTheMethods(method: String?, fires: Bool) throws {
        #expect((try registered(for: method.map { .string($0) }).finding(rule) != nil) == fires)
    }

    /// A null is as good as nothing: the usual method holds.
    @Test func methodThatIsNotToldIsTheUsualOne() throws {
        #expect(try registered(for: .null).finding(rule) != nil)
    }

    /// A certificate is not in a capture, and may be what the client shows by the second of two.
    @Test(arguments: [("client_secret_jwt", true), ("tls_client_auth", false)])
    func certificateMayBeTheOtherOfTwo(other: String, fires: Bool) throws {
        let recording = try registered(for: nil).editingAnswer(of: "/register") {
            $0["token_endpoint_auth_methods"] = ["client_secret_basic", .string(other)]
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func clientThatProvesNothingAtAllIsOne() throws {
        let finding = try #require(Recording(broken).sending("client_secret", nil).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.map(\.value) == ["client_secret_basic", "none", "invalid_client"])
    }

    /// The header may be all of it, or beside a secret of the body, which was not saved.
    @Test func abstainsWhereTheBodyWasNotSaved() throws {
        let sent = try #require(Recording(broken).exchanges.last { $0.request.url.path == "/token" })
        let client = try #require(FormBody.items(of: sent.request.body)?.first("client_id"))
        let credentials = Base64.encode("\(client):not-a-secret".utf8)
        let recording = try registered(for: "client_secret_post").withoutBodies(of: "/token")
            .answering("/token", 401, ["error": "invalid_client"])
            .sendingHeader("Authorization", "Basic \(credentials)", to: "/token")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("token endpoint") == true)
    }

    /// What is registered is how the client proves itself where it gets tokens (RFC 7591, section 2).
    @Test func saysNothingOfAQuestionAboutAToken() throws {
        var recording = try Recording(broken)
        var question = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        recording = recording.granted()
        question.startedAt = question.endedAt + .seconds(1)
        question.request.url = RecordedURL("https://id.harbour.example/introspect")
        recording.exchanges.append(question)
        recording = [("grant_type", nil), ("code", nil), ("token", "not-a-token")].reduce(recording) {
            $0.sending($1.0, $1.1, to: "/introspect")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-client") != nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfAnotherRefusal() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test func abstainsWhereCredentialsWereStripped() throws {
        let recording = try Recording(broken).sanitized.sending("client_secret", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: ["GET", "PUT"]) func theMethodThatWasReadLaterIsTheRegisteredOne(method: String) throws {
        let recording = try Recording(broken).configuring(method) {
            $0["token_endpoint_auth_method"] = "client_secret_post"
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A read tells of the client as it was then.
    @Test func whatWasReadBeforeAChangeIsOver() throws {
        let recording = try Recording(broken).configuring("GET").configuring("PUT") {
            $0["token_endpoint_auth_method"] = "client_secret_post"
        }
        #expect(recording.finding(rule) == nil)
    }

    /// As WSO2 answers, which repeats a part of what was registered.
    @Test func aReadThatLeavesTheMethodOutChangesNothing() throws {
        let recording = try Recording(broken).configuring("GET") { $0["token_endpoint_auth_method"] = nil }
        #expect(recording.finding(rule)?.places.first == "0 response.body token_endpoint_auth_method")
    }

    /// RFC 9126, section 2: a pushed request is proved as a token request is.
    @Test(arguments: [("client_secret_basic", true), ("client_secret_post", false)])
    func countsAtThePushedRequest(method: String, fires: Bool) throws {
        let recording = try registered(for: .string(method)).authenticatingAtPAR
        #expect((recording.finding(rule)?.isPrimary ?? false) == fires)
        #expect(recording.finding("par-rejected")?.severity == .error)
    }
}
