import Captures
import Flows
import JOSE
import OAuth
import Replay
import Synchronization
import TestSupport
import Testing

/// Logins recorded with a provider in memory, driven again at another one of the same configuration.
struct FlowDriverTests {
    private func statuses(_ exchanges: [Exchange]) -> [Int] { exchanges.map { $0.response?.status ?? 0 } }

    private func recorded(_ capture: Capture) -> [Exchange] { capture.indices.map { capture[$0] } }

    private static let clients: [(String, ReplayWorld.Client)] = {
        var post = ReplayWorld.Client()
        post.usesBasic = false
        var publicClient = ReplayWorld.Client()
        publicClient.id = "app"
        publicClient.secret = nil
        var formPost = ReplayWorld.Client()
        formPost.responseMode = "form_post"
        return [
            ("basic", ReplayWorld.Client()), ("post", post), ("public", publicClient),
            ("form_post", formPost),
        ]
    }()

    @Test(arguments: clients.indices)
    func healthyLoginIsDrivenToItsEndWithFreshValues(_ index: Int) async throws {
        let client = Self.clients[index].1
        let capture = try ReplayWorld().record(client)
        let world = ReplayWorld(startingAt: 1_790_000_000)
        let run = try await world.replay(capture)

        #expect(run.isComplete, "\(run.results) \(String(describing: run.stop))")
        #expect(statuses(run.exchanges) == statuses(recorded(capture)))
        let flow = try #require(FlowFinder.flows(in: Capture(run.exchanges)).first)
        #expect(flow.ending == .success)
        let old = try #require(FlowFinder.flows(in: capture).first)
        let (was, new) = (old.authorizationRequests[0], flow.authorizationRequests[0])
        #expect(was.state != new.state && was.nonce != new.nonce && was.codeChallenge != new.codeChallenge)
        #expect(was.state?.utf8.count == new.state?.utf8.count)
        #expect(flow.idTokens.first?.token.nonce == new.nonce)
        // Nothing of the recording's own session is sent to the provider once more.
        let sent = world.asked.withLock { $0 }.map { "\($0.url) \($0.headers.fields) \($0.body?.text ?? "")" }
        let secrets = old.links.filter { !["client_secret", "access_token"].contains($0.name) }.map(
            \.origin.value
        )
        #expect(secrets.count { $0.utf8.count > 12 } > 3)
        for secret in secrets where secret.utf8.count > 12 {
            #expect(!sent.contains { $0.contains(secret) }, "\(secret) was sent again")
        }
    }

    /// curl and many a library take anything, and walk through pages all the same.
    @Test(arguments: [nil, "form_post"] as [String?])
    func loginOfAProgramThatTakesAnythingIsDriven(responseMode: String?) async throws {
        var client = ReplayWorld.Client()
        client.accept = "*/*"
        client.responseMode = responseMode
        let capture = try ReplayWorld().record(client)
        let run = try await ReplayWorld().replay(capture)
        #expect(run.isComplete, "\(run.results) \(String(describing: run.stop))")
        #expect(statuses(run.exchanges) == statuses(recorded(capture)))
    }

    @Test(
        arguments: [
            ("X-Requested-With", "XMLHttpRequest", "text/html", false),
            ("Sec-Fetch-Mode", "cors", "text/html", false), ("Sec-Fetch-Mode", "navigate", "text/html", true),
            ("User-Agent", "curl", "application/json", false), ("User-Agent", "curl", "text/html", true),
        ]
    )
    func whoTakesAnythingIsAScriptOnlyWhereSomethingElseSaysSo(
        header: String,
        value: String,
        answer: String,
        isNavigation: Bool
    ) throws {
        var client = ReplayWorld.Client()
        client.accept = "*/*"
        client.password = "red-queen"
        let recorded = try ReplayWorld().record(client)
        let exchanges = recorded.indices.map { index in
            var exchange = recorded[index]
            guard exchange.request.method == "POST" else { return exchange }
            exchange.request.url = RecordedURL(ReplayWorld.issuer + "/signin")
            exchange.request.headers.append(header, value)
            exchange.response?.body = Body(text: "{}", mediaType: answer)
            return exchange
        }
        let flow = try #require(FlowFinder.flows(in: Capture(exchanges)).first)
        let plan = PlanBuilder(flow, siblings: [flow], options: PlanOptions()).plan()
        let step = try #require(plan.steps.first { $0.request.method == "POST" })
        #expect(step.isNavigation == isNavigation)
    }

    @Test func secondRunIsAsGoodAsTheFirst() async throws {
        let capture = try ReplayWorld().record()
        let world = ReplayWorld()
        for _ in 0..<3 {
            let run = try await world.replay(capture)
            #expect(run.isComplete && statuses(run.exchanges) == statuses(recorded(capture)))
        }
    }

    @Test func runIsACaptureThatCanBeReplayed() async throws {
        let capture = try ReplayWorld().record()
        let first = try await ReplayWorld().replay(capture)
        let second = try await ReplayWorld().replay(Capture(first.exchanges))
        #expect(second.isComplete && statuses(second.exchanges) == statuses(first.exchanges))
    }

    // MARK: - Mistakes are made again

    @Test func slashAtTheEndOfTheRedirectURIFailsAgain() async throws {
        var client = ReplayWorld.Client()
        client.tokenRedirectURI += "/"
        let capture = try ReplayWorld().record(client)
        let run = try await ReplayWorld().replay(capture)
        #expect(statuses(run.exchanges) == statuses(recorded(capture)))
        #expect(statuses(run.exchanges).contains(400))
    }

    /// The recorded provider refused the challenge, and there is no verifier to make one of.
    @Test(arguments: [
        "hmez5dARlqOHzu_t86aEELAJ-qwpWVsw9bWKWBuEfLo=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSst",
    ])
    func challengeThatIsNoHashIsMadeAgainWithoutAVerifier(_ challenge: String) async throws {
        var client = ReplayWorld.Client()
        client.makeChallenge = { _ in challenge }
        let login = try ReplayWorld().record(client)
        let isRedeemed = { (exchange: Exchange) in exchange.request.url.path.hasSuffix("/token") }
        let capture = Capture(recorded(login).filter { !isRedeemed($0) })
        let run = try await ReplayWorld().replay(capture)
        let flow = try #require(FlowFinder.flows(in: Capture(run.exchanges)).first)
        let sent = try #require(flow.authorizationRequests.first?.codeChallenge)
        #expect(sent != challenge && sent.utf8.count == challenge.utf8.count)
        #expect(sent.hasSuffix("=") == challenge.hasSuffix("="))
    }

    @Test func paddedChallengeIsMadeAgain() async throws {
        var client = ReplayWorld.Client()
        client.makeChallenge = { ReplayWorld.CodeChallengeCoding.padded($0) }
        let capture = try ReplayWorld().record(client)
        let run = try await ReplayWorld().replay(capture)
        let flow = try #require(FlowFinder.flows(in: Capture(run.exchanges)).first)
        let challenge = try #require(flow.authorizationRequests.first?.codeChallenge)
        let verifier = try #require(flow.tokenRequests.first?.codeVerifier)
        // A hash without + and / looks the same in both alphabets.
        let relation = CodeChallenge.relation(of: challenge, to: verifier)
        #expect(relation == .base64 || relation == .padded)
        #expect(flow.tokenRequests.first?.answer.status == 400)
    }

    @Test func codeSpentTwiceIsSpentTwiceAgain() async throws {
        var client = ReplayWorld.Client()
        client.redeemsTwice = true
        let capture = try ReplayWorld().record(client)
        let run = try await ReplayWorld().replay(capture)
        let flow = try #require(FlowFinder.flows(in: Capture(run.exchanges)).first)
        let codes = flow.tokenRequests.filter(\.isCodeExchange)
        #expect(codes.count == 2 && codes[0].code == codes[1].code)
        #expect(codes.map(\.answer.status) == [200, 400])
    }

    @Test func codeSpentTooLateIsWaitedForAgain() async throws {
        var client = ReplayWorld.Client()
        client.delay = 90
        let capture = try ReplayWorld().record(client)
        let world = ReplayWorld()
        let run = try await world.replay(capture)
        #expect(statuses(run.exchanges) == statuses(recorded(capture)))
        #expect(world.slept.withLock { $0.contains { $0 >= .seconds(90) } })
    }

    @Test func wrongPasswordIsTypedAgain() async throws {
        var client = ReplayWorld.Client()
        client.password = "red-queen"
        let capture = try ReplayWorld().record(client)
        let run = try await ReplayWorld().replay(capture)
        #expect(statuses(run.exchanges) == statuses(recorded(capture)))
        let last = try #require(run.exchanges.last)
        #expect(last.response?.body?.text?.contains("Name or password is wrong") ?? false)
    }

    // MARK: - Secrets

    @Test func givenSecretTakesThePlaceOfTheRecorded() async throws {
        var client = ReplayWorld.Client()
        client.password = "red-queen"
        let capture = try ReplayWorld().record(client)
        let credentials = ReplayCredentials(values: ["password": "wonderland"])
        let run = try await ReplayWorld().replay(capture, credentials: credentials)
        #expect(run.exchanges.last?.response?.location?.contains("code=") ?? false)
    }

    @Test func blankedSecretIsNamedAndNotSent() async throws {
        var client = ReplayWorld.Client()
        client.password = "[REDACTED]"
        let capture = try ReplayWorld().record(client)
        let world = ReplayWorld()
        let run = try await world.replay(capture)
        #expect(run.results.last == .failed(.secretMissing("password")))
        #expect(!world.asked.withLock { $0 }.contains { $0.method == "POST" })
        #expect(run.plan.secrets.contains { $0.name == "password" && !$0.isRecorded })
    }

    // MARK: - Elsewhere

    @Test func mappedProviderIsAskedInPlaceOfTheRecorded() async throws {
        let capture = try ReplayWorld().record()
        let issuer = "http://127.0.0.1:8090/other"
        let world = ReplayWorld(issuer: issuer)
        let map = EndpointMap([.init(old: ReplayWorld.issuer, new: issuer)])
        let run = try await world.replay(capture, map: map)
        #expect(run.isComplete && statuses(run.exchanges) == statuses(recorded(capture)))
        #expect(world.asked.withLock { $0 }.allSatisfy { $0.url.text.hasPrefix(issuer) })
    }

    @Test func scopeThatLooksLikeAnAddressStaysAsItIs() async throws {
        var client = ReplayWorld.Client()
        let scope = "https://apis.example/auth/calendar"
        client.asks = [("scope", scope)]
        let capture = try ReplayWorld().record(client)
        let issuer = "http://127.0.0.1:8090/other"
        let world = ReplayWorld(issuer: issuer)
        let map = EndpointMap([
            .init(old: ReplayWorld.issuer, new: issuer), .init(old: "https://apis.example", new: issuer),
        ])
        _ = try await world.replay(capture, map: map)
        let asked = world.asked.withLock { $0 }.first { $0.url.path.hasSuffix("/authorize") }
        #expect(asked?.url.queryItems.first("scope") == scope)
    }

    @Test func strangerIsNeverContacted() async throws {
        let capture = try ReplayWorld().record()
        let world = ReplayWorld()
        let flow = try #require(FlowFinder.flows(in: capture).first)
        var environment = world.environment
        environment.send = { request in
            guard request.url.path.hasSuffix("/authorize"), request.method == "GET" else {
                return world.exchange(request)
            }
            return Exchange(
                startedAt: world.now,
                request: request,
                response: RecordedResponse(
                    status: 302,
                    headers: HeaderFields([("Location", "https://stranger.example/steal?x=1")])
                )
            )
        }
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let run = await FlowDriver(plan, environment).run()
        #expect(run.stop == .leadsElsewhere(url: "https://stranger.example/steal"))
        #expect(!run.exchanges.contains { $0.request.url.host == "stranger.example" })
    }

    /// With the app's host allowed the app is asked first, wherever it is now.
    @Test(
        arguments: [
            ([], nil, false), (["shop.example"], nil, true),
            (["shop.example"], "http://127.0.0.1:3999", true),
        ]
            as [([String], String?, Bool)]
    )
    func whoIsNotThereIsKnown(hosts: [String], moved: String?, isApp: Bool) async throws {
        let app = "https://shop.example"
        let flows = FlowFinder.flows(in: CaptureBuilder.loginBegun(at: app))
        let options = PlanOptions(allowedHosts: hosts)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows, options: options).plan()
        let now = Timestamp(seconds: 1_780_000_000)
        let environment = FlowDriver.Environment(
            send: { Exchange(startedAt: now, request: $0, failure: "ECONNREFUSED: connection refused") },
            clock: { now },
            sleep: { _ in },
            random: { Array(repeating: 7, count: $0) }
        )
        let map = EndpointMap(moved.map { [.init(old: app, new: $0)] } ?? [])
        let driving = FlowDriver.Options(map: map, plan: options)
        let run = await FlowDriver(plan, environment, options: driving).run()
        #expect(run.unreachable?.hasPrefix("ECONNREFUSED") == true && run.beginsAtTheApp == isApp)
        #expect(moved == nil || run.exchanges.first?.request.url.text == "\(moved ?? "")/login")
    }

    @Test func overriddenParameterIsSentAndAnAddedOne() async throws {
        let capture = try ReplayWorld().record()
        let world = ReplayWorld()
        let options = PlanOptions(overrides: [
            "scope": "openid", "authorization_request.prompt": "login",
            "token_request.audience": "https://api.example",
        ])
        _ = try await world.replay(capture, options: options)
        let asked = world.asked.withLock { $0 }
        let authorization = try #require(asked.first { $0.url.path.hasSuffix("/authorize") })
        #expect(authorization.url.queryItems.first("scope") == "openid")
        #expect(authorization.url.queryItems.first("prompt") == "login")
        let token = try #require(asked.first { $0.url.path.hasSuffix("/token") })
        #expect(FormBody.items(of: token.body)?.first("audience") == "https://api.example")
    }
}
