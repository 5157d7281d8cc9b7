import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenExpiredTests {
    private let rule = "id-token-expired"
    private let broken = "id-token/id-token-expired"

    @Test func namesTheEndAndTheTimeOfTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims exp", "4 response.header Date"])
        #expect(finding.notes == ["5 min before it came", "the provider's clock"])
    }

    @Test func leavesAShortLifeAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func goesByTheRecorderWhereTheProviderStatesNoTime() throws {
        let recording = try Recording(broken).answering("/token", header: "Date", nil)
        #expect(recording.finding(rule)?.places[1] == "4 timing time")
        let unknown = recording.editingLast("/token") { $0.isZoneKnown = false }
        #expect(unknown.finding(rule) == nil)
        #expect(unknown.abstention(rule) != nil)
    }

    @Test func theVerySecondIsTooLate() throws {
        let recording = try Recording(broken)
        let now = try #require(
            recording.exchanges[4].response?.headers.first("date").flatMap { Timestamp(httpDate: $0) }
        )
        let ends = { (seconds: Int64) in
            recording.editingIDToken {
                $0["iat"] = .number(JSONNumber(now.seconds - 60))
                $0["exp"] = .number(JSONNumber(now.seconds + seconds))
            }.finding(rule)
        }
        #expect(ends(0) != nil)
        #expect(ends(1) == nil)
    }

    @Test func saysThatALifetimeIsNoTime() throws {
        let finding = try #require(Recording(broken).editingIDToken { $0["exp"] = 3600 }.finding(rule))
        #expect(finding.title == "The ID token's exp is a lifetime, and no time")
        #expect(finding.notes[0] == "60 min, a lifetime; a time is expected")
    }

    /// What was issued long ago and has not run out is not expired, whoever got it.
    @Test(arguments: [600, 601, 1200, 86_400]) func leavesATokenAloneThatWasIssuedLongBefore(age: Int64)
        throws
    {
        let login = try Recording("healthy/native-app")
        let index = try #require(login.exchanges.lastIndex { $0.request.url.path == "/token" })
        let time = login.exchanges[index].endedAt.seconds
        let old = login.answering("/token", header: "Date", login.exchanges[index].endedAt.httpDate)
            .editingIDToken { $0["iat"] = .number(JSONNumber(time - age)) }
        #expect(Recording(Array(old.exchanges[...index])).finding(rule) == nil)
        #expect(old.finding(rule) == nil)
    }

    /// AppAuth checks the ID token of a refresh like that of the login; what a server gets there few look at.
    @Test(
        arguments: [
            (3600, 7200, "/offers.json", .note), (3600, 1800, "/offers.json", .error),
            (3600, 7200, nil, nil), (300, 7200, "/offers.json", nil), (3600, 7200, "/telemetry", nil),
        ] as [(Int64, Int64, String?, Severity?)]
    )
    func tellsOfARefreshThatBringsTheOldToken(
        later: Int64,
        lifetime: Int64,
        appsCall: String?,
        severity: Severity?
    ) throws {
        let login = try Recording("healthy/native-app")
        let first = try #require(login.exchanges.last { $0.request.url.path == "/token" })
        let time = first.endedAt.seconds
        let granted = login.answering("/token", header: "Date", first.endedAt.httpDate).editingIDToken {
            $0["iat"] = .number(JSONNumber(time))
            $0["exp"] = .number(JSONNumber(time + lifetime))
        }
        let token = try #require(granted.flows.first?.tokenRequests.first?.answer.parameters["id_token"])
        var recording = granted.refreshing(to: "another-access-token-42").editingAnswer(of: "/token") {
            $0["id_token"] = .string(token)
        }
        let place = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        recording.exchanges[place].startedAt = first.startedAt + .seconds(later)
        recording = recording.answering("/token", header: "Date", recording.exchanges[place].endedAt.httpDate)
        if appsCall == nil {
            recording = recording.sendingHeader("User-Agent", "node-fetch", to: "/token")
        }
        var call = try #require(login.exchanges.last { $0.request.url.path == "/userinfo" })
        call.startedAt = recording.exchanges[place].endedAt + .seconds(5)
        call.request.url = RecordedURL("https://www.shop.example" + (appsCall ?? "/offers.json"))
        call.request.headers.remove("Authorization")
        recording.exchanges.append(call)
        let finding = recording.finding(rule)
        #expect(finding?.severity == severity)
        if severity != nil { #expect(finding?.explanation.contains("section 12.2") == true) }
    }

    @Test func leavesAHintAtLogoutAlone() throws {
        let recording = try Recording("healthy/logout").editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.startedAt = exchange.startedAt + .seconds(86_400)
            exchange.response?.headers.remove("Date")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: ["1e308", "-1e308", "1e15", "99999999999999999999"]) func survivesAbsurdTimes(
        text: String
    ) throws {
        _ = try Recording(broken).editingIDToken { claims in
            for name in ["exp", "iat", "nbf", "auth_time"] { claims[name] = .number(JSONNumber(text: text)) }
        }.asking("max_age", "9223372036854775807").diagnoses
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
