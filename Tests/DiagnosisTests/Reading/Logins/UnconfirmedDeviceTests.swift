import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

struct UnconfirmedDeviceTests {
    private let rule = "login-abandoned"

    /// A device's login ends in the same way where nobody confirms its code.
    @Test func showsWhatADeviceWaitsFor() throws {
        let recording = try Recording("logout-and-device/device-polling-too-fast.near-miss")
            .answering("/token", 400, ["error": "authorization_pending"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["0 response.body user_code", "4 response.body error"])
        #expect(finding.title == "The device's code was not confirmed while it was recorded")
        #expect(finding.notes == ["asked for the tokens 4 times"])
        #expect(recording.outcomes == [.incomplete])
    }

    /// One that is told to wait to the end says nothing of its user.
    @Test func leavesADeviceAloneThatDoesNotWait() throws {
        let recording = try Recording("logout-and-device/device-polling-too-fast")
            .answering("/token", 400, ["error": "slow_down"])
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("device-polling-too-fast")?.isPrimary == true)
        #expect(recording.outcomes == [.incomplete])
    }

    private static let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/138.0.0.0")]
    private static let error = "https://accounts.google.com/signin/oauth/error?client_id=1-a"

    /// A device that waits for its user, who typed the code in and was shown a page.
    private func shown(_ status: Int, _ page: String) -> Recording {
        var capture = CaptureBuilder()
        capture.post(
            "https://oauth2.googleapis.com/device/code",
            [("client_id", "1-a"), ("scope", "email")],
            body: .json(
                """
                {"device_code":"AH-1Ng-the-device-code","user_code":"ABC-DEF-GHI","expires_in":1800,\
                "interval":5,"verification_url":"https://www.google.com/device"}
                """
            )
        )
        capture.get(
            "https://www.google.com/device",
            headers: Self.browser,
            body: .html("<form><input name=user_code></form>")
        )
        capture.post(
            "https://www.google.com/device",
            [("user_code", "ABC-DEF-GHI")],
            302,
            headers: Self.browser,
            answer: [("Location", Self.error)]
        )
        capture.get(Self.error, status, headers: Self.browser, body: .html(page))
        capture.get("https://accounts.google.com/favicon.ico", 404, body: .html("<h1>Not Found</h1>"))
        capture.post(
            "https://oauth2.googleapis.com/token",
            [
                ("client_id", "1-a"), ("device_code", "AH-1Ng-the-device-code"),
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ],
            428,
            body: .json(#"{"error":"authorization_pending","error_description":"Precondition Required"}"#)
        )
        return Recording(capture.exchanges)
    }

    /// Which the device is not told of.
    @Test func quotesAPageOfAnError() throws {
        let recording = shown(400, "<h1>The code is not valid any more</h1>")
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "3 response.body ")
        #expect(finding.evidence.last?.value == "The code is not valid any more")
        #expect(finding.explanation.hasSuffix("the device is not told of that."))
        #expect(finding.fix.hasPrefix("The words of the page"))
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func leavesAPolicyToItsRule() throws {
        let recording = shown(403, "<title>Access blocked</title><p>Error 403: org_internal</p>")
        let finding = try #require(recording.finding("access-denied-by-policy"))
        #expect(finding.isPrimary && finding.places == ["3 response.body "])
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
        #expect(shown(403, "<h1>Access denied</h1>").finding("access-denied-by-policy") == nil)
    }

    @Test func leavesADeviceThatGotItsTokensAlone() throws {
        #expect(
            try Recording("logout-and-device/device-polling-too-fast.near-miss")
                .answering("/token", 200, ["access_token": "a-token-of-the-device", "token_type": "Bearer"])
                .finding(rule) == nil
        )
    }
}
