import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// Sign-ins that a tenant of Entra keeps out by a policy, on a page that a script makes.
struct ConditionalAccessTests {
    private let rule = "access-denied-by-policy"
    private static let host = "https://login.microsoftonline.com"
    private static let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/138.0.0.0")]
    private static let pending =
        #"{"error":"authorization_pending","error_description":"AADSTS70016: pending"}"#

    private static func page(_ name: String, _ number: String) -> String {
        """
        <html><head><title>Sign in to your account</title></head><body><script>
        $Config={"sErrorCode":"\(number)","urlPost":"/common/login","pgid":"\(name)"};
        </script></body></html>
        """
    }

    /// A command line that waits for its user, who types the code in and signs in; with the page after that, and the last poll's
    /// answer.
    private func device(_ pages: [String], _ answer: String = pending) -> Recording {
        var capture = CaptureBuilder()
        capture.step = 3
        let client = ("client_id", "04b07795-8ddb-461a-bbee-02f9e1bf7b46")
        capture.post(
            Self.host + "/organizations/oauth2/v2.0/devicecode",
            [client, ("scope", "openid offline_access")],
            body: .json(
                """
                {"device_code":"DAQABAAEAAAD-the-device","user_code":"A1B2C3D4E","interval":5,\
                "verification_uri":"https://microsoft.com/devicelogin","expires_in":900}
                """
            )
        )
        let confirmation = Self.host + "/common/oauth2/deviceauth"
        capture.redirect("https://microsoft.com/devicelogin", to: confirmation, headers: Self.browser)
        capture.get(confirmation, headers: Self.browser, body: .html("<form><input name=otc></form>"))
        capture.post(
            confirmation,
            [("otc", "A1B2C3D4E")],
            headers: Self.browser,
            body: .html(Self.page("ConvergedSignIn", "50058"))
        )
        for page in pages {
            capture.post(
                Self.host + "/common/login",
                [("login", "alice@harbour.example"), ("passwd", "wonderland")],
                headers: Self.browser,
                body: .html(page)
            )
        }
        capture.post(
            Self.host + "/organizations/oauth2/v2.0/token",
            [
                client, ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", "DAQABAAEAAAD-the-device"),
            ],
            400,
            body: .json(answer)
        )
        return Recording(capture.exchanges)
    }

    /// The device waits on, while its user was told.
    @Test(arguments: [
        page("ConvergedConditionalAccess", "53003"), page("ConvergedConditionalAccess", "530033"),
        page("ConvergedError", "x") + "<!-- AADSTS53000: Device is not in required device state. -->",
    ])
    func tellsADeviceOfThePage(page: String) throws {
        let recording = device([page])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "A policy of the tenant lets no sign-in by a device's code through")
        #expect(finding.places == ["4 response.body "])
        #expect(finding.evidence.first?.value.hasPrefix("AADSTS530") == true)
        #expect(finding.fix.contains("--use-device-code"))
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        "AADSTS53003: Access has been blocked by Conditional Access policies.",
        "AADSTS50005: User tried to log in to a device from a platform (Unknown).",
    ])
    func tellsADeviceThatIsRefusedItsTokens(words: String) throws {
        let answer = #"{"error":"invalid_grant","error_description":"\#(words)"}"#
        let finding = try #require(device([], answer).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "A policy of the tenant lets no sign-in by a device's code through")
    }

    /// A second factor is given on its page, and who was let in by another account went on.
    @Test(arguments: [
        [page("ConvergedTFA", "50074")],
        [page("ConvergedConditionalAccess", "53003"), "<h1>You have signed in</h1>"],
        [page("ConvergedSignIn", "53003")],
    ])
    func leavesOtherPagesAlone(pages: [String]) {
        #expect(device(pages).finding(rule) == nil)
    }

    /// An app's login by the browser is told of the policy alone.
    @Test func tellsAnAppOfThePage() throws {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop-ios"), ("state", "state-0123456789"),
            ("scope", "openid"), ("redirect_uri", "msauth.com.harbour.app://auth"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ])
        capture.get(
            Self.host + "/common/oauth2/v2.0/authorize?" + query,
            headers: Self.browser,
            body: .html(Self.page("ConvergedSignIn", "50058"))
        )
        capture.post(
            Self.host + "/common/login",
            [("login", "alice@harbour.example"), ("passwd", "wonderland")],
            headers: Self.browser,
            body: .html(Self.page("ConvergedConditionalAccess", "53003"))
        )
        let recording = Recording(capture.exchanges)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.places == ["1 response.body "])
        #expect(finding.explanation.hasPrefix("A Conditional Access policy"))
        #expect(!finding.fix.contains("--use-device-code"))
        #expect(recording.outcomes == [.failure])
    }
}
