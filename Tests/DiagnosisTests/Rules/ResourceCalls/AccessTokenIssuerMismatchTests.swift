import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AccessTokenIssuerMismatchTests {
    private let rule = "access-token-issuer-mismatch"
    private let broken = "resource-calls/access-token-issuer-mismatch"

    @Test func namesIssuerAndAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["6 jwt.claims iss", "6 request.url ", "6 response.header WWW-Authenticate"]
        )
        #expect(finding.evidence[0].value == "https://id.harbour.example")
    }

    @Test func leavesAnotherReasonAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "IDX10205: Issuer validation failed", "jwt issuer invalid. expected: x",
        "unexpected \"iss\" claim value",
        "The iss claim is not valid", "Invalid token issuer. Expected 'x'",
    ])
    func knowsTheWords(words: String) throws {
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.answering("/orders", 401, ["message": .string(words)]).finding(rule) != nil)
    }

    /// As .NET writes an apostrophe in JSON.
    @Test func knowsTheWordsWithEscapes() throws {
        let recording = try Recording(broken).answering("/orders", header: "WWW-Authenticate", nil)
            .editingLast("/orders") {
                $0.response?.body = .json(#"{"message":"The \u0027iss\u0027 value is not known here"}"#)
            }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// With the API's own metadata, and an answer without a reason.
    private func listing(_ servers: String, of resource: String = "https://api.orders.example") throws
        -> Recording
    {
        let base = try Recording(broken).answering("/orders", header: "WWW-Authenticate", "Bearer")
        var document = base.exchanges[0]
        document.request.url = RecordedURL(resource + "/.well-known/oauth-protected-resource")
        document.response = RecordedResponse(
            status: 200,
            body: Body(
                text: #"{"resource":"\#(resource)","authorization_servers":\#(servers)}"#,
                mediaType: "application/json"
            )
        )
        return Recording([document] + base.exchanges)
    }

    @Test func readsTheAPIsList() throws {
        let finding = try #require(listing(#"["https://id.other.example"]"#).finding(rule))
        #expect(finding.places[1] == "0 response.body authorization_servers")
        #expect(
            try listing(#"["https://id.other.example","https://id.harbour.example/"]"#).finding(rule) == nil
        )
        #expect(try listing("[]").finding(rule) == nil)
        let other = try listing(#"["https://id.other.example"]"#, of: "https://api.stock.example")
        #expect(other.finding(rule) == nil)
    }

    /// Keycloak's UserInfo, called below `address`, refuses a token that `https://id.harbour.example/realms/shop` issued.
    private func keycloak(_ address: String, _ words: String) throws -> Recording {
        let realm = "https://id.harbour.example/realms/shop"
        let endpoints = realm + "/protocol/openid-connect"
        let token =
            encoded(#"{"alg":"RS256"}"#) + "." + encoded(#"{"iss":"\#(realm)","sub":"alice"}"#) + ".c2ln"
        let places = [
            ("https://id.harbour.example/authorize", endpoints + "/auth"),
            ("https://id.harbour.example/token", endpoints + "/token"),
            ("https://api.orders.example/orders", address + "/protocol/openid-connect/userinfo"),
        ]
        func moved(_ text: String) -> String { places.reduce(text) { $0.replacing($1.0, with: $1.1) } }
        return try Recording(broken)
            .editingAnswer(of: "/token") { $0["access_token"] = .string(token) }
            .sendingHeader("Authorization", "Bearer \(token)", to: "/orders")
            .answering("/orders", 401)
            .answering(
                "/orders",
                header: "WWW-Authenticate",
                #"Bearer realm="shop", error="invalid_token", error_description="\#(words)""#
            )
            .editing { exchange in
                exchange.request.url = RecordedURL(moved(exchange.request.url.text))
                if let location = exchange.response?.location {
                    exchange.response?.redirect(to: moved(location))
                }
            }
    }

    /// Browser and server reach one Keycloak under two names.
    @Test(arguments: [
        ("http://keycloak:8080/realms/shop", "Token verification failed", true),
        ("http://keycloak:8080/realms/shop", "User session not found", false),
        ("http://keycloak:8080/realms/shop", "Token verification failed: Invalid token signature", false),
        ("http://keycloak:8080/realms/other", "Token verification failed", false),
        ("https://id.harbour.example/realms/shop", "Token verification failed", false),
    ])
    func readsTheTwoNamesOfAKeycloak(address: String, words: String, isNamed: Bool) throws {
        let recording = try keycloak(address, words)
        let finding = recording.finding(rule)
        #expect((finding != nil) == isNamed)
        #expect((recording.finding("bearer-rejected") == nil) == isNamed)
        guard isNamed else { return }
        #expect(finding?.isPrimary == true)
        #expect(
            finding?.places == ["6 jwt.claims iss", "6 request.url ", "6 response.header WWW-Authenticate"]
        )
        #expect(finding?.title.hasPrefix("UserInfo was called under another name") == true)
    }

    /// A token that was good at the very address, or had run out, is refused for something else.
    @Test(arguments: [
        ("", true), ("run out", false), ("http://keycloak:8080/realms/shop", false),
        ("https://id.harbour.example/realms/shop", true),
    ])
    func tokenThatAKeycloakTookThereHasNoOtherName(before: String, isNamed: Bool) throws {
        var recording = try keycloak("http://keycloak:8080/realms/shop", "Token verification failed")
        let path = "/protocol/openid-connect/userinfo"
        var call = try #require(recording.exchanges.last { $0.request.url.path.hasSuffix(path) })
        if before == "run out" {
            recording = recording.editingLast(call.request.url.path) {
                $0.startedAt = $0.startedAt + .seconds(90_000)
            }
        } else if !before.isEmpty {
            call.startedAt = call.startedAt - .milliseconds(50)
            call.request.url = RecordedURL(before + path)
            call.response = RecordedResponse(status: 200, body: .json(#"{"sub":"alice"}"#))
            recording.exchanges.append(call)
        }
        #expect((recording.finding(rule) != nil) == isNamed)
    }

    @Test func leavesAKeycloakAloneWhoseProxyEndsHTTPS() throws {
        let recording = try keycloak("http://id.harbour.example/realms/shop", "Token verification failed")
        let path = "/realms/shop/protocol/openid-connect/userinfo"
        #expect(recording.finding(rule) != nil)
        #expect(recording.sendingHeader("X-Forwarded-Proto", "https", to: path).finding(rule) == nil)
    }

    @Test func leavesAcceptedCallsAndOpaqueTokensAlone() throws {
        #expect(
            try Recording(broken).editingLast("/orders") { $0.response?.status = 200 }.finding(rule) == nil
        )
        let opaque = try Recording("resource-calls/bearer-rejected").answering(
            "/orders",
            401,
            ["m": "jwt issuer invalid"]
        )
        #expect(opaque.finding(rule) == nil)
    }
}
