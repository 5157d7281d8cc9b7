import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenKidUnknownTests {
    private let rule = "id-token-kid-unknown"
    private let broken = "id-token/id-token-kid-unknown"

    @Test func namesTheKeyTheKeySetAndTheOneThatHasIt() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "rotated")
        #expect(finding.places == ["6 jwt.header kid", "1 response.body keys", "7 response.body keys"])
        #expect(finding.evidence.map(\.value) == ["2026-03", "2025-11", "2025-11, 2026-03"])
        #expect(finding.notes[0].hasSuffix("Cache-Control: max-age=3600"))
    }

    @Test func leavesAClientAloneThatFetchedTheKeysAgain() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// Half a second before the callback was refused, and some time after that.
    @Test(arguments: [(0.4, false), (2.4, true)])
    func keysThatComeBehindTheRefusalAreTooLate(seconds: Double, fires: Bool) throws {
        var recording = try Recording(broken)
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let token = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/token" })
        let keys = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/jwks" })
        recording.exchanges[callback].duration = .seconds(1)
        recording.exchanges[keys].startedAt = recording.exchanges[token].endedAt + .seconds(seconds)
        #expect(recording.finding(rule)?.variant == (fires ? "rotated" : nil))
    }

    @Test func isAbsentWhereNoKeySetHasIt() throws {
        let recording = try Recording(broken).editingAnswer(of: "/jwks") { $0["keys"] = [] }
        #expect(recording.finding(rule)?.variant == "absent")
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        let recording = try Recording(broken + ".near-miss").without { exchange in
            exchange.request.url.path == "/jwks" && exchange.response?.body?.text?.contains("2026-03") == true
        }
        #expect(recording.finding(rule)?.severity == .warning)
        #expect(recording.finding(rule)?.variant == "absent")
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAFirstKeySetThatComesLateAlone() throws {
        var recording = try Recording(broken)
        let first = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/jwks" })
        recording.exchanges.remove(at: first)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
    }

    @Test func abstainsWithoutAKeySet() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/jwks" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: [
        #"{"alg":"RS256"}"#, #"{"alg":"HS256","kid":"2026-03"}"#, #"{"alg":"none","kid":"2026-03"}"#,
    ])
    func saysNothingOfOtherTokens(header: String) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { object in
            let parts = object["id_token"]?.string?.split(separator: ".") ?? []
            object["id_token"] = .string("\(encoded(header)).\(parts[1]).\(parts[2])")
        }
        #expect(recording.finding(rule) == nil)
    }

    // MARK: - Clients that do not check

    /// Another program fetched the keys, and nothing that came after the token shows what became of it.
    @Test(arguments: [Severity.note, .error])
    func isANoteWhereNothingShowsThatTheClientChecks(severity: Severity) throws {
        var recording = try showingAPage(in: Recording(broken))
        recording.exchanges.removeLast()
        if severity == .note {
            recording = recording.sendingHeader("User-Agent", "gateway/1.0", to: "/jwks")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == severity)
        #expect((recording.outcomes == [.failure]) == (severity == .error))
        #expect(finding.explanation.contains("3.1.3.7") == (severity == .note))
    }

    /// It went on after the login with the keys that it fetched there, and fetches none, or some, for the new token.
    @Test(arguments: [false, true])
    func isANoteOfARefreshWhoseTokenIsNotChecked(isFetching: Bool) throws {
        var recording = try Recording("healthy/refresh").editingIDToken(header: { $0["kid"] = "2027-01" })
        if isFetching, var fetched = recording.exchanges.last(where: { $0.request.url.path == "/jwks" }),
            let last = recording.exchanges.last
        {
            fetched.startedAt = last.endedAt + .milliseconds(20)
            recording.exchanges.append(fetched)
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.severity == .note) == !isFetching)
    }

    // MARK: - Keys for encryption

    @Test func namesAKeyForEncryptionThatTheAppDoesNotPublish() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") {
            $0["id_token"] = .string(
                encoded(#"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","kid":"old"}"#) + ".AA.AA.AA.AA"
            )
        }
        let time = try #require(recording.exchanges.first).startedAt - .seconds(1)
        let own = "https://www.shop.example/jwks.json"
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.publishing(["new"], at: own, time).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "encryption")
        #expect(finding.evidence.map(\.value) == ["old", "new"])
        #expect(try recording.publishing(["old"], at: own, time).finding(rule) == nil)
        #expect(try recording.goingOn.publishing(["new"], at: own, time).finding(rule) == nil)
    }

    // MARK: - Keys of another server

    /// The login whose client fetches, once it has the token, the keys of another environment, which lack the token's.
    private func fetchingElsewhere(in recording: Recording) throws -> Recording {
        var fetched = try #require(recording.exchanges.first { $0.request.url.path == "/jwks" })
        let token = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        fetched.request.url = RecordedURL("https://id.staging.example/jwks")
        fetched.startedAt = token.endedAt + .milliseconds(20)
        let others = recording.without {
            $0.request.url.path == "/jwks" || $0.request.url.path.hasSuffix("/openid-configuration")
        }
        return Recording(others.exchanges + [fetched])
    }

    /// The callback answered with a page that says nothing.
    private func showingAPage(in recording: Recording) -> Recording {
        recording.editingLast("/callback") { exchange in
            exchange.response?.status = 200
            exchange.response?.body = Body(text: "<!doctype html><title>Shop</title>", mediaType: "text/html")
        }
    }

    @Test func takesTheKeysThatTheClientFetchedElsewhereForTheToken() throws {
        let recording = try fetchingElsewhere(in: Recording(broken))
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.variant == "absent")
        #expect(finding.places == ["4 jwt.header kid", "5 response.body keys"])
        #expect(finding.notes.last?.contains("from id.staging.example") == true)
        #expect(recording.outcomes == [.failure])
    }

    /// What became of the login is not to be seen there.
    @Test func abstainsFromTheOtherKeysInTheServersHalf() throws {
        let recording = try fetchingElsewhere(in: Recording(broken)).backChannel
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A page that got its token, and fetched keys for another purpose: the recording ends there, or it reads its data.
    @Test(arguments: [false, true])
    func leavesKeysOfOthersAloneWhereNothingWasRefused(isReading: Bool) throws {
        var recording = try showingAPage(in: fetchingElsewhere(in: Recording(broken)))
        if isReading, var call = recording.exchanges.last {
            call.startedAt = call.endedAt + .seconds(1)
            call.request.url = RecordedURL("https://www.shop.example/api/orders")
            call.response?.body = Body(text: "[]", mediaType: "application/json")
            recording.exchanges.append(call)
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes.allSatisfy { $0 != .failure })
    }

    /// A login that its app begins anew at once, or after it had done something well.
    @Test(arguments: [(false, true), (true, false)])
    func takesKeysOfOthersWhereTheSignInIsBegunAnew(isWorking: Bool, fires: Bool) throws {
        var recording = try showingAPage(in: fetchingElsewhere(in: Recording(broken)))
        let fetched = try #require(recording.exchanges.last)
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/authorize" })
        again.startedAt = fetched.endedAt + .seconds(1)
        again.request.url = RecordedURL(
            Recording.changing(again.request.url.text, "state", "state-anew-7731")
        )
        if isWorking {
            var call = fetched
            call.startedAt = fetched.endedAt + .milliseconds(100)
            call.request.url = RecordedURL("https://stock.shop.example/orders")
            recording.exchanges.append(call)
        }
        recording.exchanges.append(again)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesKeysOfOthersAloneWhereTheClientWentOn() throws {
        let recording = try fetchingElsewhere(in: Recording(broken)).goingOn
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(arguments: ["another agent", "later", "other work between"])
    func leavesKeysAloneThatMayHaveBeenFetchedForAnother(reason: String) throws {
        var recording = try fetchingElsewhere(in: Recording(broken))
        var fetched = try #require(recording.exchanges.last)
        switch reason {
        case "another agent":
            recording = recording.sendingHeader("User-Agent", "gateway/1.0", to: "/jwks")
        case "later":
            fetched.startedAt = fetched.startedAt + .seconds(6)
            recording = Recording(recording.exchanges.dropLast() + [fetched])
        default:
            fetched.startedAt = fetched.startedAt - .milliseconds(10)
            fetched.request.url = RecordedURL("https://stock.shop.example/orders")
            recording.exchanges.append(fetched)
        }
        #expect(recording.finding(rule) == nil)
    }

    /// The keys that were read behind the token may have it.
    @Test func abstainsWhereTheNewerKeysWereCutOff() throws {
        let recording = try Recording("id-token/id-token-kid-unknown.near-miss").editingLast("/jwks") {
            exchange in
            exchange.response?.body = Body(
                content: .bytes(Array(#"{"keys":[{"kty":"RSA""#.utf8)),
                mediaType: "application/json",
                isTruncated: true
            )
        }
        #expect(recording.finding("id-token-kid-unknown") == nil)
        #expect(recording.abstention("id-token-kid-unknown") != nil)
    }
}
