import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AudienceMismatchTests {
    private let rule = "audience-mismatch"
    private let broken = "resource-calls/audience-mismatch"

    private let named = "Bearer error=\"invalid_token\", error_description=\"The audience 'x' is invalid\""

    @Test func namesAudienceAndAPI() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["6 jwt.claims aud", "6 request.url ", "6 response.header WWW-Authenticate"]
        )
        #expect(finding.evidence[0].value == "https://api.stock.example")
    }

    @Test func leavesNamesAloneThatSayNothing() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.answering("/orders", header: "WWW-Authenticate", "Bearer").finding(rule) == nil)
        #expect(recording.answering("/orders", header: "WWW-Authenticate", named).finding(rule) != nil)
    }

    /// Its URL has the server's address, where the header field with the host is not in the capture.
    @Test func leavesAHostAloneThatIsNotKnown() throws {
        #expect(try Recording(broken).withoutHosts().finding(rule) == nil)
        #expect(try Recording(broken).behindProxy(telling: "https").finding(rule) != nil)
    }

    @Test(arguments: ["token expired", "The issuer 'x' is invalid", "invalid signature"])
    func leavesAnotherReasonAlone(reason: String) throws {
        let recording = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error_description=\"\(reason)\""
        )
        #expect(recording.finding(rule) == nil)
    }

    /// Which was good enough there before, or had run out, is refused for something else, where nothing is said.
    @Test func leavesATokenAloneThatWasTakenOrHasRunOut() throws {
        let silent = try Recording(broken).answering("/orders", header: "WWW-Authenticate", "Bearer")
        let last = try #require(silent.exchanges.last)
        for path in ["/cart", "/orders"] {
            var taken = silent
            taken.exchanges[taken.exchanges.count - 1].request.url = RecordedURL(
                (last.request.url.origin ?? "") + path
            )
            taken.exchanges[taken.exchanges.count - 1].response = RecordedResponse(status: 200)
            var again = last
            again.startedAt = last.endedAt + .seconds(20)
            taken.exchanges.append(again)
            #expect(taken.finding(rule) == nil)
            #expect(taken.finding("bearer-rejected")?.isPrimary == true)
        }
        var late = silent
        late.exchanges[late.exchanges.count - 1].startedAt = last.startedAt + .seconds(90_000)
        #expect(silent.finding(rule) != nil && late.finding(rule) == nil)
    }

    /// Its end is held against the API's clock, where the answer states that.
    @Test(arguments: [true, false]) func readsTheEndByTheServersClock(isStated: Bool) throws {
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", "Bearer")
            .editingAnswer(of: "/token") { $0["expires_in"] = nil }
            .editing { exchange in
                exchange.startedAt = exchange.startedAt + .seconds(7200)
                if !isStated { exchange.response?.headers.remove("Date") }
            }
        #expect((recording.finding(rule) != nil) == isStated)
    }

    @Test func readsTheBody() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/orders",
            header: "WWW-Authenticate",
            nil
        )
        .answering("/orders", 401, ["message": "jwt audience invalid. expected: orders"])
        #expect(recording.finding(rule)?.places.last == "6 response.body ")
    }

    @Test func comparesWithWhatWasAskedFor() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer"
        )
        #expect(
            recording.asking("audience", "orders").finding(rule)?.places.last == "1 request.query audience"
        )
        #expect(
            recording.sending("resource", "orders").finding(rule)?.places.last == "4 request.body resource"
        )
        #expect(recording.asking("audience", "account").finding(rule) == nil)
    }

    /// What else is called so at the host, or by the provider, is not the API.
    @Test(arguments: [
        ("oauth-protected-resource", "https://api.orders.example/", true),
        ("oauth-protected-resource/admin", "https://api.orders.example/admin", false),
        ("openid-configuration", "https://api.orders.example/", false),
    ])
    func comparesWithWhatTheAPICallsItself(document name: String, resource: String, isOne: Bool) throws {
        let base = try Recording(broken + ".near-miss").answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer"
        )
        var document = base.exchanges[0]
        document.request.url = RecordedURL("https://api.orders.example/.well-known/\(name)")
        document.response = RecordedResponse(
            status: 200,
            body: .json(#"{"issuer":"https://api.orders.example","resource":"\#(resource)"}"#)
        )
        let recording = Recording([document] + base.exchanges)
        #expect((recording.finding(rule)?.places.last == "0 response.body resource") == isOne)
        #expect((recording.finding(rule) != nil) == isOne)
    }

    @Test func leavesTheDevelopersMachineAlone() throws {
        let recording = try Recording(broken).editingLast("/orders") {
            $0.request.url = RecordedURL("http://localhost:3000/orders")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["00000003-0000-0000-c000-000000000000", "https://graph.microsoft.com"])
    func knowsTheGraph(audience: String) throws {
        let recording = try Recording(broken).withAudience(audience)
        #expect(recording.finding(rule) != nil)
        // Others cannot verify it, and speak of that.
        let words = "Bearer error=\"invalid_token\", error_description=\"The signature is invalid\""
        let unverified = recording.answering("/orders", header: "WWW-Authenticate", words)
        let finding = try #require(unverified.finding(rule))
        #expect(finding.isPrimary && finding.fix.contains("a scope of your own API"))
        #expect(unverified.finding("bearer-rejected") == nil)
        let local = unverified.editingLast("/orders") {
            $0.request.url = RecordedURL("http://localhost:3000/orders")
        }
        #expect(local.finding(rule) != nil)
        let graph = unverified.editingLast("/orders") {
            $0.request.url = RecordedURL("https://graph.microsoft.com/v1.0/orders")
        }
        #expect(graph.finding(rule) == nil && graph.finding("bearer-rejected") != nil)
    }

    @Test func leavesAcceptedCallsUserInfoAndOpaqueTokensAlone() throws {
        #expect(
            try Recording(broken).editingLast("/orders") { $0.response?.status = 200 }.finding(rule) == nil
        )
        let userInfo = try Recording(broken).editingLast("/orders") {
            $0.request.url = RecordedURL("https://id.harbour.example/userinfo")
        }
        #expect(userInfo.finding(rule) == nil)
        #expect(try Recording("resource-calls/bearer-rejected").finding(rule) == nil)
    }

    /// A token that was fetched for another audience than the security token service is set to.
    @Test(arguments: [
        ("invalid_grant", "The audience in ID Token [https://github.com/shop] does not match", true),
        ("access_denied", "Client is not within the token audience", true),
        ("invalid_request", "Audience not found: stock", false),
    ])
    func readsWhomAnExchangedTokenIsFor(error: String, words: String, fires: Bool) throws {
        let signed = try Recording(broken)
        let call = try #require(signed.exchanges.first { $0.request.url.path == "/orders" })
        let header = try #require(call.request.headers.first("authorization"))
        let recording = signed.without { $0.request.url.path == "/orders" }
            .sending("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
            .sending("code", nil).sending("code_verifier", nil).sending("redirect_uri", nil)
            .sending("subject_token", String(header.dropFirst("Bearer ".count)))
            .sending("audience", "stock")
            .answering("/token", 400, ["error": .string(error), "error_description": .string(words)])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.finding("resource-indicator-mismatch") == nil)
        if fires { #expect(recording.finding(rule)?.evidence[0].value == "https://api.stock.example") }
        // Of one that nobody can read the refusal tells what the provider says.
        let opaque = recording.sending("subject_token", "opaque-8675309")
        #expect(opaque.finding(rule) == nil)
        let unaddressed = "\(encoded("{}")).\(encoded(#"{"sub":"alice"}"#)).c2ln"
        #expect(recording.sending("subject_token", unaddressed).finding(rule) == nil)
        let title = "The provider says that the token to be exchanged is for somebody else"
        #expect(opaque.findings.contains { $0.title == title } == fires)
    }

    /// Entra, to an API that shows the token it was called with.
    @Test(arguments: [
        ("AADSTS500131: Assertion audience does not match the Client app presenting the assertion.", true),
        ("AADSTS500133: Assertion is not within its valid time range.", false),
    ])
    func readsWhomATokenIsForThatIsShownOnBehalf(words: String, fires: Bool) throws {
        let signed = try Recording(broken)
        let call = try #require(signed.exchanges.first { $0.request.url.path == "/orders" })
        let header = try #require(call.request.headers.first("authorization"))
        let recording = signed.without { $0.request.url.path == "/orders" }
            .sending("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            .sending("code", nil).sending("code_verifier", nil).sending("redirect_uri", nil)
            .sending("assertion", String(header.dropFirst("Bearer ".count)))
            .sending("requested_token_use", "on_behalf_of")
            .answering("/token", 400, ["error": "invalid_grant", "error_description": .string(words)])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.finding("token-invalid-grant") != nil)
        if fires { #expect(recording.finding(rule)?.evidence[0].value == "https://api.stock.example") }
        // One that nobody can read, one that is for the API, and one that is for nobody.
        let tokens = [#"{"aud":"shop-web"}"#, #"{"sub":"alice"}"#].map {
            "\(encoded("{}")).\(encoded($0)).c2ln"
        }
        for assertion in ["opaque-8675309"] + tokens {
            #expect(recording.sending("assertion", assertion).finding(rule) == nil)
        }
    }
}

extension Recording {
    /// With an access token for another audience, in the answer and in the calls.
    fileprivate func withAudience(_ audience: String) -> Recording {
        let claims = #"{"iss":"https://id.harbour.example","aud":"\#(audience)","sub":"alice"}"#
        let token = encoded(#"{"alg":"RS256"}"#) + "." + encoded(claims) + ".c2ln"
        return editingAnswer(of: "/token") { $0["access_token"] = .string(token) }.editingLast("/orders") {
            exchange in
            exchange.request.headers.replace("Authorization", with: "Bearer \(token)")
        }
    }
}
