import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenMissingTests {
    private let rule = "id-token-missing"
    private let broken = "token-response/id-token-missing"

    @Test func namesTheSignOfIntentTheScopesAndTheMembers() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query nonce", "1 request.query scope", "4 response.body scope",
                "4 response.body id_token",
            ]
        )
        #expect(finding.evidence[3].value == "access_token, token_type, expires_in, refresh_token, scope")
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func theScopeOpenIDIsIntentEnough() throws {
        let finding = try #require(
            Recording(broken).asking("nonce", nil).asking("scope", "openid").finding(rule)
        )
        #expect(finding.places.first == "1 request.query scope")
    }

    @Test(arguments: ["max_age", "acr_values", "id_token_hint", "claims"])
    func whatOpenIDConnectAloneDefinesIsIntent(name: String) throws {
        let recording = try Recording(broken).asking("nonce", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.asking(name, "1").finding(rule) != nil)
    }

    /// AppAuth makes a nonce for every request; metadata of OpenID Connect show that it is meant.
    @Test(arguments: [
        ([], false), (["userinfo_endpoint"], true), (["id_token_signing_alg_values_supported"], true),
    ])
    func nonceOfAnAppOnADeviceIsAHabit(members: [String], fires: Bool) throws {
        let login = try Recording("healthy/native-app").asking("scope", "orders")
            .without { ["/userinfo", "/jwks"].contains($0.request.url.path) }
            .editingAnswer(of: "/token") { answer in
                answer.members.removeAll { ["id_token", "scope"].contains($0.name) }
            }
        let recording = login.editingAnswer(of: "/.well-known/openid-configuration") { metadata in
            metadata.members.removeAll { member in
                ["userinfo_endpoint", "id_token_signing_alg_values_supported"].contains(member.name)
                    && !members.contains(member.name)
            }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func aCallOfTheUserInfoEndpointIsIntent() throws {
        var recording = try Recording(broken).asking("nonce", nil)
        let healthy = try Recording("healthy/web-code-flow").exchanges
        let token = try #require(recording.flows.first?.tokenRequests.first?.accessToken)
        let call = try #require(healthy.first { $0.request.url.path == "/userinfo" })
        recording.exchanges.append(call)
        recording = recording.editingLast("/userinfo") { exchange in
            exchange.request.headers.replace("Authorization", with: "Bearer \(token)")
            exchange.startedAt = recording.exchanges[4].startedAt + .seconds(1)
        }
        #expect(recording.finding(rule) == nil)
        #expect(try recording.withMetadata().finding(rule)?.severity == .warning)
    }

    @Test func isAWarningWhereTheAppWentOn() throws {
        let recording = try Recording(broken).goingOn
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAHybridFlowAlone() throws {
        #expect(try Recording(broken).asking("response_type", "code id_token").finding(rule) == nil)
    }

    /// Clients of the Model Context Protocol ask for the scopes that the server names, and have no use for an ID token.
    @Test(arguments: [true, false]) func leavesALoginForMCPAlone(isOfMCP: Bool) throws {
        let recording = try Recording("discovery/authorization-server-not-listed.near-miss")
            .editingAnswer(of: "/token") { $0["id_token"] = nil }
            .editing { exchange in
                if !isOfMCP, exchange.request.url.path == "/mcp" { exchange.request.body = nil }
            }
        #expect((recording.finding(rule) == nil) == isOfMCP)
    }

    @Test func aNullIsMissing() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["id_token"] = .null }.finding(rule) != nil
        )
    }

    @Test func leavesOtherGrantsAlone() throws {
        #expect(try Recording(broken).sending("grant_type", "refresh_token").finding(rule) == nil)
    }

    @Test func abstainsWithoutTheAnswerOrTheRequest() throws {
        let recording = try Recording(broken)
        #expect(recording.withoutBodies(of: "/token").finding(rule) == nil)
        #expect(recording.withoutAuthorization.finding(rule) == nil)
        #expect(recording.withoutAuthorization.abstention(rule) != nil)
    }
}
