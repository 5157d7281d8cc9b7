import Captures
import Flows
import LibCrypto
import OAuth
import Replay
import Testing

/// Failing logins recorded with a provider in memory, and the change that makes each of them work there.
struct FixSearchTests {
    private func search(_ client: ReplayWorld.Client, _ rules: [String]) async throws -> FixSearch.Result {
        let capture = try ReplayWorld().record(client)
        let flows = FlowFinder.flows(in: capture)
        let flow = try #require(flows.first)
        let plan = PlanBuilder(flow, siblings: flows).plan()
        let hypotheses = HypothesisFinder.hypotheses(
            for: plan,
            rules: rules,
            random: { SecureRandom.bytes($0) }
        )
        return await FixSearch(
            plan,
            hypotheses,
            ReplayWorld().environment,
            options: FlowDriver.Options(),
            works: { $0.ending == .success && $0.tokenRequests.allSatisfy(\.answer.isSuccess) }
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

    @Test func wrongSecretIsMendedByNoChangeOfForm() async throws {
        var client = ReplayWorld.Client()
        client.secret = "another-secret"
        let result = try await search(client, ["token-invalid-client"])
        #expect(result.fix == nil && result.attempts.map(\.hypothesis.id).contains("client-secret-post"))
    }
}

struct RequestAdjustmentTests {
    private func request(_ headers: [(String, String)], _ form: [(String, String)]) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL("https://idp.example/token"),
            headers: HeaderFields(headers),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
    }

    private func changed(
        _ request: RecordedRequest,
        _ change: (inout RequestAdjustments) -> Void
    ) -> (authorization: String?, form: QueryItems) {
        var adjustments = RequestAdjustments()
        change(&adjustments)
        let result = adjustments.applied(to: request, secret: nil)
        return (result.headers.first("authorization"), FormBody.items(of: result.body) ?? QueryItems())
    }

    @Test func basicBecomesPostAndBack() {
        let basic = request(
            [("Authorization", "Basic " + Base64.encode(Array("a b:s%26t".utf8)))],
            [("code", "1")]
        )
        let post = changed(basic) { $0.authentication = .secretPost }
        #expect(post.authorization == nil && post.form.first("client_id") == "a b")
        #expect(post.form.first("client_secret") == "s&t" && post.form.first("code") == "1")
        let body = request([], [("client_id", "a b"), ("client_secret", "s&t"), ("code", "1")])
        let header = changed(body) { $0.authentication = .secretBasic }
        #expect(header.authorization == "Basic " + Base64.encode(Array("a%20b:s%26t".utf8)))
        #expect(!header.form.contains("client_secret") && !header.form.contains("client_id"))
    }

    @Test func publicClientSendsItsIDAlone() {
        let basic = request(
            [("Authorization", "Basic " + Base64.encode(Array("app:secret".utf8)))],
            [("code", "1")]
        )
        let bare = changed(basic) { $0.authentication = ClientAuthentication.Method.none }
        #expect(bare.authorization == nil && bare.form.items.map(\.name) == ["code", "client_id"])
    }

    @Test func encodingOfCredentialsIsChosen() {
        let raw = request([("Authorization", "Basic " + Base64.encode(Array("app:a+b".utf8)))], [])
        #expect(
            changed(raw) { $0.encodesCredentials = false }.authorization
                == "Basic " + Base64.encode(Array("app:a b".utf8))
        )
    }

    @Test func parametersInAQueryBecomeAForm() {
        var adjustments = RequestAdjustments()
        adjustments.sendsForms = true
        let request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://idp.example/token?grant_type=authorization_code&code=1")
        )
        let result = adjustments.applied(to: request, secret: nil)
        #expect(result.method == "POST" && result.url.query == nil)
        #expect(FormBody.items(of: result.body)?.first("code") == "1")
    }
}
