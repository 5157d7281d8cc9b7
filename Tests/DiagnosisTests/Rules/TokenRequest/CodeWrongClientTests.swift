import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CodeWrongClientTests {
    private let rule = "code-wrong-client"
    private let broken = "token-request/code-wrong-client"

    @Test(arguments: [
        ("shop-web ", "white space around it"), ("Shop-Web", "differs in upper and lower case only"),
        ("shop-web\u{200b}", "has U+200B"),
    ])
    func saysThatItIsASpelling(client: String, note: String) throws {
        let recording = try Recording(broken).asking("client_id", "shop-web").sending("client_id", client)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The token request spells the client_id in another way than the login did")
        #expect(finding.evidence[1].note?.contains(note) == true, "\(finding.evidence[1].note ?? "")")
        #expect(try #require(Recording(broken).finding(rule)).title.contains("by another client"))
    }

    @Test func namesBothClients() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.query client_id", "4 request.body client_id", "4 response.body error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["shop-web", "shop-web-staging"])
    }

    @Test func leavesAnotherSpellingOfTheIDAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesAnAcceptedExchangeAlone() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsTheUserOfBasicCredentials() throws {
        let recording = try Recording("token-request/token-invalid-client").asking("client_id", "shop-app")
        let finding = recording.finding(rule)
        #expect(finding?.places[1] == "4 request.header Authorization")
        #expect(try Recording("token-request/token-invalid-client").finding(rule) == nil)
    }

    /// Where the login's own client had its tokens before, two parties exchange one code, unless the provider refuses the client itself.
    @Test(arguments: [(400, "invalid_grant", false), (401, "invalid_client", true)])
    func leavesASpentCodeToItsRule(status: Int, error: String, isOne: Bool) throws {
        let recording = try Recording("token-request/code-reused").sending("client_id", "shop-admin")
            .answering("/token", status, ["error": .string(error)])
        #expect((recording.finding(rule) != nil) == isOne)
        #expect((recording.finding("code-reused") == nil) == isOne)
    }

    @Test func saysNothingWithoutAClient() throws {
        let recording = try Recording(broken).sending("client_id", nil).sending("client_secret", nil)
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [429, 503]) func saysNothingOfLoad(status: Int) throws {
        #expect(try Recording(broken).answering("/token", status).finding(rule) == nil)
    }

    @Test func leavesAnAssertionThatContradictsTheBodyToItsOwnRule() throws {
        let header = encoded("{\"alg\":\"ES256\"}")
        let claims = encoded("{\"iss\":\"shop-admin\",\"sub\":\"shop-admin\"}")
        let recording = try Recording(broken).sending("client_secret", nil).sending("client_id", "shop-web")
            .sending("client_assertion", "\(header).\(claims).c2ln")
        #expect(recording.finding(rule) == nil)
    }

    @Test func readsTheSubjectOfAnAssertion() throws {
        let header = encoded("{\"alg\":\"ES256\"}")
        let claims = encoded("{\"iss\":\"shop-admin\",\"sub\":\"shop-admin\"}")
        let recording = try Recording(broken).sending("client_secret", nil).sending("client_id", nil)
            .sending("client_assertion", "\(header).\(claims).c2ln")
        #expect(recording.finding(rule)?.evidence[1].value == "shop-admin")
    }

    @Test func abstainsWhereTheTokenRequestWasNotSaved() throws {
        let recording = try Recording(broken).withMetadata().withoutBodies(of: "/token")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A public client that brings another one's code may not have it, and is not asked for a secret.
    @Test func goesBeforeASecretThatIsNotThere() throws {
        let recording = try Recording(broken).sending("client_secret", nil)
            .answering("/token", 400, ["error": "unauthorized_client"])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("client-auth-missing")?.effectOf == rule)
    }

    /// Authlib's answer.
    @Test(arguments: [("unauthorized_client", true), ("invalid_grant", true), ("expired_token", false)])
    func readsADevicesCodeToo(error: String, fires: Bool) throws {
        let device = try Recording("logout-and-device/device-code-expired")
            .answering("/token", 400, ["error": .string(error)])
        #expect(device.finding(rule) == nil)
        let finding = device.sending("client_id", "shop-radio").finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(
            !fires
                || finding?.places == [
                    "0 request.body client_id", "2 request.body client_id", "2 response.body error",
                ]
        )
    }

    /// As an app of Apple's brings it to its server, which takes it for the website's.
    @Test(arguments: [("shop-app", true), ("shop-admin", false)])
    func codeThatCameWithAnIDTokenIsOfItsAudience(audience: String, isOne: Bool) throws {
        var recording = try Recording(broken).without { $0.request.url.path != "/token" }.sending(
            "client_id",
            "shop-admin"
        )
        var handed = try #require(recording.exchanges.last)
        let code = try #require(FormBody.items(of: handed.request.body)?.first("code"))
        let claims =
            #"{"iss":"https://id.harbour.example","aud":"\#(audience)","sub":"alice","iat":1772000000,"exp":1900000000}"#
        let token = [#"{"alg":"RS256"}"#, claims, "signature"].map(encoded).joined(separator: ".")
        handed.request.url = RecordedURL("https://api.shop.example/auth/apple")
        handed.request.headers.fields.removeAll { $0.name.lowercased() == "authorization" }
        handed.request.body = Body(
            text: #"{"identityToken":"\#(token)","authorizationCode":"\#(code)"}"#,
            mediaType: "application/json"
        )
        handed.response = RecordedResponse(status: 500)
        handed.duration = .seconds(2)
        recording.exchanges = [handed] + recording.exchanges
        recording.exchanges[1].startedAt = handed.startedAt + .milliseconds(50)
        #expect(recording.outcomes == [.failure])
        let finding = recording.finding("code-wrong-client")
        #expect((finding?.isPrimary == true) == isOne)
        if isOne { #expect(finding?.evidence[0].value == "shop-app") }
    }

    /// Google gives an app a second code beside its tokens, for the client of the app's server.
    @Test(arguments: [("app-ios", true), ("app-web", false)])
    func knowsTheCodeThatAnAppWasGivenForItsServer(client: String, isOne: Bool) {
        var capture = CaptureBuilder()
        let callback = "com.example.shop:/oauth2callback"
        capture.redirect(
            "https://accounts.google.com/o/oauth2/v2/auth?response_type=code&client_id=app-ios&scope=email&state=not-a-state"
                + "&redirect_uri=com.example.shop%3A%2Foauth2callback&audience=app-web",
            to: callback + "?code=u81mQ4zkW0&state=not-a-state",
            headers: [("Cookie", "NID=1")]
        )
        capture.post(
            "https://oauth2.googleapis.com/token",
            [
                ("grant_type", "authorization_code"), ("code", "u81mQ4zkW0"),
                ("client_id", "app-ios"), ("redirect_uri", callback), ("audience", "app-web"),
            ],
            body: .json(
                #"{"access_token":"not-a-token","token_type":"Bearer","server_code":"Hs5-9bTtYe"}"#
            )
        )
        capture.post(
            "https://oauth2.googleapis.com/token",
            [
                ("grant_type", "authorization_code"), ("code", "Hs5-9bTtYe"),
                ("client_id", client), ("redirect_uri", ""),
            ],
            401,
            body: .json(#"{"error":"unauthorized_client","error_description":"Unauthorized"}"#)
        )
        let recording = Recording(capture.exchanges)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isOne)
        if isOne {
            #expect(
                finding?.places == [
                    "1 request.body audience", "1 response.body server_code", "2 request.body client_id",
                    "2 response.body error",
                ]
            )
        }
        // The app's own client was given tokens without credentials, so it has none to send.
        #expect((recording.finding("client-auth-missing") == nil) == isOne)
    }

    @Test func tellsOfAnotherTenantByEntrasNumber() throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description":
                    "AADSTS700005: Provided Authorization Code is intended to use against other tenant.",
            ]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was exchanged at another tenant")
        #expect(finding.places.prefix(2).allSatisfy { $0.hasSuffix("request.url ") })
    }

    @Test func tellsOfAnotherPolicyByItsNumber() throws {
        let healthy = try Recording("healthy/web-code-flow").withEndpoints {
            "https://shop.b2clogin.com/shop.example/oauth2/v2.0/\($0)?p=B2C_1_edit_profile"
        }
        let recording = healthy.editing { exchange in
            guard exchange.request.url.path.hasSuffix("/token") else { return }
            exchange.request.url = RecordedURL(
                "https://shop.b2clogin.com/shop.example/oauth2/v2.0/token?p=B2C_1_signin"
            )
            exchange.response?.status = 400
            exchange.response?.body = .json(
                #"{"error":"invalid_grant","error_description":"AADB2C90088: The provided grant has not been issued for this endpoint."}"#
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The code was brought to the token endpoint of another policy")
        #expect(finding.evidence[0].value.hasSuffix("/authorize?p=B2C_1_edit_profile"))
        #expect(finding.evidence[1].value.hasSuffix("/token?p=B2C_1_signin"))
    }

    @Test func takesTheProvidersWordForOneHalf() throws {
        let half = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description": "client_id mismatch. The code was not issued to shop-web-staging.",
            ]
        ).withoutAuthorization
        #expect(half.finding(rule)?.isPrimary == true)
    }
}
