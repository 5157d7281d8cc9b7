import Captures
import Flows
import OAuth
import Replay
import Testing

/// Which differences of two recorded logins are changes of the client's requests.
struct RequestChangeFinderTests {
    private func labels(_ change: (inout ReplayWorld.Client) -> Void) throws -> [String] {
        var client = ReplayWorld.Client()
        change(&client)
        return try BisectedPair(ReplayWorld.Client(), client).labels
    }

    @Test func twoLoginsOfOneClientHaveNone() throws {
        let first = try ReplayWorld().record()
        let second = try ReplayWorld(startingAt: 1_785_000_000).record()
        let plans = try (BisectedPair.plan(first), BisectedPair.plan(second))
        let changes = RequestChangeFinder.changes(from: plans.0, to: plans.1, failedAt: [])
        #expect(changes.isEmpty, "\(changes.map(BisectedPair.label))")
    }

    @Test func parameterIsAnotherOneNewOrMissing() throws {
        let labels = try labels {
            $0.asks = [("scope", "openid profile"), ("display", "touch"), ("nonce", "")]
            $0.redeems = [("redirect_uri", ReplayWorld.redirectURI + "/")]
        }
        #expect(
            Set(labels) == [
                "authorization_request scope", "authorization_request display", "authorization_request nonce",
                "token_request redirect_uri",
            ]
        )
        #expect(labels.count == 4)
    }

    /// The token answer names the scope that was granted: what was asked for is the client's all the same.
    @Test func scopeThatTheAnswerSaysAgainIsTheClients() throws {
        let labels = try labels { $0.asks = [("scope", "openid")] }
        #expect(labels.contains("authorization_request scope"))
    }

    @Test func headerOfAllRequestsIsOneChange() throws {
        var client = ReplayWorld.Client()
        client.backend = "shop-backend/2.0"
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        let header = try #require(pair.changes.first)
        #expect(pair.labels == ["token_request User-Agent (header)"])
        // Token, userinfo, refresh, revocation; documents are read by whoever.
        #expect(header.locations.count == 4)
    }

    @Test func verifierThatDoesNotFitIsARelation() throws {
        var client = ReplayWorld.Client()
        client.redeems = [("code_verifier", String(repeating: "Zy9", count: 15))]
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["token_request code_verifier"])
        #expect(
            pair.changes.first?.difference.note == "is not the one that the code_challenge was made of"
        )
    }

    @Test func challengeMadeInAnotherWayIsARelation() throws {
        var client = ReplayWorld.Client()
        client.makeChallenge = { $0 }
        client.asks = [("code_challenge_method", "plain")]
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(
            pair.labels == [
                "authorization_request code_challenge", "authorization_request code_challenge_method",
            ]
        )
        #expect(
            pair.changes.first?.difference.note == "made of its verifier as plain instead of S256"
        )
    }

    @Test func codeThatWasRespelledIsToldFromTheIssuedOne() throws {
        var client = ReplayWorld.Client()
        client.respells = { $0 + "%20" }
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["token_request code"])
        let difference = try #require(pair.changes.first?.difference)
        #expect(difference.note.hasPrefix("not the one that was issued: 3 characters too many"))
        #expect(difference.seen?.contains("…") == true, "masked")
    }

    /// Few letters without a digit come about by chance, and are taken for a word.
    @Test(arguments: [
        ("kVbQzRtLmNp", "k4bQz7tLmNp"), ("k4bQz7tLmNp", "kVbQzRtLmNp"), ("kVbQzRtLmNp", "pNmLtRzQbVk"),
    ])
    func stateThatLooksLikeAWordByChanceIsNoDifference(_ state: String, _ other: String) throws {
        var clients = (ReplayWorld.Client(), ReplayWorld.Client())
        clients.0.asks = [("state", state)]
        clients.1.asks = [("state", other)]
        // With something else, for two logins that work are one as good as the other.
        clients.1.backend = "shop-backend/2.0"
        let labels = try BisectedPair(clients.0, clients.1).labels
        #expect(labels == ["token_request User-Agent (header)"])
    }

    @Test func stateOfAnotherLengthIsMadeInAnotherWay() throws {
        let labels = try labels { $0.asks = [("state", "k3v9")] }
        #expect(labels == ["authorization_request state"])
    }

    @Test func secretIsMaskedAndOneChangeForAllCalls() throws {
        var client = ReplayWorld.Client()
        client.secret = "quite-another-secret"
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        let change = try #require(pair.changes.first)
        #expect(pair.labels == ["token_request client_secret"])
        #expect(change.difference.seen == "quit…(20)")
    }

    /// A member of others is one by its own name, and what stands in a value by the name in there.
    @Test(arguments: [
        ("device.client_secret", "quite-another-secret", "quit…(20)"),
        (
            "claims", #"{"userinfo":{"access_token":"kVbQ4tLm8pRw2xZs6yDn"}}"#,
            #"{"userinfo":{"access_token":"kVbQ…(20)"}}"#
        ),
    ])
    func secretThatIsNestedIsMasked(name: String, value: String, shown: String) throws {
        var client = ReplayWorld.Client()
        client.asks = [(name, value)]
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["authorization_request \(name)"])
        #expect(pair.changes.first?.difference.seen == shown)
    }

    @Test func secretThatIsGivenIsNoDifference() throws {
        var client = ReplayWorld.Client()
        client.secret = "quite-another-secret"
        let plans = try (
            BisectedPair.plan(ReplayWorld().record()), BisectedPair.plan(ReplayWorld().record(client))
        )
        let changes = RequestChangeFinder.changes(
            from: plans.0,
            to: plans.1,
            failedAt: [],
            given: ["client_secret"]
        )
        #expect(changes.isEmpty)
    }

    @Test func clientAuthenticationIsAMethod() throws {
        let labels = try labels { $0.usesBasic = false }
        #expect(labels == ["token_request client authentication"])
    }

    @Test func requestByGETIsAnotherForm() throws {
        let labels = try labels { $0.redeemsByGET = true }
        #expect(labels == ["token_request form of the request"])
    }

    @Test func codeThatIsSpentTwiceIsAStepMore() throws {
        var client = ReplayWorld.Client()
        client.redeemsTwice = true
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["token_request step"])
        #expect(pair.changes.first?.difference.note == "the same code is sent again")
        #expect(pair.changes.first?.locations.first?.expected == nil)
    }

    @Test func codeThatIsSpentTooLateIsAPause() throws {
        var client = ReplayWorld.Client()
        client.delay = 90
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["token_request pause"])
        #expect(pair.changes.first?.difference.seen == "90 s")
    }

    @Test func passwordIsWhatAPersonDidOtherwise() throws {
        var client = ReplayWorld.Client()
        client.password = "looking-glass"
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        #expect(pair.labels == ["user_interaction password"])
        #expect(pair.changes.first?.difference.seen == "look…(13)")
    }

    @Test func stepsBehindTheFailureAreItsEffect() throws {
        var client = ReplayWorld.Client()
        client.redeems = [("redirect_uri", "https://shop.example/other")]
        let pair = try BisectedPair(ReplayWorld.Client(), client)
        // No userinfo, no refresh, no revocation, no logout.
        #expect(pair.bad.steps.count < pair.good.steps.count)
        #expect(pair.labels == ["token_request redirect_uri"])
    }

    @Test func ignoredNameIsNoDifference() throws {
        var client = ReplayWorld.Client()
        client.asks = [("scope", "openid"), ("display", "touch")]
        let plans = try (
            BisectedPair.plan(ReplayWorld().record()), BisectedPair.plan(ReplayWorld().record(client))
        )
        let changes = RequestChangeFinder.changes(
            from: plans.0,
            to: plans.1,
            failedAt: [],
            ignoring: ["authorization_request.scope"]
        )
        #expect(!changes.map(BisectedPair.label).contains("authorization_request scope"))
        #expect(changes.map(BisectedPair.label).contains("authorization_request display"))
    }
}
