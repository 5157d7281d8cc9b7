import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct ClientTypeMismatchTests {
    private let rule = "client-type-mismatch"
    private let broken = "token-request/client-type-mismatch"

    @Test func namesTheTextAndTheSender() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body error", "4 request.header User-Agent", "4 request.body redirect_uri",
            ]
        )
        #expect(finding.evidence[1].note == "no Origin: not sent by a page")
    }

    /// A program on the user's machine has a platform of its own at Entra.
    @Test(arguments: [
        ("http://127.0.0.1:53682/", true), ("example.shop:/cb", true), ("https://www.shop.example/cb", false),
    ])
    func tellsAProgramFromABackEnd(uri: String, isProgram: Bool) throws {
        let recording = try Recording(broken).sending("redirect_uri", uri).sending("client_id", "shop-web")
            .sending("client_secret", nil)
        let fix = try #require(recording.finding(rule)).fix
        #expect(fix.contains("mobile and desktop applications") == isProgram)
    }

    @Test func leavesOtherTextsAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [("WEB", true), ("CHROME_EXTENSION", false)])
    func readsAnErrorAtTheRedirectURI(type: String, isWeb: Bool) throws {
        let recording = try Recording("authorization-request/redirect-uri-not-registered").editing {
            exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.status = 400
            exchange.response?.body = Body(
                text:
                    "<!doctype html><title>Error</title>Error 400: invalid_request. Custom scheme URIs are not allowed for '\(type)' client type.",
                mediaType: "text/html"
            )
        }
        #expect(recording.finding(rule)?.fix.contains("client of the type iOS") == isWeb)
    }

    @Test func leavesTheTextOfCORSAlone() throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_request",
                "error_description":
                    "AADSTS9002326: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
            ]
        )
        #expect(recording.finding(rule) == nil)
    }

    /// Entra takes whoever sends an Origin for a page; of another kind of app that says nothing.
    @Test(
        arguments: [
            ("Go-http-client/1.1", "http://localhost:9876", true), ("Go-http-client/1.1", nil, false),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0)", "http://localhost:9876", false),
            (nil, "http://localhost:9876", false),
        ] as [(String?, String?, Bool)]
    )
    func knowsAProgramThatIsTakenForAPage(agent: String?, origin: String?, isOne: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            [
                "error": "invalid_request",
                "error_description":
                    "AADSTS9002326: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
            ]
        )
        .sendingHeader("User-Agent", agent, to: "/token").sendingHeader("Origin", origin, to: "/token")
        #expect(recording.finding(rule) == nil)
        let finding = recording.finding("token-endpoint-error")
        #expect(!isOne || finding?.isPrimary == true)
        #expect((finding?.notes.contains("sent by a program that is no browser") ?? false) == isOne)
        #expect((finding?.fix.contains("without an Origin") ?? false) == isOne)
    }

    /// Node's `fetch` sends a mode and no site; a page in an app sends both, whatever the app calls itself.
    @Test(arguments: [(nil, true), ("cross-site", false)] as [(String?, Bool)])
    func knowsNodesFetchFromAPageInAnApp(site: String?, isProgram: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": "AADSTS9002326: Cross-origin token redemption"]
        )
        .sendingHeader("User-Agent", "node", to: "/token").sendingHeader(
            "Sec-Fetch-Mode",
            "cors",
            to: "/token"
        )
        .sendingHeader("Origin", "http://localhost:9876", to: "/token")
        .sendingHeader("Sec-Fetch-Site", site, to: "/token")
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.notes.contains("sent by a program that is no browser") == isProgram)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    /// Google's words to a device whose client is registered as something else; it is not the missing secret.
    @Test(arguments: [
        ("Invalid client type.", true),
        (
            "Only clients of type 'TVs and Limited Input devices' can use the OAuth 2.0 flow for TV and Limited-Input Device Applications.",
            true
        ), ("Unauthorized", false),
    ])
    func knowsADeviceOfAnotherType(words: String, fires: Bool) {
        var capture = CaptureBuilder()
        capture.post(
            "https://oauth2.googleapis.com/device/code",
            [("client_id", "1234-abc.apps.googleusercontent.com"), ("scope", "email")],
            401,
            body: .json(#"{"error":"invalid_client","error_description":"\#(words)"}"#)
        )
        let recording = Recording(capture.exchanges)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("client-auth-missing") == nil) == fires)
        if fires { #expect(recording.finding(rule)?.fix.contains("TVs and Limited Input devices") == true) }
    }

    @Test func tellsASwitchOfGooglesFromAnotherKindOfClient() throws {
        let words = "Custom URI scheme is not enabled for your Android client."
        let recording = try Recording("authorization-request/client-id-unknown").saying(words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.title == "The client may not be answered at a scheme of the app's own")
        #expect(recording.finding("authorization-error") == nil)
        let web = try Recording("authorization-request/client-id-unknown").saying(
            "Custom scheme URIs are not allowed for 'WEB' client type."
        )
        #expect(web.finding(rule)?.title == "The client is registered as another kind of app")
    }
}
