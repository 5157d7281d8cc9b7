import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct UserinfoSubMismatchTests {
    private let rule = "userinfo-sub-mismatch"
    private let broken = "resource-calls/userinfo-sub-mismatch"

    @Test func namesBothUsers() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims sub", "6 response.body sub"])
        #expect(finding.evidence.map(\.value) == ["alice", "bob"])
    }

    @Test func readsASignedAnswer() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.findings.isEmpty)
        let other = recording.editingIDToken { $0["sub"] = "bob" }
        #expect(other.finding(rule)?.places.last == "6 jwt.claims sub")
        let lined = other.editingLast("/userinfo") { exchange in
            let text = exchange.response?.body?.text ?? ""
            exchange.response?.body = Body(text: text + "\n", mediaType: "application/jwt")
        }
        #expect(lined.finding(rule)?.places.last == "6 jwt.claims sub")
    }

    @Test func isAnErrorThoughTheClientWentOn() throws {
        let recording = try Recording(broken)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAnswersWithoutASubjectAndRefusalsAlone() throws {
        for none in [nil, JSONValue.null] {
            let recording = try Recording(broken).editingAnswer(of: "/userinfo") { $0["sub"] = none }
            #expect(recording.finding(rule) == nil)
        }
        #expect(
            try Recording(broken).editingLast("/userinfo") { $0.response?.status = 201 }.finding(rule) == nil
        )
    }

    @Test func abstainsWhereEitherCannotBeRead() throws {
        let recording = try Recording(broken)
        let encrypted = recording.editingLast("/userinfo") {
            $0.response?.body = Body(text: "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA")
        }
        for torn in [recording.withEncryptedIDToken, encrypted, recording.withoutBodies(of: "/userinfo")] {
            #expect(torn.finding(rule) == nil)
            #expect(torn.abstention(rule) != nil)
        }
        let without = recording.editingAnswer(of: "/token") { $0["id_token"] = nil }
        #expect(without.finding(rule) == nil)
        #expect(without.abstention(rule) != nil)
    }

    /// Where the credentials were left out, the call is this login's if the capture has no other.
    @Test func comparesWhereTheTokenWasLeftOut() throws {
        let login = try Recording("healthy/web-code-flow").sanitized
        #expect(login.finding(rule) == nil)
        let changed = login.editingAnswer(of: "/userinfo") { $0["sub"] = "bob" }
        #expect(changed.finding(rule)?.isPrimary == true)
        #expect(changed.outcomes == [.failure])
        let other = try Recording("healthy/native-app").sanitized
        #expect(Recording(other.exchanges + changed.exchanges).finding(rule) == nil)
    }

    /// A token that was exchanged may stand for another user.
    @Test(arguments: [false, true]) func leavesAnExchangedTokenAlone(isSanitized: Bool) throws {
        var recording = try Recording(broken)
        let login = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/token" })
        var exchanged = recording.exchanges[login]
        let answer = try JSONParser.parse(try #require(exchanged.response?.body?.bytes))
        exchanged.startedAt = exchanged.endedAt + .milliseconds(1)
        exchanged.request.body = Body(
            text: FormBody.encode([
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("subject_token", try #require(answer["access_token"]?.string)),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                ("requested_subject", "bob"), ("client_id", "shop-web"),
                ("client_secret", "not-a-secret-of-anyone"),
            ]),
            mediaType: FormBody.mediaType
        )
        exchanged.response?.body = .json(
            #"{"access_token":"at-of-bob-8675309","token_type":"Bearer","expires_in":600}"#
        )
        recording.exchanges.insert(exchanged, at: login + 1)
        recording = recording.editingLast("/userinfo") {
            $0.request.headers.replace("Authorization", with: "Bearer at-of-bob-8675309")
        }
        #expect((isSanitized ? recording.sanitized : recording).finding(rule) == nil)
    }
}
