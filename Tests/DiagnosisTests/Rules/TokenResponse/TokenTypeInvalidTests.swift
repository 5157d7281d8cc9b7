import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct TokenTypeInvalidTests {
    private let rule = "token-type-invalid"
    private let broken = "token-response/token-type-invalid"

    /// The API of AWS speaks camel case, and its names are known.
    @Test func accessTokenOfIdentityCenterIsOne() throws {
        let recording = try Recording(Array(Recording("healthy/native-app").exchanges.prefix(4)))
            .answering(
                "/token",
                200,
                ["accessToken": "aoaAAAAAG7xk2", "tokenType": "Bearer", "expiresIn": 28800]
            ).editing { exchange in
                guard exchange.request.url.path == "/token" else { return }
                exchange.request.url = RecordedURL("https://oidc.eu-west-1.amazonaws.com/token")
            }
        #expect(recording.finding("token-type-invalid") == nil)
    }

    @Test func namesTheMembersThatAreThere() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["4 response.body token_type"])
        #expect(finding.evidence[0].value == "missing")
    }

    @Test func leavesLowerCaseAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: ["DPoP", "N_A", "PoP", "MAC", "BEARER"]) func leavesKnownTypesAlone(type: String) throws
    {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["token_type"] = .string(type) }
        #expect(recording.finding(rule) == nil)
    }

    @Test func showsAnUnknownOne() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["token_type"] = "JWT" }
        #expect(recording.finding(rule)?.evidence.map(\.value) == ["JWT"])
    }

    @Test func isAWarningWhereTheAppWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .warning)
    }

    @Test func saysNothingWithoutAnAccessToken() throws {
        #expect(
            try Recording(broken).editingAnswer(of: "/token") { $0["access_token"] = nil }.finding(rule)
                == nil
        )
        #expect(try Recording(broken).withoutBodies(of: "/token").finding(rule) == nil)
    }

    /// Under names of the provider's own, which no library reads: it has no type that could be wrong, and the app's refusal tells of it.
    @Test func leavesAnAnswerWithoutAnAccessTokenToTheAppsRefusal() throws {
        let renamed = try Recording("healthy/web-code-flow")
            .answering("/token", 200, ["token": "abc", "expires": 3600])
            .answeringCallback(500)
        let nested = renamed.answering("/token", 200, ["status": "ok", "data": ["access_token": "abc"]])
        let idTokenOnly = renamed.editingAnswer(of: "/token") { $0["id_token"] = "e30.e30.c2ln" }
        // What was asked for without a token failed, of course.
        let failing = renamed.answering("/userinfo", 500)
        #expect(
            failing.finding("callback-rejected-by-app")?.notes.contains("the answer has token, expires")
                == true
        )
        for (recording, note) in [
            (renamed, "the answer has token, expires"),
            (nested, "the answer has status, data; data has an access_token"), (idTokenOnly, nil),
        ] {
            #expect(recording.finding(rule) == nil)
            let finding = recording.finding("callback-rejected-by-app")
            #expect(
                (finding?.explanation.contains("no member that is named access_token") == true)
                    == (note != nil)
            )
            guard let note else { continue }
            #expect(finding?.isPrimary == true)
            #expect(finding?.notes.contains(note) == true)
        }
    }

    /// An answer without a token has no type to be wrong, and nobody says that it stopped the app: no more than a note.
    @Test func notesAnAnswerWithoutAnAccessTokenBehindWhichNothingCame() throws {
        let login = try Recording("healthy/native-app")
            .answering("/token", 200, ["accessToken": "abc", "expiresIn": 3600])
        let answered = try #require(login.exchanges.lastIndex { $0.request.url.path == "/token" })
        let stopped = Recording(Array(login.exchanges[...answered]))
        #expect(try Recording("healthy/native-app").finding(rule) == nil)
        let finding = try #require(stopped.finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.evidence[0].note == "the answer has accessToken, expiresIn")
        let failed = stopped.answering("/token", 200, ["code": 17, "message": "try later"])
        #expect(failed.finding(rule) == nil)
        var call = Recording(stopped.exchanges).exchanges[answered]
        call.request.url = RecordedURL("https://api.harbour.example/me")
        call.request.method = "GET"
        call.request.body = nil
        call.request.headers = HeaderFields([("Authorization", "Bearer abc")])
        call.startedAt = call.endedAt
        #expect(Recording(stopped.exchanges + [call]).finding(rule) == nil)
    }

    /// Members that speak of errors elsewhere may say that there is none; Slack's users and IndieAuth's names are no token's business.
    @Test(
        arguments: [
            (#"{"code":0,"message":"ok","tok":"abc"}"#, "code, message, tok"),
            (#"{"code":200,"tok":"abc"}"#, "code, tok"), (#"{"code":17,"tok":"abc"}"#, nil),
            (#"{"status":"Success","tok":"abc"}"#, "status, tok"),
            (#"{"status":"failed","tok":"abc"}"#, nil),
            (#"{"ok":true,"authed_user":{"id":"U1","access_token":"xoxp-1"}}"#, nil),
            (#"{"me":"https://alice.example/","profile":{"name":"Alice"}}"#, nil),
        ] as [(String, String?)]
    )
    func tellsAnAnswerWithoutATokenFromAnotherKindOfAnswer(json: String, members: String?) throws {
        let login = try Recording("healthy/native-app").editingLast("/token") {
            $0.response?.body = .json(json)
        }
        let answered = try #require(login.exchanges.lastIndex { $0.request.url.path == "/token" })
        let finding = Recording(Array(login.exchanges[...answered])).finding(rule)
        #expect(finding?.evidence.first?.note == members.map { "the answer has \($0)" })
    }

    /// What became of the answer is not known without the login, and it was used where tokens were asked for again.
    @Test func isAWarningWhereNothingShowsThatItWasRefused() throws {
        let half = try Recording(broken).withoutAuthorization
        #expect(half.finding(rule)?.severity == .warning)
        // Of two the first is told of.
        var second = try #require(half.exchanges.last { $0.request.url.path == "/token" })
        second.startedAt = second.startedAt + .seconds(3)
        let twice = Recording(half.exchanges + [second]).editingAnswer(of: "/token") {
            $0["token_type"] = "JWT"
        }
        #expect(twice.finding(rule)?.evidence.map(\.value) == half.finding(rule)?.evidence.map(\.value))
        var reloaded = try Recording(broken)
        var again = try #require(reloaded.exchanges.last { $0.request.url.path == "/token" })
        again.startedAt = again.startedAt + .seconds(3)
        again.response?.status = 400
        again.response?.body = Body(
            text: #"{"error":"invalid_grant","error_description":"code been used"}"#,
            mediaType: "application/json"
        )
        reloaded.exchanges.append(again)
        #expect(reloaded.finding(rule)?.severity == .warning)
        #expect(reloaded.finding("code-reused")?.isPrimary == true)
    }

    @Test(
        arguments: [
            ("https://slack.com/api/oauth.v2.access", "bot", true),
            ("https://slack.com/api/oauth.v2.access", "cat", false),
            ("https://team.slack.com/api/oauth.v2.access", "bot", true),
            ("https://shop.myshopify.com/admin/oauth/access_token", nil, true),
            ("https://shop.myshopify.com/admin/oauth/access_token", "cat", false),
            ("https://api.weixin.qq.com/sns/oauth2/access_token", nil, true),
            ("https://api.workos.com/user_management/authenticate", nil, true),
            ("https://id.harbour.example/oauth/access_token", nil, false),
        ] as [(String, String?, Bool)]
    )
    func isANoteWhereTheProviderDocumentsIt(url: String, type: String?, isDocumented: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") {
            $0["token_type"] = type.map { .string($0) }
        }.editing { exchange in
            if exchange.request.url.path == "/token" { exchange.request.url = RecordedURL(url) }
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.severity == .note) == isDocumented)
        #expect(finding.fix.contains("Nothing needs fixing") == isDocumented)
    }
}
