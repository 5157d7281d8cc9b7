import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct DiscoveryUnreachableTests {
    private let rule = "discovery-unreachable"
    private let broken = "discovery/discovery-unreachable"

    @Test func tellsEveryTry() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 request.url ", "0 response.status ", "0 response.body error", "1 request.url ",
                "1 response.status ", "1 response.body error",
            ]
        )
        #expect(recording.outcomes == [.failure])
    }

    @Test func oneAnswerAmongTheProbesIsEnough() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    /// That a provider is down is no fault of the issuer.
    @Test(arguments: [401, 404, 500, 503]) func firesForEveryRefusal(status: Int) throws {
        let recording = try Recording(broken).editing { $0.response?.status = status }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("is down") == (status >= 500))
        #expect(finding.fix.contains("issuer") == (status < 500))
    }

    /// ZITADEL's answer is none of OAuth's.
    @Test(
        arguments: [
            (
                #"{"code":5,"message":"Instance not found. Make sure you got the domain right."}"#, "message",
                true
            ), (#"{"code":5,"message":"Instance not found"}"#, "message", true),
            ("Instance not found\n", "", true), ("No instance of it was found\n", "", false),
        ]
    )
    func wordsOfAServerAreExplained(body: String, member: String, isKnown: Bool) throws {
        let type = member.isEmpty ? "text/plain" : "application/json"
        let recording = try Recording(broken).editing { exchange in
            exchange.response = RecordedResponse(status: 404, body: Body(text: body, mediaType: type))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("ExternalDomain") == isKnown)
        #expect(finding.explanation.contains("ZITADEL") == isKnown)
        #expect(finding.places.contains("0 response.body \(member)") == isKnown)
    }

    /// A client that appends the path to an issuer with a slash at its end.
    @Test(arguments: [404, 503]) func slashBeforeThePathIsNamed(status: Int) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL("https://id.example//.well-known/openid-configuration")
            exchange.response?.status = status
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("two slashes") == (status == 404))
        #expect(finding.fix.hasPrefix("Take the slash off") == (status == 404))
        #expect(try Recording(broken).finding(rule)?.fix.contains("slash") == false)
    }

    /// A setting that holds another address than the issuer.
    @Test(arguments: [
        ("/realms/shop/.well-known/openid-configuration/.well-known/openid-configuration", "discoveryUrl"),
        ("/oauth/v2/authorize/.well-known/openid-configuration", "serviceConfiguration"),
        ("/oauth2/token/.well-known/openid-configuration", ""),
        ("/authorizer/.well-known/openid-configuration", ""),
    ])
    func addressInTheIssuersPlaceIsNamed(path: String, fix: String) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL("https://id.example" + path)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("serviceConfiguration") == (fix == "serviceConfiguration"))
        #expect(finding.fix.contains("discoveryUrl") == (fix == "discoveryUrl"))
    }

    /// HTTPX follows no redirect unless it is told to.
    @Test func redirectThatNobodyFollowsIsNamed() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "https://accounts.example/.well-known/openid-configuration")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("was sent to another address"))
        #expect(finding.fix.contains("server name") && finding.notes.contains("never asked for"))
        var followed = try #require(recording.exchanges.last)
        followed.request.url = RecordedURL("https://accounts.example/.well-known/openid-configuration")
        followed.startedAt = followed.endedAt + .milliseconds(10)
        followed.response = RecordedResponse(
            status: 200,
            body: .json(#"{"issuer": "https://accounts.example"}"#)
        )
        #expect(Recording(recording.exchanges + [followed]).finding(rule) == nil)
    }

    /// A path that moved, or a page in front: the request ended there, in an error.
    @Test(
        arguments: [
            ("/auth/shop/.well-known/openid-configuration", 404, ["1 request.url ", "1 response.status "]),
            ("https://portal.example/maintenance", 503, ["1 request.url ", "1 response.status "]),
            ("https://portal.example/maintenance", 429, nil),
            ("https://portal.example/maintenance", 204, nil),
        ] as [(String, Int, [String]?)]
    )
    func redirectThatEndsInAnErrorIsTold(location: String, status: Int, end: [String]?) throws {
        var asked = try #require(Recording(broken).exchanges.first)
        asked.response = RecordedResponse(status: 301)
        asked.response?.redirect(to: location)
        var landing = asked
        landing.startedAt = asked.endedAt + .milliseconds(10)
        landing.request.url = asked.request.url.resolving(location)
        landing.response = RecordedResponse(status: status)
        let recording = Recording([asked, landing])
        let finding = recording.finding(rule)
        #expect(finding?.isPrimary == (end == nil ? nil : true))
        #expect(finding?.places.suffix(2).map(\.self) == end)
        if end != nil { #expect(recording.outcomes == [.failure]) }
    }

    /// It may have ended without an answer; where the provider's own host is down, another rule tells of it.
    @Test(
        arguments: [
            ("https://portal.example/maintenance", "net::ERR_CONNECTION_REFUSED", "discovery-unreachable"),
            ("https://portal.example/maintenance", "net::ERR_ABORTED", nil),
            ("/auth/.well-known/openid-configuration", "net::ERR_EMPTY_RESPONSE", "discovery-unreachable"),
            ("/auth/.well-known/openid-configuration", "net::ERR_CONNECTION_REFUSED", "host-unreachable"),
        ] as [(String, String, String?)]
    )
    func redirectThatEndsWithoutAnAnswerIsTold(location: String, failure: String, told: String?) throws {
        var asked = try #require(Recording(broken).exchanges.first)
        asked.response = RecordedResponse(status: 301)
        asked.response?.redirect(to: location)
        var landing = asked
        landing.startedAt = asked.endedAt + .milliseconds(10)
        landing.request.url = asked.request.url.resolving(location)
        landing.response = nil
        landing.failure = failure
        let recording = Recording([asked, landing])
        #expect(recording.findings.map(\.rule) == [told].compactMap(\.self))
        guard told == rule else { return }
        #expect(
            recording.finding(rule)?.evidence.suffix(2).map(\.value)
                == [landing.request.url.withoutQuery, failure]
        )
    }

    @Test(arguments: [200, 302, 429]) func leavesOtherAnswersToOtherRules(status: Int) throws {
        let recording = try Recording(broken).editing { $0.response?.status = status }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesWhatTheTransportExplainsToIt() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response = nil
            exchange.failure = "net::ERR_NAME_NOT_RESOLVED"
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("host-unreachable") != nil)
    }

    @Test func noAnswerForNoKnownReasonCounts() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response = nil
            exchange.failure = "ECONNRESET"
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func holdsWhereTheSignInFollows() throws {
        let login = try Recording("healthy/native-app").exchanges.dropFirst()
        var recording = try Recording(broken)
        recording.exchanges[1].startedAt = login[1].startedAt + .seconds(-60)
        recording.exchanges[0].startedAt = login[1].startedAt + .seconds(-61)
        recording.exchanges += login
        #expect(recording.finding(rule) == nil)
    }

    /// Realms share a host: who signs in at one says nothing of another.
    @Test(arguments: [("a", true), ("b", false)])
    func aSignInAtAnotherRealmIsNoneAtThisOne(realm: String, fires: Bool) throws {
        let login = try Recording("healthy/native-app").exchanges.dropFirst()
        var recording = try Recording(broken)
        recording.exchanges.removeLast()
        recording.exchanges[0].startedAt = login[1].startedAt + .seconds(-60)
        recording.exchanges[0].request.url = RecordedURL(
            "https://id.harbour.example/realms/\(realm)/.well-known/openid-configuration"
        )
        recording.exchanges += login
        let moved = recording.editing { exchange in
            let url = exchange.request.url.text
            exchange.request.url = RecordedURL(
                url.replacing("harbour.example/authorize", with: "harbour.example/realms/b/authorize")
            )
        }
        #expect((moved.finding(rule) != nil) == fires)
    }

    /// What was found of one realm says nothing of another; of the same, or of what clients try besides, it does.
    @Test(
        arguments: [
            ("/realms/shop", -60, true), ("/realms/shop", 60, true), ("", -60, false), ("", 60, false),
            ("/shop", -60, false), ("/shop/users", 60, false),
        ] as [(String, Int64, Bool)]
    )
    func anotherRealmOfTheServerIsNoAnswer(path: String, later: Int64, fires: Bool) throws {
        var recording = try Recording(broken)
        var other = try #require(Recording("healthy/web-code-flow").exchanges.first)
        let issuer = "https://id.harbour.example\(path)"
        other.request.url = RecordedURL("\(issuer)/.well-known/openid-configuration")
        other.startedAt = recording.exchanges[0].startedAt + .seconds(later)
        recording.exchanges.append(other)
        #expect((recording.finding(rule)?.severity == .error) == fires)
    }

    @Test func leavesProbesOfAResourceAlone() throws {
        let recording = try Recording("discovery/resource-metadata-missing")
        #expect(recording.finding(rule) == nil)
        // A resource that describes itself, and is asked for a server's metadata besides.
        var probed = try Recording("discovery/resource-metadata-mismatch.near-miss")
        var probe = probed.exchanges[1]
        probe.request.url = RecordedURL(
            "https://tools.harbour.example/.well-known/oauth-authorization-server"
        )
        probe.response?.status = 404
        probe.response?.body = nil
        probed.exchanges.insert(probe, at: 2)
        #expect(probed.findings.filter { $0.severity != .note }.isEmpty)
        #expect(probed.outcomes == [.success])
    }

    /// A resource may be a server's, too, and say so.
    @Test(arguments: [("https://tools.harbour.example", true), ("https://id.harbour.example", false)])
    func asksAResourceThatNamesItself(server: String, fires: Bool) throws {
        let whole = try Recording("discovery/resource-metadata-mismatch.near-miss")
        var probed = Recording(Array(whole.exchanges.prefix(2))).editingAnswer(
            of: whole.exchanges[1].request.url.path
        ) { $0["authorization_servers"] = [.string(server)] }
        var probe = probed.exchanges[1]
        probe.request.url = RecordedURL(
            "https://tools.harbour.example/.well-known/oauth-authorization-server"
        )
        probe.startedAt = probe.startedAt + .seconds(1)
        probe.response?.status = 404
        probe.response?.body = nil
        probed.exchanges.append(probe)
        #expect((probed.finding(rule)?.isPrimary == true) == fires)
    }

    /// A client that found the metadata of another server of a resource's list needs none of the resource itself.
    @Test(arguments: [(3, false), (2, true)]) func oneOfAResourcesServersIsEnough(count: Int, fires: Bool)
        throws
    {
        let whole = try Recording("discovery/resource-metadata-mismatch.near-miss")
        var probed = Recording(Array(whole.exchanges.prefix(count))).editingAnswer(
            of: whole.exchanges[1].request.url.path
        ) { $0["authorization_servers"] = ["https://tools.harbour.example", "https://id.harbour.example"] }
        var probe = probed.exchanges[1]
        probe.request.url = RecordedURL(
            "https://tools.harbour.example/.well-known/oauth-authorization-server"
        )
        probe.response?.status = 404
        probe.response?.body = nil
        probed.exchanges.insert(probe, at: 2)
        #expect((probed.finding(rule) != nil) == fires)
    }

    @Test func knowsWhereAProductsPathGoesWrong() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(
                "https://id.harbour.example/auth/realms/shop/.well-known/openid-configuration"
            )
        }
        #expect(recording.finding(rule)?.fix.contains("/auth") == true)
    }

    /// What only the capture lacks may have been a good one, whether its beginning is there or not.
    @Test(arguments: LostAnswers.reasons, [true, false])
    func abstainsWhereTheCaptureLacksTheAnswer(loss: (reason: String, fires: Bool), hasBegun: Bool) throws {
        let (reason, fires) = loss
        var beginning = Body.json("{\"issuer\":\"https://id.har")
        beginning.isTruncated = true
        let response = hasBegun ? RecordedResponse(status: 200, body: beginning) : nil
        let recording = try Recording(broken).editing { exchange in
            exchange.response = response
            exchange.failure = reason
            exchange.duration = .seconds(1)
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    /// Nobody answers so late.
    @Test func answerThatDidNotComeForLongCounts() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response = nil
            exchange.failure = AnswerLoss.recordingEnded
            exchange.duration = .seconds(30)
        }
        #expect(recording.finding(rule) != nil)
    }

    /// Browsers let a page that came by https ask for nothing in clear, except of their own machine.
    @Test(
        arguments: [
            ("http://id.harbour.example", "https://www.shop.example/", true),
            ("http://id.harbour.example", "http://www.shop.example/", false),
            ("http://localhost:8080", "https://www.shop.example/", false),
        ],
        ["net::ERR_BLOCKED_BY_MIXED_CONTENT", nil]
    )
    func requestThatTheBrowserHeldBackIsTold(
        asked: (server: String, page: String, isTold: Bool),
        words: String?
    ) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(asked.server + exchange.request.url.path)
            exchange.request.headers.append("Referer", asked.page)
            exchange.response = nil
            exchange.failure = words
        }
        let finding = recording.finding(rule)
        #expect((finding?.explanation.contains("mixed content") ?? false) == asked.isTold)
        if asked.isTold { #expect(recording.outcomes == [.failure]) }
    }

    /// Scripts may try their luck by http first.
    @Test func whatIsServedByHTTPSAsWellIsNoMixedContent() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL("http://id.harbour.example" + exchange.request.url.path)
            exchange.request.headers.append("Origin", "https://www.shop.example")
            exchange.response = nil
            exchange.failure = "net::ERR_BLOCKED_BY_MIXED_CONTENT"
        }
        #expect(recording.finding(rule) != nil)
        var served = try #require(recording.exchanges.last)
        served.startedAt = served.startedAt + .seconds(1)
        served.request.url = RecordedURL("https://id.harbour.example" + served.request.url.path)
        served.failure = nil
        served.response = RecordedResponse(
            status: 200,
            body: .json(#"{"issuer": "https://id.harbour.example/shop"}"#)
        )
        #expect(Recording(recording.exchanges + [served]).finding(rule) == nil)
    }
}
