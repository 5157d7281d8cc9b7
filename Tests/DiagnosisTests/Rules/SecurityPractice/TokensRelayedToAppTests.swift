import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct TokensRelayedToAppTests {
    private let rule = "tokens-relayed-to-app"
    private let broken = "security-practice/tokens-relayed-to-app"

    /// What the back end answers its app.
    private func answering(_ json: JSONValue) throws -> Recording {
        try Recording(broken).answering("/login/finish", 200, json)
    }

    @Test func namesTheTokens() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "2 response.body access_token", "2 response.body id_token", "2 request.url ",
            ]
        )
        #expect(finding.evidence[0].value.contains("…("))
    }

    /// .NET escapes a plus in JSON, and PHP a slash.
    @Test func namesATokenThatIsWrittenWithEscapes() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") {
            $0["access_token"] = "JCH0r0RE+zaKnXRRp6NMxvs/HOB5OcFt0=="
        }.editingLast("/login/finish") {
            $0.response?.body = .json(#"{"token":"JCH0r0RE\u002BzaKnXRRp6NMxvs\/HOB5OcFt0=="}"#)
        }
        #expect(recording.finding(rule)?.places == ["2 response.body access_token", "2 request.url "])
    }

    /// A few letters stand in any page.
    @Test(arguments: [("granted", false), ("granted8", true)])
    func shortTokenIsNotLookedFor(token: String, fires: Bool) throws {
        let recording = try answering(["status": .string(token)]).editingAnswer(of: "/token") {
            $0["access_token"] = .string(token)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesTokensOfTheAppsOwnAlone() throws {
        let own: JSONValue = [
            "access_token": "of-the-shops-own-making", "token_type": "Bearer", "expires_in": 60,
        ]
        #expect(try answering(own).finding(rule) == nil)
        // Without the provider's answer there is nothing to compare with.
        let unseen = try answering(own).without { $0.request.url.path == "/token" }
        #expect(unseen.finding(rule)?.places.first == "2 response.body access_token")
        let half = try answering(["access_token": "of-the-shops-own-making"])
            .without { $0.request.url.path == "/token" }
        #expect(half.finding(rule) == nil)
        let session = try answering(["session": "x"]).without { $0.request.url.path == "/token" }
        #expect(session.finding(rule) == nil)
    }

    @Test func leavesAnAppThatFetchesItsTokensItselfAlone() throws {
        #expect(try Recording("healthy/native-app").finding(rule) == nil)
    }

    @Test func leavesPagesAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/login/finish" else { return }
            exchange.request.headers.replace("User-Agent", with: "Mozilla/5.0 (X11; Linux x86_64)")
        }
        #expect(recording.finding(rule) == nil)
    }
}
