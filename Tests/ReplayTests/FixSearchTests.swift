import Captures
import Flows
import Foundation
import LibCrypto
import OAuth
import Replay
import TestSupport
import Testing

/// Failing logins recorded with a provider in memory, and the change that makes each of them work there.
struct FixSearchTests {
    /// `hiccup`: the error that the recorded token request was answered with, whatever was in it; `isReached`: whether anybody answers
    /// the search.
    private func search(
        _ client: ReplayWorld.Client,
        _ rules: [String],
        hiccup: String? = nil,
        isReached: Bool = true
    ) async throws -> FixSearch.Result {
        let capture = try ReplayWorld(refusal: { _ in hiccup }).record(client)
        let flows = FlowFinder.flows(in: capture)
        let flow = try #require(flows.first)
        let plan = PlanBuilder(flow, siblings: flows).plan()
        let hypotheses = HypothesisFinder.hypotheses(
            for: plan,
            rules: rules,
            random: { SecureRandom.bytes($0) }
        )
        var environment = ReplayWorld().environment
        if !isReached {
            environment.send = { request in
                Exchange(
                    startedAt: Timestamp(seconds: 1_790_000_000),
                    request: request,
                    failure: "net::ERR_CONNECTION_REFUSED"
                )
            }
        }
        return await FixSearch(
            plan,
            hypotheses,
            environment,
            options: FlowDriver.Options(),
            judge: { flow in
                flow.ending == .success && flow.tokenRequests.allSatisfy(\.answer.isSuccess)
                    ? .works : .fails(LoginFailure(of: flow, rule: rules.first))
            }
        ).run()
    }

    @Test func slashIsTakenFromTheRedirectURI() async throws {
        var client = ReplayWorld.Client()
        client.tokenRedirectURI += "/"
        let result = try await search(client, ["redirect-uri-token-mismatch"])
        let fix = try #require(result.fix)
        #expect(fix.hypothesis.id == "redirect-uri-as-asked" && result.attempts.count == 1)
        #expect(fix.flow?.tokenRequests.first?.redirectURI == ReplayWorld.redirectURI)
    }

    @Test func challengeIsMadeAsItShouldBe() async throws {
        var client = ReplayWorld.Client()
        client.makeChallenge = { ReplayWorld.CodeChallengeCoding.padded($0) }
        let result = try await search(client, ["pkce-verifier-mismatch"])
        #expect(result.fix?.hypothesis.id == "pkce-s256")
    }

    @Test func codeIsUsedOnce() async throws {
        var client = ReplayWorld.Client()
        client.redeemsTwice = true
        let result = try await search(client, ["code-reused"])
        #expect(result.fix?.hypothesis.id.hasPrefix("once-") ?? false)
    }

    @Test func codeIsUsedInTime() async throws {
        var client = ReplayWorld.Client()
        client.delay = 90
        let result = try await search(client, ["code-expired"])
        #expect(result.fix?.hypothesis.id == "in-time")
    }

    @Test func usualMistakeIsFoundWithoutAnyFinding() async throws {
        var client = ReplayWorld.Client()
        client.tokenRedirectURI = ReplayWorld.redirectURI + "?x=1"
        let result = try await search(client, [])
        #expect(result.fix?.hypothesis.id == "redirect-uri-as-asked")
    }

    @Test func twoMistakesNeedTwoChanges() async throws {
        var client = ReplayWorld.Client()
        client.tokenRedirectURI += "/"
        client.makeChallenge = { ReplayWorld.CodeChallengeCoding.padded($0) }
        let result = try await search(client, ["redirect-uri-token-mismatch", "pkce-verifier-mismatch"])
        let fix = try #require(result.fix)
        #expect(fix.hypothesis.id == "redirect-uri-as-asked+pkce-s256")
        #expect(result.attempts.dropLast().allSatisfy { !$0.works })
    }

    @Test func loginThatWorksByNowNeedsNoChange() async throws {
        let result = try await search(
            ReplayWorld.Client(),
            ["pkce-required"],
            hiccup: "temporarily_unavailable"
        )
        #expect(result.unchanged?.reach == .end && result.attempts.isEmpty && result.fix == nil)
        #expect(result.runs.count == 1)
    }

    @Test func failingLoginIsDrivenUnchangedFirst() async throws {
        var client = ReplayWorld.Client()
        client.redeemsTwice = true
        let result = try await search(client, ["code-reused"])
        let unchanged = try #require(result.unchanged)
        #expect(!unchanged.works && unchanged.hypothesis.changes.isEmpty)
        #expect(unchanged.failure?.rule == "code-reused" && result.fix?.failure == nil)
        #expect(result.runs.count == result.attempts.count + 1)
    }

    @Test func challengeThatIsRightIsNoMistake() async throws {
        var client = ReplayWorld.Client()
        client.secret = "another-secret"
        let result = try await search(client, ["pkce-required", "pkce-verifier-mismatch"])
        #expect(!result.attempts.contains { $0.hypothesis.id.contains("pkce") })
    }

    @Test func nothingIsTriedWhereNobodyAnswers() async throws {
        var client = ReplayWorld.Client()
        client.tokenRedirectURI += "/"
        let result = try await search(client, ["redirect-uri-token-mismatch"], isReached: false)
        #expect(result.unreachable == "net::ERR_CONNECTION_REFUSED")
        #expect(result.attempts.isEmpty && result.runs.count == 1 && !result.isInterrupted)
    }

    @Test func wrongSecretIsMendedByNoChangeOfForm() async throws {
        var client = ReplayWorld.Client()
        client.secret = "another-secret"
        let result = try await search(client, ["token-invalid-client"])
        #expect(result.fix == nil && result.attempts.map(\.hypothesis.id).contains("client-secret-post"))
    }

    // MARK: - Requests that are like that already

    private func changes(_ capture: Capture, _ rule: String) throws -> [String] {
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        return HypothesisFinder.hypotheses(for: plan, rules: [rule], random: { SecureRandom.bytes($0) }).map(
            \.id
        )
    }

    @Test(
        arguments: [
            ("unsupported-grant-type", [], "response-type-code", false),
            ("silent-login-required", [], "without-prompt", false),
            ("silent-login-required", [("prompt", "none")], "without-prompt", true),
            ("resource-indicator-mismatch", [], "without-resource", false),
            ("resource-indicator-mismatch", [("resource", "https://api.example/")], "without-resource", true),
        ] as [(String, [(String, String)], String, Bool)]
    )
    func whatIsNotAskedIsNotLeftOut(rule: String, asks: [(String, String)], change: String, isTried: Bool)
        throws
    {
        var client = ReplayWorld.Client()
        client.asks = asks
        #expect(try changes(ReplayWorld().record(client), rule).contains(change) == isTried)
    }

    /// A service that gets tokens for itself sends no authorization request.
    @Test func requestThatIsNotThereIsNotChanged() throws {
        let path = Fixtures.root.appending(path: "captures/token-request/unsupported-grant-type.har").path
        #expect(try changes(CaptureReader.read(path: path), "unsupported-grant-type").isEmpty)
    }
}
