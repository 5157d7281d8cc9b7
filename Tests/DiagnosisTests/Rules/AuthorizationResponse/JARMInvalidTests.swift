import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct JARMInvalidTests {
    private let rule = "jarm-invalid"
    private let broken = "authorization-response/jarm-invalid"

    /// The signed answer with other claims; the signature stays as it was.
    private func claiming(_ changes: [(String, JSONValue?)], alg: String? = nil) throws -> Recording {
        func change(_ url: String) -> String {
            let parts = (RecordedURL(url).queryItems.first("response") ?? "").split(
                separator: ".",
                omittingEmptySubsequences: false
            ).map(String.init)
            guard parts.count == 3, var claims = (try? JSONParser.parse(decoded(parts[1])))?.object else {
                return url
            }
            for (name, value) in changes { claims[name] = value }
            let header = alg.map { encoded("{\"alg\":\"\($0)\"}") } ?? parts[0]
            let token = [header, encoded(JSONWriter.text(of: .object(claims))), parts[2]].joined(
                separator: "."
            )
            return Recording.changing(url, "response", token)
        }
        return try Recording(broken + ".near-miss").editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(change(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: change(location))
            }
        }
    }

    private func decoded(_ text: String) -> [UInt8] { Base64URL.decode(text) ?? [] }

    @Test func namesTheAudience() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 jwt.claims aud", "1 request.query client_id"])
        #expect(finding.evidence[0].value == "shop-mobile")
        #expect(recording.outcomes == [.failure])
    }

    @Test func isAnErrorThoughTheAppAcceptedIt() throws {
        let recording = try claiming([("aud", .string("other"))])
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func namesIssuerAndExpiry() throws {
        let issuer = try claiming([("iss", .string("https://id.other.example"))])
        #expect(issuer.finding(rule)?.places.prefix(2) == ["4 jwt.claims iss", "0 response.body issuer"])
        let late = try claiming([("exp", .number(JSONNumber(text: "1700000000")))])
        #expect(late.finding(rule)?.places.first == "4 jwt.claims exp")
    }

    /// The provider's own clock stands in both; without its date it is the recorder's.
    @Test(arguments: [(3, true, false), (30, true, true), (30, false, false), (90, false, true)])
    func leavesSomeTimeToClocks(age: Int, isDated: Bool, fires: Bool) throws {
        // The sign-in was answered then.
        let answered = 1_774_689_308
        let recording = try claiming([("exp", .number(JSONNumber(text: "\(answered - age)")))])
            .without { $0.request.url.path == "/jwks" }
            .editing { exchange in
                guard !isDated else { return }
                exchange.response?.headers.remove("date")
            }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func namesASignatureThatFails() throws {
        let recording = try claiming([("scope", .string("x"))])
        #expect(recording.finding(rule)?.places == ["4 jwt.header alg"])
        let keyless = recording.without { $0.request.url.path == "/jwks" }
        #expect(keyless.finding(rule) == nil)
    }

    @Test func namesATokenWithoutSignature() throws {
        #expect(try claiming([], alg: "none").finding(rule)?.evidence.last?.value == "none")
    }

    /// What the token says counts as if it stood in the redirect itself (JARM, section 2.1).
    @Test func readsWhatTheTokenSays() throws {
        let cancelled = try claiming([
            ("code", nil), ("error", "access_denied"), ("error_description", "The user said no"),
        ]).without { ["/jwks", "/token"].contains($0.request.url.path) }
        #expect(cancelled.outcomes == [.cancelled])
        let places = try #require(cancelled.finding("user-cancelled")).places
        #expect(places.contains { $0.hasSuffix("jwt.claims error") }, "\(places)")
        let silent = try claiming([("code", nil), ("error", "invalid_scope")])
            .without { ["/jwks", "/token"].contains($0.request.url.path) }
        #expect(silent.finding("scope-rejected")?.isPrimary == true, "\(silent.findings.map(\.rule))")
        // The code in it is the one that the token request brings: what refused that refused the login.
        let client = try Recording(broken + ".near-miss").answering(
            "/token",
            401,
            ["error": "invalid_client"]
        )
        .answering("/callback", 500)
        #expect(client.findings.first { $0.isPrimary }?.rule == "token-invalid-client")
        let other = try claiming([("code", "another-code-of-somebody")]).without {
            $0.request.url.path == "/jwks"
        }
        .answering("/token", 400, ["error": "invalid_grant"])
        #expect(other.finding("code-altered") != nil || other.finding("token-invalid-grant") != nil)
    }

    @Test func leavesTheIssuerAloneWithoutMetadata() throws {
        let recording = try claiming([("iss", .string("https://id.other.example"))]).without {
            $0.request.url.path.hasPrefix("/.well-known") || $0.request.url.path == "/jwks"
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        [encoded("{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}"), "AAAA", "AAAA", "AAAA", "AAAA"],
        [encoded("{\"alg\":\"RS256\"}"), "AAAA", "AAAA"],
    ])
    func abstainsOnAnAnswerThatCannotBeRead(parts: [String]) throws {
        let token = parts.joined(separator: ".")
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "response", token)
                )
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: Recording.changing(location, "response", token))
            }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Signed with a key that the provider does not publish (any more), and refused by the app.
    @Test(arguments: [(500, true), (302, false)])
    func namesAKeyThatIsNotPublished(status: Int, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").answering("/callback", status)
            .without { $0.request.url.path == "/token" }
            .editingAnswer(of: "/jwks") { answer in
                answer["keys"] = .array(
                    (answer["keys"]?.array ?? []).filter { $0.object?["kid"]?.string != "2026-03" }
                )
            }
        #expect((recording.finding(rule)?.places == ["4 jwt.header kid", "5 response.body keys"]) == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }
}
