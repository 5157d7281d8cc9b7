import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct CodeExpiredTests {
    private let rule = "code-expired"
    private let broken = "token-request/code-expired"

    @Test func namesTheAgeAndTheLimit() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "2 response.location code", "4 request.body code", "4 timing age of the code",
                "4 response.body error",
            ]
        )
        #expect(finding.evidence[2].value == "660 s")
        #expect(
            finding.evidence[2].note == "by the provider's clock; codes of most providers live for 600 s"
        )
    }

    @Test func leavesASlowUserAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func measuresByTheRecorderWithoutDates() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.remove("Date")
        }
        #expect(recording.finding(rule)?.evidence[2].note?.hasPrefix("by the recorder's clock") == true)
    }

    /// Names that are written in capitals, or stand under a member of the server's own.
    @Test(arguments: [
        ("error", "INVALID_GRANT", true), ("errorCode", "invalid_grant", true), ("errorCode", "E4711", false),
    ])
    func readsTheNameHoweverItIsWritten(member: String, name: String, fires: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            .object(JSONObject([(member, .string(name))]))
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("token-invalid-grant")?.effectOf == rule) == fires)
    }

    @Test func saysNothingOfAnotherRefusal() throws {
        #expect(
            try Recording(broken).answering("/token", 401, ["error": "invalid_client"]).finding(rule) == nil
        )
    }

    /// However old the code was; words that name its age too, or every cause there is, leave it open.
    @Test(
        arguments: [
            ("authorization code already used", false), ("PKCE verification failed", false),
            ("AADSTS54005: OAuth2 Authorization code was already redeemed", false),
            ("Incorrect redirect_uri", false),
            ("Code was not issued to this client", false), ("The code has expired or has been used", true),
            ("The authorization code has expired", true), ("Code not valid", true),
            ("already used: expired", true),
        ]
    )
    func leavesItToTheProvidersWords(words: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect((recording.finding(rule) != nil) == isTold)
        #expect(recording.finding("token-invalid-grant") != nil || isTold)
    }

    /// MyInfo and Twitch have no name for it.
    @Test(arguments: [("Invalid authorisation code", true), ("Invalid redirect_uri", false)])
    func readsAnswersWithoutAName(words: String, isTold: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["code": "400", "message": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isTold)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASecondUseToItsOwnRule() throws {
        var recording = try Recording("token-request/code-reused")
        recording.exchanges[recording.exchanges.count - 1].startedAt =
            recording.exchanges[0].startedAt + .seconds(4000)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("code-reused") != nil)
    }

    @Test func knowsAProviderThatKeepsCodesForAMinute() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            let text = exchange.request.url.text
            exchange.request.url = RecordedURL(
                text.replacing(
                    "id.harbour.example/",
                    with: "id.harbour.example/realms/shop/protocol/openid-connect/"
                )
            )
            if let location = exchange.response?.location, location.contains("/authorize") {
                exchange.response?.redirect(
                    to: location.replacing(
                        "/authorize",
                        with: "/realms/shop/protocol/openid-connect/authorize"
                    )
                )
            }
            if exchange.request.url.path.hasSuffix("/token") {
                exchange.startedAt = exchange.startedAt + .seconds(70)
                exchange.response?.headers.remove("Date")
            }
        }
        #expect(recording.flows.map(\.provider) == [.keycloak])
        #expect(
            recording.finding(rule)?.evidence[2].note?.hasSuffix("codes of keycloak live for 60 s") == true
        )
    }

    /// By their endpoints, both of them; a code that is younger has not run out.
    @Test(
        arguments: [
            ("/o/authorize/", "/o/token/", 70, "Django OAuth Toolkit live for 60 s"),
            ("/application/o/authorize/", "/application/o/token/", 70, "authentik live for 60 s"),
            ("/api/oidc/authorization", "/api/oidc/token", 70, "Authelia live for 60 s"),
            ("/connect/authorize", "/connect/token", 310, "IdentityServer and OpenIddict live for 300 s"),
            ("/connect/authorize", "/connect/token", 290, nil), ("/o/authorize/", "/o/token/", 40, nil),
            ("/authorize", "/o/token/", 70, nil), ("/o/authorize/", "/token", 70, nil),
            ("/oauth/authorize", "/oauth/token", 310, nil),
        ] as [(String, String, Int64, String?)]
    )
    func knowsProductsByTheirEndpoints(authorization: String, token: String, age: Int64, words: String?)
        throws
    {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            let url = exchange.request.url.text
            exchange.request.url = RecordedURL(
                url.replacing("id.harbour.example/authorize", with: "id.harbour.example\(authorization)")
                    .replacing("id.harbour.example/token", with: "id.harbour.example\(token)")
            )
            if let location = exchange.response?.location, location.contains("/authorize") {
                exchange.response?.redirect(to: location.replacing("/authorize", with: authorization))
            }
            if exchange.request.url.path == token {
                exchange.startedAt = exchange.startedAt + .seconds(age)
                exchange.response?.headers.remove("Date")
            }
        }
        #expect(recording.flows.map(\.provider) == [.generic])
        let note = recording.finding(rule)?.evidence[2].note
        #expect((note != nil) == (words != nil))
        if let words { #expect(note?.hasSuffix("codes of \(words)") == true) }
    }

    /// Codes of Box live for half a minute; Discord's endpoints have the same paths.
    @Test(arguments: [
        ("account.box.com", "api.box.com", "/oauth2/token", true),
        ("discord.com", "discord.com", "/api/oauth2/token", false),
    ])
    func knowsServicesByTheirHosts(page: String, host: String, token: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            let moved = { (url: String) in
                url.replacing("id.harbour.example/authorize", with: page + "/api/oauth2/authorize")
                    .replacing("id.harbour.example/token", with: host + token)
            }
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: moved(location)) }
            guard exchange.request.url.path == token else { return }
            exchange.startedAt = exchange.startedAt + .seconds(40)
            exchange.response?.headers.remove("Date")
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// The network lost the answer to the first try; whether that one had come in time tells what was wrong with the next.
    @Test(arguments: [(665, true), (1, false)])
    func aFirstTryThatWasLostIsJudgedByItsOwnTime(seconds: Int, isLate: Bool) throws {
        var recording = try Recording("token-request/code-expired")
        let delivered = recording.exchanges[2].endedAt
        recording.exchanges[3].startedAt = delivered + .milliseconds(20)
        var lost = recording.exchanges[4]
        lost.startedAt = delivered + .seconds(seconds)
        lost.response = nil
        lost.failure = "ECONNRESET: connection reset by peer"
        recording.exchanges[4].startedAt = lost.startedAt + .seconds(5)
        recording.exchanges.insert(lost, at: 4)
        let finding = recording.finding("code-expired")
        #expect((finding?.isPrimary == true) == isLate)
        #expect((recording.finding("token-invalid-grant")?.isPrimary == true) == !isLate)
        #expect(recording.finding("token-invalid-grant")?.fix.hasPrefix("Begin a new login") == !isLate)
        #expect(recording.finding("code-reused") == nil)
        if isLate {
            #expect(finding?.places.prefix(2) == ["2 response.location code", "4 request.body code"])
        }
    }
}
