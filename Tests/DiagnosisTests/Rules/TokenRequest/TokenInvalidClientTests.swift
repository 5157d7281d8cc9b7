import Captures
import Diagnosis
import DiagnosisTestSupport
import JSON
import Testing

struct TokenInvalidClientTests {
    private let rule = "token-invalid-client"
    private let broken = "token-request/token-invalid-client"

    @Test func namesTheAnswerAndTheMethod() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 response.body error", "4 request.header Authorization"])
        #expect(finding.notes == ["client authentication: client_secret_basic"])
        #expect(finding.evidence[1].value == "shop-web")
    }

    /// What `curl -v` prints has no bodies; a body that is there and proves nothing is another thing.
    @Test(arguments: [(false, "none"), (true, "not known, the request's body is not in the capture")])
    func bodyThatWasNotSavedProvesNothing(isLost: Bool, words: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.remove("authorization")
            if isLost { exchange.request.body = nil }
        }
        #expect(try #require(recording.finding(rule)).notes.first == "client authentication: \(words)")
    }

    /// Libraries write the header for a secret that is not there, too.
    @Test(arguments: [("shop-web:", true), ("shop-web:not-a-secret", false)])
    func tellsAnEmptySecret(credentials: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "authorization" }
            exchange.request.headers.append("Authorization", "Basic \(Base64.encode(credentials.utf8))")
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The client sent an empty secret") == fires)
        #expect(finding.notes.first?.hasSuffix(", with an empty secret") == fires)
        #expect(!"\(finding.explanation) \(finding.fix)".contains("  "))
    }

    /// MyInfo's third version has each request signed in the header; what stands there without a scheme may be a secret.
    @Test(arguments: [
        (#"PKI_SIGN app_id="shop",signature="x""#, ", and Authorization: PKI_SIGN"), ("not-a-secret-1", ""),
        ("[REDACTED] by hand", ""),
    ])
    func namesAnotherSchemeBesideTheMethod(header: String, words: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.headers.replace("Authorization", with: header)
        }.sending("client_id", "shop-web").sending("client_secret", "not-a-secret-2")
        let note = try #require(recording.finding(rule)?.notes.first)
        #expect(note.hasPrefix("client authentication: client_secret_") && note.hasSuffix("post" + words))
    }

    @Test func leavesAnAPIs401Alone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// eSignet has a name of its own for an assertion that it does not take.
    @Test(arguments: [true, false]) func knowsTheNameOfARefusedAssertion(isSent: Bool) throws {
        let assertion = [#"{"alg":"RS256"}"#, #"{"iss":"shop-web","sub":"shop-web"}"#].map(encoded)
        let recording = try Recording(broken).editing {
            $0.request.headers.remove("authorization")
        }
        .sending("client_assertion", isSent ? assertion.joined(separator: ".") + ".AAAA" : nil)
        .answering("/token", 400, ["error": "invalid_assertion"])
        #expect((recording.finding(rule) != nil) == isSent)
    }

    @Test(arguments: [
        ("Invalid signature in private_key_jwt", "could not verify", "public half"),
        ("No matching key found in the client's JWKS", "could not verify", "public half"),
        ("Failed to retrieve JWKS from the client's jwks_uri", "could not get the client's keys", "jwks_uri"),
        ("client JSON Web Key Set failed to be refreshed", "could not get the client's keys", "jwks_uri"),
        (
            "Key kid-1 is not in the JWKS, which was refreshed", "rejected the client's credentials",
            "Compare with the registration"
        ),
        ("Client not known", "does not know this client", "Compare the client_id"),
        (
            "Unknown client or wrong secret", "rejected the client's credentials",
            "Compare with the registration"
        ),
        (
            "Client authentication failed: unknown client, or no such key",
            "rejected the client's credentials",
            "Compare with the registration"
        ),
    ])
    func tellsAKeyThatIsNotTheRegisteredOne(words: String, title: String, fix: String) throws {
        let assertion = [#"{"alg":"RS256","kid":"key-1"}"#, #"{"iss":"shop-web","sub":"shop-web"}"#].map(
            encoded
        )
        let recording = try Recording(broken).editing {
            $0.request.headers.remove("authorization")
        }
        .sending("client_assertion", assertion.joined(separator: ".") + ".AAAA")
        .answering("/token", 401, ["error": "invalid_client", "error_description": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains(title) && finding.fix.contains(fix))
    }

    @Test func takesABare401() throws {
        let finding = try Recording(broken).answering("/token", 401).finding(rule)
        #expect(finding?.evidence[0].value == "401")
    }

    @Test(arguments: ["use_dpop_nonce", "invalid_grant", "invalid_dpop_proof"]) func leavesOtherRefusalsAlone(
        error: String
    ) throws {
        #expect(
            try Recording(broken).answering("/token", 401, ["error": .string(error)]).finding(rule) == nil
        )
    }

    @Test func isANoteWhereTheNextTryIsLetIn() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .milliseconds(100)
        recording.exchanges.append(second)
        recording = recording.granted()
        #expect(recording.finding(rule)?.severity == .note)
    }

    @Test func saysNothingWithoutTheBackChannel() throws {
        #expect(try Recording(broken).frontChannel.finding(rule) == nil)
    }

    /// Who was given a code may use it: it is the secret that the provider does not like.
    @Test func readsUnauthorizedClientForAnIssuedCodeAsTheClients() throws {
        let bare = try Recording(broken).answering("/token", 403, ["error": "unauthorized_client"])
        #expect(bare.finding(rule)?.isPrimary == true)
        #expect(bare.finding("unsupported-grant-type") == nil)
        #expect(bare.finding("token-endpoint-error") == nil)
        let worded = try Recording(broken).answering(
            "/token",
            403,
            ["error": "unauthorized_client", "error_description": "grant authorization_code not allowed"]
        )
        #expect(worded.finding(rule) == nil)
        #expect(worded.finding("unsupported-grant-type")?.isPrimary == true)
        // The back channel alone has the code, which nobody has without a login.
        let half = bare.withoutAuthorization
        #expect(half.finding(rule)?.isPrimary == true)
        #expect(half.finding("unsupported-grant-type") == nil)
        #expect(worded.withoutAuthorization.finding("unsupported-grant-type")?.isPrimary == true)
    }

    @Test func namesTheKeyOfARefusedSignature() throws {
        let recording = try Recording("token-request/client-assertion-time.near-miss").answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description": "Client assertion contains an invalid signature",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains { $0.hasSuffix("jwt.header kid") })
        #expect(finding.places.contains { $0.hasSuffix("jwt.header alg") })
        let other = recording.answering("/token", 401, ["error": "invalid_client"])
        #expect(other.finding(rule)?.places.contains { $0.contains("jwt.header") } == false)
    }

    /// MyInfo refuses a code with 401, and has no name for it; the client was let in then.
    @Test(arguments: [
        ("Authcode error - missing, invalid, expired, revoked.", false), ("Invalid code_verifier", false),
        ("Client is not allowed to send a code_verifier", true),
        ("Digital signature verification failed", true),
    ])
    func leavesWordsOfTheGrantToOthers(words: String, fires: Bool) throws {
        let recording = try Recording("token-request/client-assertion-time.near-miss").answering(
            "/token",
            401,
            ["code": 401, "message": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("token-endpoint-error")?.isPrimary == true) == !fires)
    }

    /// RFC 7592, section 2.3: the registration was taken away before.
    @Test(arguments: ["registration/registration-secret-expired", "token-request/client-secret-mismatch"])
    func clientThatWasDeletedIsToldAsThat(name: String) throws {
        let recording = try Recording(name).configuring("DELETE")
        let finding = try #require(recording.finding("token-invalid-client"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("deleted"))
        #expect(finding.evidence.first?.place.exchange == recording.exchanges.count - 1)
        #expect(recording.finding("registration-secret-expired") == nil)
        #expect(recording.finding("client-secret-mismatch") == nil)
    }

    /// The same identifier, given out by two.
    @Test func clientThatAnotherProviderDeletedIsStillThere() throws {
        let recording = try Recording("token-request/client-secret-mismatch").configuring("DELETE")
            .editing { exchange in
                guard exchange.request.url.path.hasPrefix("/register") else { return }
                exchange.request.url = RecordedURL("https://id.other.example" + exchange.request.url.path)
            }
        #expect(recording.finding(rule)?.title.contains("deleted") == false)
    }

    @Test func clientThatWasRegisteredAgainIsNotDeleted() throws {
        var recording = try Recording("token-request/client-secret-mismatch").configuring("DELETE")
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/register" })
        again.startedAt = again.endedAt + .milliseconds(3)
        again.duration = .milliseconds(1)
        recording.exchanges.append(again)
        #expect(recording.finding("client-secret-mismatch")?.isPrimary == true)
    }

    /// A client that is known by its certificate has registered that; what is bound to one is another matter.
    @Test func tellsOfACertificateThatIsNotTheClients() throws {
        let recording = try Recording(broken).answering(
            "/token",
            401,
            [
                "error": "invalid_client",
                "error_description": "The client certificate does not match the registered subject DN",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The client's certificate is not the expected one")
        #expect(finding.explanation.contains("is registered with"))
        #expect(!finding.explanation.contains("bound"))
    }
}
