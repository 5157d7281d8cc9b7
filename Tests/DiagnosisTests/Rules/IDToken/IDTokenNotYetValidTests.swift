import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenNotYetValidTests {
    private let rule = "id-token-not-yet-valid"
    private let broken = "id-token/id-token-not-yet-valid"

    @Test func namesBothClaimsAndTheTime() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims nbf", "4 jwt.claims iat", "4 response.header Date"])
        #expect(finding.notes == ["10 min after it came", "10 min after it came", "the provider's clock"])
    }

    @Test func putsUpWithLessThanAMinute() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    /// Only `iat`, by so many seconds, and the client went on.
    private func slight(_ seconds: Int64) throws -> Recording {
        let recording = try Recording(broken).goingOn
        let now = try #require(
            recording.exchanges[4].response?.headers.first("date").flatMap { Timestamp(httpDate: $0) }
        )
        return recording.editingIDToken { claims in
            claims["nbf"] = nil
            claims["iat"] = .number(JSONNumber(now.seconds + seconds))
        }
    }

    @Test func isAWarningWhereAnAcceptedTokenIsSlightlyAhead() throws {
        #expect(try slight(60).finding(rule) == nil)
        #expect(try slight(61).finding(rule)?.severity == .warning)
        #expect(try slight(299).finding(rule)?.severity == .warning)
        #expect(try slight(300).finding(rule)?.severity == .error)
    }

    /// The token of a refresh, behind one of the login that a client may put up with.
    @Test func slightOneHidesNoOther() throws {
        var refresh = try #require(Recording(broken).exchanges.last { $0.request.url.path == "/token" })
        var recording = try slight(100).editingAnswer(of: "/token") {
            $0["refresh_token"] = "not-a-refresh-token"
        }
        refresh.startedAt = try #require(recording.exchanges.last).startedAt + .seconds(5)
        refresh.request.body = Body(
            text: FormBody.encode([
                ("grant_type", "refresh_token"), ("refresh_token", "not-a-refresh-token"),
            ]),
            mediaType: FormBody.mediaType
        )
        recording.exchanges.append(refresh)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.places.first == "\(recording.exchanges.count - 1) jwt.claims nbf")
    }

    @Test func readsMilliseconds() throws {
        let recording = try Recording(broken).editingIDToken { $0["iat"] = 1_774_516_500_000 }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains("milliseconds; seconds are expected"))
        // The first time that lies ahead is nbf, in seconds.
        #expect(finding.title == "The ID token is from the future")
        let alone = recording.editingIDToken { $0["nbf"] = nil }
        #expect(alone.finding(rule)?.title == "The ID token has its times in milliseconds")
    }

    @Test func abstainsWhereTheProviderStatesNoTime() throws {
        let recording = try Recording(broken).answering("/token", header: "Date", nil)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
