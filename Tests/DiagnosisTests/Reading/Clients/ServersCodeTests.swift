import Diagnosis
import DiagnosisTestSupport
import TestSupport
import Testing

struct ServersCodeTests {
    private let rule = "code-wrong-client"

    /// Google gives an app a second code beside its tokens, for the client of the app's server.
    @Test(arguments: [("app-ios", true), ("app-web", false), ("", false), ("[REDACTED]", false)])
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
}
