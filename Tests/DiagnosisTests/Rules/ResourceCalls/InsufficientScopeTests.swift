import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct InsufficientScopeTests {
    private let rule = "insufficient-scope"
    private let broken = "resource-calls/insufficient-scope"

    @Test func namesTheScopeThatIsNeededAndTheOneThatWasGranted() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "6 response.header WWW-Authenticate", "6 request.url ", "6 response.header WWW-Authenticate",
                "4 response.body scope",
            ]
        )
        #expect(finding.evidence[2].value == "orders.read")
        #expect(finding.evidence[3].value == "openid profile")
    }

    /// Who is told that a token is not enough has shown one, also where the export left it out, alone or as one file of an import.
    @Test(arguments: [nil, "healthy/native-app"] as [String?])
    func knowsOfATokenThatWasLeftOut(beside: String?) throws {
        let sanitized = try Recording(broken).sanitized
        let recording = try beside.map { try sanitized.imported(beside: $0) } ?? sanitized
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[2].value == "none" && finding.evidence[3].value == "orders.read")
        #expect(recording.outcomes.contains(.failure))
        // Of a plain no nobody knows whether a token was shown.
        let plain = sanitized.answering("/orders", header: "WWW-Authenticate", "Bearer")
        #expect(plain.finding(rule) == nil)
    }

    /// UserInfo is known by its address.
    @Test func knowsOfATokenThatWasLeftOutOfACallOfUserInfo() throws {
        let recording = try Recording("healthy/web-code-flow").sanitized
            .answering("/userinfo", 403, ["error": "insufficient_scope"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAPlainNoAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Incremental consent: the client asks for what it lacks, and calls again.
    @Test func isNoErrorWhereTheClientThenAsksForIt() throws {
        let first = try Recording(broken)
        var second = try Recording(broken).asking("state", "another-state-1").asking(
            "nonce",
            "another-nonce-1"
        )
        .asking("scope", "openid orders.read").answering("/orders", 200)
        second.exchanges = second.exchanges.filter {
            ["/authorize", "/orders"].contains($0.request.url.path)
        }
        .map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + .seconds(60)
            for index in exchange.request.headers.fields.indices
            where exchange.request.headers.fields[index].name == "Authorization" {
                exchange.request.headers.fields[index].value = "Bearer another-token-8675309-abcdef"
            }
            return exchange
        }
        let recording = Recording(first.exchanges + second.exchanges)
        #expect(recording.finding(rule)?.severity != .error)
        #expect(recording.outcomes.first == .success)
    }

    @Test func readsTheBody() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/orders",
            403,
            ["error": "insufficient_scope"]
        )
        #expect(recording.finding(rule) != nil)
    }

    /// Google, Dropbox, HubSpot, Strava, Shopify, Slack, Spotify and two APIs of one's own; then what is no scope's affair.
    @Test(arguments: [
        (
            403,
            #"{"error":{"code":403,"message":"Request had insufficient authentication scopes.","status":"PERMISSION_DENIED"}}"#,
            true
        ),
        (401, #"{"error_summary":"missing_scope/..","error":{".tag":"missing_scope"}}"#, true),
        (
            403,
            #"{"message":"This app hasn't been granted all required scopes","category":"MISSING_SCOPES"}"#,
            true
        ),
        (
            401,
            #"{"errors":[{"resource":"AccessToken","field":"activity:read_permission","code":"missing"}]}"#,
            true
        ),
        (403, #"{"errors":"This action requires merchant approval for read_customers scope."}"#, true),
        (
            200, #"{"ok":false,"error":"missing_scope","needed":"channels:read","provided":"chat:write"}"#,
            true
        ),
        (403, #"{"error":{"status":403,"message":"Insufficient client scope"}}"#, true),
        (403, #"{"error":"forbidden","message":"Insufficient scope: needs orders:read"}"#, true),
        (
            403,
            #"{"resourceType":"OperationOutcome","issue":[{"diagnostics":"Token is missing the required scope patient/Observation.read"}]}"#,
            true
        ),
        (403, #"{"issue":[{"diagnostics":"The required field scope.start is missing"}]}"#, false),
        (
            403,
            #"{"code":"900910","message":"The access token does not allow you to access the requested resource","description":"Scope validation failed"}"#,
            true
        ), (403, #"{"code":"900910","description":"Schema validation failed"}"#, false),
        (403, #"{"message":"User is not an administrator"}"#, false),
        (403, #"{"message":"Gmail API has not been used in project 4 before or it is disabled."}"#, false),
        (200, #"{"ok":true,"error":"missing_scope"}"#, false),
        (404, #"{"message":"missing scope"}"#, false),
        (
            403,
            #"{"message":"User is not an administrator","docs":"the required scopes are in the handbook"}"#,
            false
        ),
    ])
    func readsWhatAPIsSayInTheirOwnWords(status: Int, body: String, isForScope: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/orders") {
            $0.response?.status = status
            $0.response?.body = .json(body)
        }
        #expect((recording.finding(rule)?.isPrimary == true) == isForScope)
        #expect(recording.outcomes == [isForScope ? .failure : .success])
    }

    /// What is not there is answered with 404, and names the scope of the place all the same.
    @Test(arguments: [
        (404, "read:user", "repo", false), (403, "read:user, user:email", "admin:org, read:org", true),
        (403, "repo, read:user", "public_repo, repo", false), (403, "read:user", "", false),
        (500, "read:user", "repo", false),
    ])
    func readsTheScopesOfGitHub(status: Int, granted: String, accepted: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/orders") {
            $0.response?.status = status
            $0.response?.headers.fields += [
                HeaderFields.Field(name: "X-OAuth-Scopes", value: granted),
                HeaderFields.Field(name: "X-Accepted-OAuth-Scopes", value: accepted),
            ]
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
        guard let finding else { return }
        #expect(finding.evidence.suffix(2).map(\.value) == [accepted, granted])
    }

    @Test func knowsUserInfoOfKeycloak() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/orders") {
            $0.request.url = RecordedURL("https://id.harbour.example/userinfo")
        }
        #expect(recording.finding(rule) == nil)
        let answer: JSONValue = ["error": "access_denied", "error_description": "Missing openid scope"]
        #expect(recording.answering("/userinfo", 403, answer).finding(rule) != nil)
    }

    @Test func knowsUserInfoOfCognito() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/orders") {
            $0.request.url = RecordedURL("https://id.harbour.example/userinfo")
        }
        let words = "Access token does not contain openid scope"
        let answer: JSONValue = ["error": "invalid_token", "error_description": .string(words)]
        #expect(recording.answering("/userinfo", 401, answer).finding(rule)?.isPrimary == true)
    }

    @Test func leavesALaterSuccessAlone() throws {
        var recording = try Recording(broken)
        var later = recording.exchanges[6]
        later.startedAt = later.startedAt + .seconds(60)
        later.response?.status = 200
        recording.exchanges.append(later)
        #expect(recording.finding(rule) == nil)
    }

    /// An app that loads its list again after it was not let create anything; then what shows that the scope is there by now.
    @Test(arguments: [
        ("POST", "GET", false, "", true), ("POST", "GET", true, "", true), ("POST", "POST", true, "", false),
        ("POST", "POST", false, "", false), ("GET", "GET", false, "?mine=1", true),
    ])
    func holdsARefusalAgainstTheSameCall(
        method: String,
        later: String,
        isNewToken: Bool,
        query: String,
        fires: Bool
    ) throws {
        var recording = try Recording(broken)
        recording.exchanges[6].request.method = method
        var second = recording.exchanges[6]
        second.startedAt = second.startedAt + .seconds(60)
        second.request.method = later
        second.request.url = RecordedURL(second.request.url.text + query)
        second.response?.status = 200
        second.response?.headers.remove("www-authenticate")
        if isNewToken {
            let token = "another-token-8675309"
            recording = recording.refreshing(to: token)
            recording.exchanges.append(second)
            recording = recording.replacing("Authorization", with: "Bearer " + token, at: 8)
        } else {
            recording.exchanges.append(second)
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// The token stays what it is, and its user agreed to more (Facebook).
    @Test func leavesATokenAloneWhoseUserWasAskedAgain() throws {
        var recording = try Recording(broken)
        var request = try #require(
            recording.exchanges.first { $0.request.url.path == "/authorize" }
        )
        request.startedAt = recording.exchanges[6].startedAt + .seconds(30)
        var later = recording.exchanges[6]
        later.startedAt = later.startedAt + .seconds(60)
        later.request.url = RecordedURL(later.request.url.text + "?page=1")
        later.response?.status = 200
        recording.exchanges.append(later)
        #expect(recording.finding(rule) != nil)
        recording.exchanges.insert(request, at: 7)
        #expect(recording.finding(rule) == nil)
    }

    /// django-oidc-provider names no scheme before the parameters.
    @Test func readsAChallengeWithoutAScheme() throws {
        let recording = try Recording(broken).answering(
            "/orders",
            header: "WWW-Authenticate",
            #"error="insufficient_scope", error_description="The request requires higher privileges""#
        )
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding(rule)?.isPrimary == true)
    }
}
