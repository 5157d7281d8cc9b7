import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AccessTokenWrongKindTests {
    private let rule = "access-token-wrong-kind"
    private let broken = "resource-calls/access-token-wrong-kind"

    @Test func namesTokenAndPlace() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "6 request.header Authorization", "4 response.body id_token", "6 request.url ",
                "6 response.header WWW-Authenticate",
            ]
        )
    }

    @Test func leavesTheAppsOwnBackEndAlone() throws {
        let refused = try Recording(broken + ".near-miss")
        #expect(refused.finding(rule) == nil)
        #expect(refused.finding("bearer-rejected")?.title == "The API refused the ID token")
        let own = try Recording(broken).editingLast("/orders") {
            $0.request.url = RecordedURL("https://www.shop.example/api/orders")
        }
        #expect(own.findings.isEmpty)
        #expect(own.outcomes == [.success])
    }

    /// It answers without a challenge, and would refuse the access token, too.
    @Test func kubernetesTakesIDTokens() throws {
        let recording = try Recording(broken).editingLast("/orders") {
            $0.response = RecordedResponse(
                status: 401,
                body: .json(
                    """
                    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized",\
                    "reason":"Unauthorized","code":401}
                    """
                )
            )
        }
        #expect(recording.finding(rule) == nil)
        let refused = try #require(recording.finding("bearer-rejected"))
        #expect(refused.title == "Kubernetes refused the ID token")
        #expect(refused.fix.contains("--oidc-issuer-url"))
    }

    /// Google's APIs, and others that follow its guide, name a version of theirs as well.
    @Test func versionOfAnotherAPIIsNotThatOfKubernetes() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/api/session") {
            $0.response?.body = .json(#"{"apiVersion":"2.0","error":{"code":401,"message":"Unauthorized"}}"#)
        }
        #expect(recording.finding("bearer-rejected")?.title == "The API refused the ID token")
    }

    /// Facebook's API says so with 400 and a number, of a token that it cannot read.
    @Test(arguments: [
        ("https://graph.facebook.com/v22.0/me?fields=id", 190, true),
        ("https://graph.facebook.com/v22.0/me?fields=id", 100, false),
        ("https://api.orders.example/orders", 190, false),
    ])
    func knowsTheNumberOfTheGraphAPI(url: String, code: Int, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") {
            $0.request.url = RecordedURL(url)
            $0.response = RecordedResponse(
                status: 400,
                body: .json(
                    """
                    {"error":{"message":"Invalid OAuth access token - Cannot parse access token",\
                    "type":"OAuthException","code":\(code),"fbtrace_id":"A"}}
                    """
                )
            )
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        if fires { #expect(finding?.fix.contains("App Tracking Transparency") == true) }
    }

    /// An app calls it itself, too.
    @Test func theGraphAPIIsNoAppsBackEnd() throws {
        let recording = try Recording("healthy/native-app")
        let token = try #require(recording.flows.first?.tokenRequests.first?.answer.parameters["id_token"])
        var call = try #require(recording.exchanges.last { $0.request.url.path == "/userinfo" })
        call.startedAt = call.startedAt + .seconds(1)
        call.request.url = RecordedURL("https://graph.facebook.com/v22.0/me")
        call.request.headers.replace("Authorization", with: "Bearer " + token)
        call.response = RecordedResponse(
            status: 400,
            body: .json(
                #"{"error":{"message":"Cannot parse access token","type":"OAuthException","code":190}}"#
            )
        )
        #expect(Recording(recording.exchanges + [call]).finding(rule)?.isPrimary == true)
    }

    @Test func theProviderIsNobodysBackEnd() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/api/session") {
            $0.request.url = RecordedURL("https://id.harbour.example/userinfo")
        }
        #expect(recording.finding(rule) != nil)
    }

    /// An app that brings its provider along takes the ID tokens that it issues.
    @Test(arguments: [
        ("https://id.harbour.example/api/dex", "/api/v1/applications", false),
        ("https://id.harbour.example/api/dex", "/api/dex/me", true),
        ("https://id.harbour.example", "/api/v1/applications", true),
        ("https://id.other.example/api/dex", "/api/v1/applications", true),
    ])
    func aProviderBelowAPathHasNeighbours(issuer: String, path: String, fires: Bool) throws {
        let issued = try Recording(broken + ".near-miss").editingIDToken(claims: {
            $0["iss"] = .string(issuer)
        })
        let token = try #require(
            issued.exchanges.last { $0.request.url.path == "/token" }?.response?.body?.bytes
                .flatMap { try? JSONParser.parse($0) }?["id_token"]?.string
        )
        let recording = issued.sendingHeader("Authorization", "Bearer \(token)", to: "/api/session")
            .editingLast("/api/session") {
                $0.request.url = RecordedURL("https://id.harbour.example\(path)")
            }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("bearer-rejected")?.title == "The API refused the ID token") == !fires)
    }

    @Test func aStrangerThatChallengesIsAnAPI() throws {
        let stranger = try Recording(broken + ".near-miss").editingLast("/api/session") {
            $0.request.url = RecordedURL("https://api.orders.example/orders")
        }
        #expect(stranger.finding(rule) == nil)
        #expect(stranger.abstention(rule) != nil)
        let challenge = stranger.answering(
            "/orders",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\""
        )
        #expect(challenge.finding(rule) != nil)
        // So is one with metadata of its own.
        for (host, isOne) in [("api.orders.example", true), ("api.stock.example", false)] {
            var document = stranger.exchanges[0]
            document.request.url = RecordedURL("https://\(host)/.well-known/oauth-protected-resource")
            document.response = RecordedResponse(
                status: 200,
                body: .json(#"{"resource":"https://\#(host)"}"#)
            )
            #expect((Recording([document] + stranger.exchanges).finding(rule) != nil) == isOne)
        }
    }

    /// An app's API often has the name of the app, which its redirect URI is made of.
    @Test(arguments: [
        (-100, "access_token", false, true), (500, "access_token", false, false),
        (-100, "id_token", true, false),
    ])
    func aHostThatTookTheAccessTokenWantsIt(at time: Int, token: String, isChallenged: Bool, fires: Bool)
        throws
    {
        var own = try Recording(broken + ".near-miss")
        #expect(own.finding(rule) == nil)
        if isChallenged {
            let challenge = "Bearer error=\"invalid_token\""
            own = own.answering("/api/session", header: "WWW-Authenticate", challenge)
        }
        let refused = try #require(own.exchanges.last { $0.request.url.path == "/api/session" })
        var recording = own
        var before = refused
        before.startedAt = before.startedAt + .milliseconds(time)
        let granted = try #require(
            own.exchanges.last { $0.request.url.path == "/token" }?.response?.body?.bytes
                .flatMap { try? JSONParser.parse($0) }?[token]?.string
        )
        before.request.headers.replace("Authorization", with: "Bearer \(granted)")
        before.request.url = RecordedURL((refused.request.url.origin ?? "") + "/api/cart")
        before.response = RecordedResponse(status: 200)
        recording.exchanges.append(before)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Who was brought the code is the app's own server, and may want to see the ID token, challenge or not.
    @Test(arguments: [true, false]) func aHostThatWasBroughtTheCodeIsTheApps(isBrought: Bool) throws {
        var recording = try Recording(broken + ".near-miss").answering(
            "/api/session",
            header: "WWW-Authenticate",
            "Bearer error=\"invalid_token\""
        )
        let code = try #require(recording.flows.first?.authorizationResponses.first?.code)
        if isBrought {
            var relay = try #require(recording.exchanges.last { $0.request.url.path == "/api/session" })
            relay.startedAt = recording.exchanges[1].endedAt + .milliseconds(20)
            relay.request.url = RecordedURL((relay.request.url.origin ?? "") + "/api/code")
            relay.request.headers.remove("Authorization")
            relay.request.method = "POST"
            relay.request.body = .json("{\"code\":\"\(code)\"}")
            relay.response = RecordedResponse(status: 200, body: .json("{}"))
            recording.exchanges.insert(relay, at: 2)
        }
        #expect((recording.finding(rule) == nil) == isBrought)
    }

    @Test(arguments: [(200, false), (401, true), (403, true), (500, true)])
    func goesByTheAnswer(status: Int, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { $0.response?.status = status }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// What is refused for the right to it says nothing of the token, and hides no refusal that does.
    @Test func aRefusalForRightsHidesNoneOfTheToken() throws {
        let refused = try Recording(broken)
        var recording = refused.editingLast("/orders") {
            let body = Body.json(#"{"message":"Missing Authentication Token"}"#)
            $0.response = RecordedResponse(status: 403, body: body)
        }
        #expect(recording.finding(rule)?.severity == .note)
        var later = try #require(refused.exchanges.last)
        later.startedAt = later.endedAt + .milliseconds(10)
        later.request.url = RecordedURL((later.request.url.origin ?? "") + "/cart")
        recording.exchanges.append(later)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places.contains("7 request.url "))
    }

    /// Each call of several is told.
    @Test func namesFurtherRefusals() throws {
        var recording = try Recording(broken)
        var later = try #require(recording.exchanges.last)
        later.startedAt = later.endedAt + .milliseconds(10)
        recording.exchanges.append(later)
        let places = try #require(recording.finding(rule)?.places)
        #expect(places.first == "6 request.header Authorization")
        #expect(
            places.suffix(3) == [
                "7 request.header Authorization", "7 request.url ", "7 response.header WWW-Authenticate",
            ]
        )
    }

    /// A 403 without a challenge is about a record or a role mostly, and so it is where the API is seen to look for what it is asked for.
    @Test(arguments: [nil, 200, 404, 401]) func aBare403EndsTheLoginWhereTheAPITookNothing(other: Int?) throws
    {
        var recording = try Recording(broken).editingLast("/orders") {
            $0.response = RecordedResponse(status: 403, body: .json(#"{"message":"Forbidden"}"#))
        }
        if let other {
            var later = try #require(recording.exchanges.last)
            later.startedAt = later.endedAt + .milliseconds(10)
            later.request.url = RecordedURL((later.request.url.origin ?? "") + "/cart")
            later.response = RecordedResponse(status: other, body: .json("{}"))
            recording.exchanges.append(later)
        }
        let isTaken = other == 200 || other == 404
        #expect(recording.finding(rule)?.severity == (isTaken ? .note : .error))
        #expect(recording.outcomes == [isTaken ? .success : .failure])
    }

    /// Amazon's API Gateway takes ID tokens, and Firestore and Cloud Run do: what they say with 403 is about rights and paths.
    @Test(
        arguments: [
            (
                403, #"{"Message":"User is not authorized to access this resource with an explicit deny"}"#,
                true
            ),
            (403, #"{"message":"Missing Authentication Token"}"#, true),
            (403, #"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#, true),
            (403, "RBAC: access denied", true), (403, "Audiences in Jwt are not allowed", false),
            (403, "<html><head><title>403 Forbidden</title></head><h1>Error: Forbidden</h1></html>", true),
            (403, #"{"error":"invalid_token"}"#, false),
            (401, #"{"message":"Unauthorized"}"#, false),
        ]
    )
    func aRefusalOfRightsEndsNoLogin(status: Int, body: String, isNote: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") {
            let isPage = body.hasPrefix("<")
            $0.response = RecordedResponse(status: status, body: isPage ? .html(body) : .json(body))
        }
        #expect(recording.finding(rule)?.severity == (isNote ? .note : .error))
        #expect(recording.outcomes == [isNote ? .success : .failure])
    }

    @Test func leavesTheAccessTokenAlone() throws {
        #expect(try Recording("resource-calls/bearer-rejected").finding(rule) == nil)
    }
}
