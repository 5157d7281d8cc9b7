import Captures
import Flows
import OAuth
import Replay
import Synchronization
import Testing

/// Pairs of logins at a provider in memory, of which the second does some things otherwise, and some of them matter.
struct FlowBisectionTests {
    private func pair(_ change: (inout ReplayWorld.Client) -> Void) throws -> BisectedPair {
        var client = ReplayWorld.Client()
        change(&client)
        return try BisectedPair(ReplayWorld.Client(), client)
    }

    /// The labels of the smallest set, and how many logins it took.
    private func cause(
        _ pair: BisectedPair,
        guesses: Bool = true
    ) async -> (labels: [String], drives: Int, result: FlowBisection.Result) {
        let result = await pair.bisect(guesses: guesses)
        return (pair.labels(of: result.set), result.drives, result)
    }

    @Test(arguments: [true, false])
    func oneOfFiveMatters(_ guesses: Bool) async throws {
        let pair = try pair {
            $0.tokenRedirectURI += "/"
            $0.asks = [("scope", "openid profile offline_access"), ("display", "touch"), ("prompt", "login")]
            $0.browser = "Mozilla/5.0 (Windows NT 10.0) Test/2"
        }
        #expect(pair.changes.count == 5, "\(pair.labels)")
        let (labels, drives, result) = await cause(pair, guesses: guesses)
        #expect(labels == ["token_request redirect_uri"] && result.ending == .found && result.isMinimal)
        // The login that works, all that is otherwise, and the search.
        #expect(guesses ? drives == 3 : drives <= 8, "\(drives)")
        #expect(result.proof?.failure?.rule == "redirect-uri-token-mismatch")
        #expect(result.good?.trial.flow?.ending == .success)
    }

    @Test func challengeThatIsMadeWronglyIsFound() async throws {
        let pair = try pair {
            $0.makeChallenge = { ReplayWorld.CodeChallengeCoding.padded($0) }
            $0.asks = [("ui_locales", "de"), ("login_hint", "alice")]
            $0.browser = "Mozilla/5.0 (Windows NT 10.0) Test/2"
        }
        let (labels, _, result) = await cause(pair)
        #expect(
            labels == ["authorization_request code_challenge"],
            "\(pair.labels) \(result.attempts.map(\.outcome))"
        )
    }

    @Test func oneRunPerSet() async throws {
        let pair = try pair {
            $0.tokenRedirectURI += "/"
            $0.asks = [("ui_locales", "de"), ("display", "touch"), ("prompt", "login"), ("max_age", "60")]
            $0.backend = "shop-backend/2.0"
        }
        let result = await pair.bisect(guesses: false)
        let sets = result.attempts.map(\.set)
        #expect(Set(sets).count == sets.count && sets.count == result.drives)
    }

    @Test func spentCodeLateCodeAndWrongPasswordAreFound() async throws {
        let twice = try pair {
            $0.redeemsTwice = true
            $0.asks = [("ui_locales", "de")]
        }
        let late = try pair {
            $0.delay = 90
            $0.asks = [("ui_locales", "de")]
        }
        let password = try pair {
            $0.password = "looking-glass"
            $0.asks = [("ui_locales", "de")]
        }
        for (pair, label) in [
            (twice, "token_request step"), (late, "token_request pause"),
            (password, "user_interaction password"),
        ] {
            let (labels, _, result) = await cause(pair)
            #expect(labels == [label], "\(label): \(result.ending) \(result.attempts.map(\.failure))")
        }
    }

    @Test func credentialsAreFound() async throws {
        let secret = try pair {
            $0.secret = "quite-another-secret"
            $0.asks = [("ui_locales", "de")]
        }
        let verifier = try pair {
            $0.redeems = [("code_verifier", String(repeating: "Zy9", count: 15))]
            $0.asks = [("ui_locales", "de")]
        }
        let code = try pair {
            $0.respells = { String($0.dropLast()) }
            $0.asks = [("ui_locales", "de")]
        }
        for (pair, label) in [
            (secret, "token_request client_secret"), (verifier, "token_request code_verifier"),
            (code, "token_request code"),
        ] {
            let (labels, _, result) = await cause(pair)
            #expect(
                labels == [label],
                "\(label): \(result.ending) \(pair.labels) \(result.attempts.map(\.failure))"
            )
        }
    }

    /// Form-decoded it would be another secret (RFC 6749, section 2.3.1); half of the field sends it as it is.
    @Test func secretThatTheClientDoesNotEncodeIsSentAsItIs() async throws {
        let pair = try pair { $0.secret = "quite+another" }
        let world = ReplayWorld(startingAt: 1_790_000_000)
        let result = await pair.bisect(at: world)
        #expect(pair.labels(of: result.set) == ["token_request client_secret"])
        let sent = world.asked.withLock { $0.compactMap { $0.headers.first("authorization") } }
        #expect(sent.contains("Basic " + Base64.encode(Array("shop:quite+another".utf8))))
        #expect(!sent.contains("Basic " + Base64.encode(Array("shop:quite%20another".utf8))))
    }

    /// A server that takes `resource` alone, refuses `audience` alone in one way, and both together in another.
    @Test(arguments: [true, false])
    func twoThatOnlyTogetherFailAreFoundTogether(_ isAudienceTaken: Bool) async throws {
        let refusal: @Sendable (QueryItems) -> String? = { items in
            guard items.contains("audience") else { return nil }
            return items.contains("resource") ? "invalid_request" : isAudienceTaken ? nil : "invalid_scope"
        }
        var client = ReplayWorld.Client()
        client.redeems = [
            ("trace", "1"), ("resource", "https://api.example/"), ("locale", "de"), ("audience", "api"),
        ]
        client.asks = [("ui_locales", "de"), ("display", "touch")]
        let pair = try BisectedPair(
            ReplayWorld(refusal: refusal).record(),
            ReplayWorld(refusal: refusal).record(client)
        )
        #expect(pair.changes.count == 6)
        let world = ReplayWorld(startingAt: 1_790_000_000, refusal: refusal)
        let result = await pair.bisect(at: world, guesses: false)
        #expect(pair.labels(of: result.set) == ["token_request resource", "token_request audience"])
        #expect(result.isMinimal && result.proof?.failure?.refusal?.error == "invalid_request")
        #expect(result.attempts.contains { $0.outcome == .unresolved } == !isAudienceTaken)
    }

    // MARK: - Where nothing is found

    @Test func loginThatDoesNotWorkNowIsSaid() async throws {
        let pair = try pair { $0.tokenRedirectURI += "/" }
        // Another provider: none of its clients.
        let result = await pair.bisect(at: ReplayWorld(issuer: "https://other.example"))
        #expect(result.ending == .goodFails && result.drives == 1 && result.set.isEmpty)
    }

    @Test func failureThatIsGoneIsSaid() async throws {
        // Recorded where the secret was another one: with today's it works.
        let good = try ReplayWorld().record()
        let other = try pair { $0.asks = [("ui_locales", "de")] }
        let pair = try BisectedPair(good, try ReplayWorld().record(ReplayWorld.Client()))
        let nothing = await pair.bisect()
        #expect(nothing.ending == .nothingToTry)
        let passes = await other.bisect()
        #expect(passes.ending == .allPass && passes.failsAlone == false && passes.drives == 3)
    }

    @Test func drivesAreBounded() async throws {
        let pair = try pair {
            $0.tokenRedirectURI += "/"
            $0.asks = [("ui_locales", "de"), ("display", "touch"), ("prompt", "login"), ("max_age", "60")]
        }
        let result = await pair.bisect(limit: 3, guesses: false)
        #expect(result.drives <= 3 && result.ending == .found && !result.isMinimal)
        #expect(pair.labels(of: result.set).contains("token_request redirect_uri"))
    }

    @Test func wrongPasswordIsSentOncePerRun() async throws {
        let pair = try pair { $0.password = "looking-glass" }
        let world = ReplayWorld(startingAt: 1_790_000_000)
        let result = await pair.bisect(at: world)
        #expect(result.ending == .found)
        for attempt in result.attempts where !attempt.set.isEmpty {
            let wrong = attempt.trial.run.exchanges.filter {
                FormBody.items(of: $0.request.body)?.first("password") == "looking-glass"
            }
            #expect(wrong.count == 1)
        }
    }
}
