import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientClockSkewTests {
    private let rule = "client-clock-skew"
    private let broken = "id-token/client-clock-skew"

    @Test func namesTheDifferenceAndSamples() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.evidence[0].value.hasPrefix("16 min 59 s slow")
                || finding.evidence[0].value == "17 min slow"
        )
        #expect(finding.places[0] == "- timing difference")
        #expect(finding.places.filter { $0.hasSuffix("response.header Date") }.count == 3)
        #expect(finding.places.last == "3 jwt.claims iat")
    }

    @Test func putsUpWithAMinuteAndAHalf() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// With the client's clock so many seconds further back.
    private func shifted(_ seconds: Int64) throws -> Recording {
        try Recording(broken).editing { $0.startedAt = $0.startedAt - .seconds(seconds) }
    }

    @Test func hintsAtTheTimeZone() throws {
        #expect(try shifted(8 * 3600 - 1020).finding(rule)?.notes.first?.contains("time zone") == true)
        #expect(try shifted(0).finding(rule)?.notes.first?.contains("time zone") == false)
    }

    @Test func aFastClockIsAWarningWhileTheTokenHolds() throws {
        #expect(try shifted(-1020 - 300).finding(rule)?.severity == .warning)
        let short = try shifted(-1020 - 300).editingIDToken { claims in
            claims["exp"] = claims["iat"]?.int.map { .number(JSONNumber($0 + 200)) }
        }
        #expect(short.finding(rule)?.severity == .error)
    }

    @Test func isAWarningWhereTheTokensWereUsed() throws {
        var recording = try Recording(broken)
        var call = try #require(Recording("healthy/native-app").exchanges.last)
        let token = try #require(recording.flows.first?.tokenRequests.first?.accessToken)
        call.request.headers = HeaderFields([("Authorization", "Bearer \(token)")])
        call.startedAt = recording.exchanges[recording.exchanges.count - 1].endedAt + .seconds(1)
        call.response?.headers = HeaderFields([("Content-Type", "application/json")])
        recording.exchanges.append(call)
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesTimesWithoutAnOffsetAlone() throws {
        #expect(try Recording(broken).editing { $0.isZoneKnown = false }.finding(rule) == nil)
    }

    @Test func leavesCachedAnswersAlone() throws {
        let aged = try Recording(broken).editing { $0.response?.headers.append("Age", "1020") }
        #expect(aged.finding(rule) == nil)
        let kept = try Recording(broken).editing { $0.foreign["_fromCache"] = "disk" }
        #expect(kept.finding(rule) == nil)
    }

    @Test func wantsTwoSamples() throws {
        var kept = 0
        let recording = try Recording(broken).editing { exchange in
            if kept > 0 { exchange.response?.headers.remove("Date") }
            kept += 1
        }
        #expect(recording.finding(rule) == nil)
    }

    /// What was signed for it says that its own clock is wrong.
    @Test func aSingleRequestIsLeftToWhatItsClientSigned() throws {
        let refused = try Recording("token-request/client-assertion-time.near-miss").answering(
            "/token",
            401,
            ["error": "invalid_client"]
        )
        let request = try #require(refused.exchanges.last { $0.request.url.path == "/token" })
        let lone = Recording([request]).editing {
            // The time that stands in the assertion.
            $0.startedAt = $0.startedAt + .seconds(40)
            let date = ($0.startedAt - .seconds(900)).httpDate
            $0.response?.headers.replace("Date", with: date)
        }
        #expect(lone.finding(rule) == nil)
        let finding = try #require(lone.finding("client-assertion-time"))
        #expect(finding.isPrimary && finding.variant == "clock")
    }

    /// By a device that is 200 s fast: one that it made for now, one that was half an hour old by either clock, and one without an end.
    @Test(
        arguments: [(200, 260, true), (-2000, -1940, false), (0, nil, false)] as [(Int64, Int64?, Bool)]
    )
    func assertionIsTheClocksWhereThatTakesIt(iat: Int64, exp: Int64?, isExplained: Bool) throws {
        let all = try Recording("token-request/client-assertion-time")
        let date = try #require(all.exchanges.last?.response?.headers.first("date"))
        let now = try #require(Timestamp(httpDate: date)).seconds
        let recording = all.asserting { claims in
            claims["iat"] = .number(JSONNumber(now + iat))
            claims["exp"] = exp.map { .number(JSONNumber(now + $0)) }
        }.editing { $0.startedAt = $0.startedAt + .seconds(200) }
        #expect(recording.finding(rule)?.severity == (isExplained ? .error : .warning))
        let assertion = try #require(recording.finding("client-assertion-time"))
        #expect(assertion.isPrimary == !isExplained)
        #expect(assertion.effectOf == (isExplained ? rule : nil))
    }

    /// By a device that is 200 s slow: one that it made for now, and one that was old by either clock.
    @Test(arguments: [(0, true), (1000, false)] as [(Int64, Bool)])
    func proofIsTheClocksWhereThatTakesIt(age: Int64, isExplained: Bool) throws {
        let recording = try Recording("token-request/dpop-proof-invalid.near-miss")
            .without { $0.request.url.path == "/userinfo" }
            .answering("/token", 400, ["error": "invalid_dpop_proof"]).editing { exchange in
                exchange.startedAt = exchange.startedAt + .seconds(age)
                exchange.response?.headers.remove("Date")
                let date = (exchange.endedAt + .seconds(200)).httpDate
                exchange.response?.headers.append("Date", date)
            }
        #expect(recording.finding(rule)?.severity == (isExplained ? .error : .warning))
        let proof = try #require(recording.finding("dpop-proof-invalid"))
        #expect(proof.isPrimary == !isExplained)
        #expect(proof.effectOf == (isExplained ? rule : nil))
    }

    @Test func aServerThatIsWrongAloneIsNoWrongDevice() throws {
        var number = 0
        let recording = try Recording(broken).editing { exchange in
            number += 1
            if number % 2 == 0 { exchange.startedAt = exchange.startedAt + .seconds(1020) }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereNobodyStatesATime() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.remove("Date")
        }
        #expect(recording.abstention(rule) == "no answer states the server's time")
    }

    /// A login whose app has a clock of its own, so many seconds ahead; the callback is answered with a page.
    private func app(ahead seconds: Int64, stopping: Bool = true) throws -> Recording {
        try Recording("healthy/web-code-flow").without { $0.request.url.path == "/userinfo" }.editing {
            exchange in
            guard exchange.response != nil else { return }
            let isApps = exchange.request.url.host == "www.shop.example"
            exchange.response?.headers.remove("Date")
            let time = exchange.endedAt + .seconds(isApps ? seconds : 0)
            exchange.response?.headers.append("Date", time.httpDate)
            if stopping, exchange.request.url.path == "/callback" {
                exchange.response?.status = 200
                exchange.response?.headers.remove("Location")
                exchange.response?.redirectURL = ""
            }
        }
    }

    /// The provider an hour ahead, the app's callback by the recorder's clock: then two clocks agree, where the app is another machine.
    @Test(
        arguments: [
            ("www.shop.example", nil, "provider's clock"),
            ("www.shop.example", "203.0.113.7", "provider's clock"),
            ("localhost", nil, "device's clock"), ("www.shop.example", "192.168.64.3", "device's clock"),
            ("www.shop.example", "fd12:3456::1", "device's clock"), ("shop.test", nil, "device's clock"),
            ("shop", nil, "device's clock"), ("10.1.2.3", nil, "device's clock"),
        ] as [(String, String?, String)]
    )
    func appServerThatAgreesWithTheRecordingSpeaksForIt(host: String, address: String?, title: String)
        throws
    {
        let recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/userinfo" }
            .editing { exchange in
                guard exchange.response != nil else { return }
                let isApps = exchange.request.url.host == "www.shop.example"
                exchange.response?.headers.remove("Date")
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("www.shop.example", with: host)
                )
                if let location = exchange.response?.location {
                    exchange.response?.redirect(to: location.replacing("www.shop.example", with: host))
                }
                guard !isApps || exchange.request.url.path == "/callback" else { return }
                if isApps { exchange.connection.serverAddress = address }
                let time = exchange.endedAt + .seconds(isApps ? 0 : 3600)
                exchange.response?.headers.append("Date", time.httpDate)
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains(title), "\(finding.title)")
        let isWitness = title == "provider's clock"
        #expect(finding.notes.contains { $0.hasPrefix("the app's server: recorded") } == isWitness)
        #expect(finding.evidence[0].value == (isWitness ? "60 min fast" : "60 min slow"))
    }

    /// The provider's clock and its tokens so many seconds ahead; the app states the time of the recording, and refuses.
    private func provider(ahead seconds: Int64, issuing: Int64? = nil) throws -> Recording {
        // Half of the answers are the app's, so that neither clock has the most.
        let left = ["/authorize", "/sign-in", "/token", "/login", "/callback"]
        return try Recording("healthy/web-code-flow").without { !left.contains($0.request.url.path) }.editing
        {
            exchange in
            guard exchange.response != nil else { return }
            let isApps = exchange.request.url.host == "www.shop.example"
            exchange.response?.headers.remove("Date")
            let time = exchange.endedAt + .seconds(isApps ? 0 : seconds)
            exchange.response?.headers.append("Date", time.httpDate)
            if exchange.request.url.path == "/callback" {
                exchange.response?.status = 401
                exchange.response?.headers.remove("Location")
                exchange.response?.redirectURL = ""
            }
        }.editingIDToken { claims in
            for name in ["iat", "exp"] {
                claims[name] = claims[name]?.int.map { .number(JSONNumber($0 + (issuing ?? seconds))) }
            }
        }
    }

    @Test func aProviderThatIsAheadOfTheAppIsNamed() throws {
        let recording = try provider(ahead: 240)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The provider's clock is wrong")
        #expect(finding.severity == .error)
        #expect(finding.isPrimary)
        #expect(finding.evidence[0].value == "4 min fast")
        #expect(finding.notes.contains { $0.hasPrefix("the app's server: recorded") })
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == rule)
    }

    @Test func aClockThatTheTokensContradictIsNotBlamed() throws {
        #expect(try provider(ahead: 240, issuing: 0).finding(rule) == nil)
        #expect(try provider(ahead: 60).finding(rule) == nil)
    }

    @Test(arguments: [(7200, "exp", "2 h fast"), (-7200, "iat", "2 h slow")] as [(Int64, String, String)])
    func tellsTheClockOfTheAppsServer(ahead: Int64, claim: String, difference: String) throws {
        let finding = try #require(try app(ahead: ahead).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.title == "The clock of the app's server is wrong")
        #expect(finding.evidence[0].value == difference)
        #expect(finding.notes[0].hasPrefix("the app's server at https://www.shop.example"))
        #expect(finding.places.last == "5 jwt.claims \(claim)")
        #expect(finding.fix.contains("app's server"))
        #expect(try app(ahead: ahead).outcomes == [.failure])
    }

    /// The provider states no time but that of the token that it issued.
    @Test(arguments: [(7200, "2 h fast"), (-7200, "2 h slow")] as [(Int64, String)])
    func tokenTellsWhoseClockIsWrong(ahead: Int64, difference: String) throws {
        let recording = try app(ahead: ahead).editing { exchange in
            guard exchange.request.url.host != "www.shop.example" else { return }
            exchange.response?.headers.remove("Date")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.evidence[0].value == difference)
        #expect(finding.notes[0].hasPrefix("the app's server at https://www.shop.example"))
        // Where it was issued at another time as well, the clock of the recording is the odd one.
        let shifted = recording.editing { $0.startedAt = $0.startedAt + .seconds(-1800) }
        #expect(try #require(shifted.finding(rule)).evidence[0].note?.hasPrefix("the app's server") != true)
    }

    @Test func anAppThatGoesOnAllTheSameIsWarned() throws {
        #expect(try app(ahead: 7200, stopping: false).finding(rule)?.severity == .warning)
        #expect(try app(ahead: 90).finding(rule) == nil)
    }

    /// It looks at the ID token when it has asked UserInfo.
    @Test(arguments: [(400, Severity.error), (200, .warning)])
    func anAppThatRefusesTheCallbackAfterUserInfoHasUsedNothing(status: Int, expected: Severity) throws {
        var recording = try app(ahead: 7200)
        let call = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/userinfo" }
        )
        recording.exchanges.append(call)
        let end = call.endedAt + .milliseconds(20)
        recording = recording.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = status
            exchange.duration = end - exchange.startedAt
        }
        #expect(recording.finding(rule)?.severity == expected)
        #expect(recording.outcomes == [expected == .error ? .failure : .success])
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == (expected == .error ? rule : nil))
    }

    @Test func oneStrayAnswerOfTheAppIsNoClock() throws {
        let one = try app(ahead: 7200).without { $0.request.url.path == "/login" }
        #expect(one.finding(rule) == nil)
    }
}
