import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

struct LogoutRefusalTests {
    private let rule = "authorization-error"

    /// A session that was ended by its refresh token is over, and cannot be ended so once more.
    @Test(arguments: [("token-of-the-session", true), ("token-of-another", false)])
    func logoutSentTwiceIsNone(second: String, isOver: Bool) throws {
        var recording = try Recording("logout-and-device/logout-redirect-not-registered").without {
            $0.request.url.path == "/register"
        }
        let logout = recording.exchanges.removeLast()
        for (token, status) in [("token-of-the-session", 204), (second, 400)] {
            var call = logout
            call.startedAt = logout.startedAt + .seconds(status == 204 ? 0 : 1)
            call.request.method = "POST"
            call.request.url = RecordedURL(logout.request.url.withoutQuery)
            call.request.body = Body(
                text: FormBody.encode([("client_id", "shop-3B9LWu_l"), ("refresh_token", token)]),
                mediaType: FormBody.mediaType
            )
            call.response = RecordedResponse(status: status)
            recording.exchanges.append(call)
        }
        #expect((recording.finding(rule) == nil) == isOver)
        #expect(recording.outcomes == [isOver ? .success : .failure])
        guard let finding = recording.finding(rule) else { return }
        #expect(finding.evidence.last?.value == "client_id, refresh_token")
        #expect(finding.places.last?.hasSuffix("request.body ") == true)
        #expect(finding.fix.contains("ends a session by its refresh token"))
    }

    /// Django OAuth Toolkit's page, and WSO2's redirect, for a user who was asked whether to sign out and said no.
    @Test(
        arguments: [
            ("logout_denied", nil, true), ("logout_failed", nil, false),
            (
                "", "/error.do?oauthErrorCode=access_denied&oauthErrorMsg=End+User+denied+the+logout+request",
                true
            ),
            ("", "/error.do?oauthErrorCode=access_denied&oauthErrorMsg=Unknown+application", false),
            ("", "https://www.shop.example/goodbye/?error=logout_denied", true),
        ] as [(String, String?, Bool)]
    )
    func userWhoStaysSignedInBrokeNothing(error: String, location: String?, isUsers: Bool) throws {
        let path = "logout-and-device/logout-redirect-not-registered"
        let recording = try Recording(path).without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                if let location {
                    exchange.response = RecordedResponse(status: 302)
                    exchange.response?.redirect(to: location)
                } else {
                    exchange.response?.body = .html("<h1>Error: \(error)</h1><p>It was refused.")
                }
            }
        #expect(recording.outcomes == [isUsers ? .cancelled : .failure])
        #expect((recording.finding(rule) == nil) == isUsers)
        let told = recording.finding("user-cancelled")
        #expect((told?.isPrimary == true) == isUsers)
        #expect((told?.title == "The user chose to stay signed in") == isUsers)
    }

    /// What an app brings along in its own parameters is no error.
    @Test func valueThatIsNoErrorDeclinesNothing() throws {
        let next = "https://www.shop.example/goodbye/?state=logout_denied"
        var recording = try Recording("logout-and-device/logout-redirect-not-registered")
            .without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                let url = Recording.changing(exchange.request.url.text, "id_token_hint", nil)
                exchange.request.url = RecordedURL(url)
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: next)
            }
        var landing = try #require(recording.exchanges.last)
        landing.startedAt = landing.endedAt + .milliseconds(1)
        landing.request.url = RecordedURL(next)
        landing.response = RecordedResponse(status: 200, body: .html("<title>Bye</title>"))
        recording.exchanges.append(landing)
        #expect(recording.outcomes == [.success])
    }

    /// Without an address to be sent back to the browser comes to what the provider knows of the app; how that fares is no logout's.
    @Test(arguments: [
        ("https://www.shop.example/goodbye", 500, Outcome.success),
        ("https://www.shop.example/goodbye", 404, .success),
        ("https://id.harbour.example/goodbye", 500, .failure),
    ])
    func appThatBreaksDownBehindALogoutRefusesNone(next: String, status: Int, outcome: Outcome) throws {
        var recording = try Recording("logout-and-device/logout-hint-missing.near-miss")
            .editingLast("/end-session") { exchange in
                let url = Recording.changing(exchange.request.url.text, "post_logout_redirect_uri", nil)
                exchange.request.url = RecordedURL(url)
                exchange.response = RecordedResponse(status: 302)
                exchange.response?.redirect(to: next)
            }
        let logout = try #require(
            recording.exchanges.lastIndex { $0.request.url.path == "/end-session" }
        )
        recording.exchanges.removeSubrange((logout + 1)...)
        var landing = recording.exchanges[logout]
        landing.startedAt = landing.endedAt + .milliseconds(1)
        landing.request.url = RecordedURL(next)
        landing.response = RecordedResponse(status: status)
        recording.exchanges.append(landing)
        #expect(recording.outcomes == [outcome])
    }

    /// An answer that says success by its status, and is no page.
    @Test(arguments: [
        (#"{"error":"invalid_request"}"#, true), (#"{"error":"E12","error_description":"No session"}"#, true),
        (#"{"error":null,"success":true}"#, false), (#"{"error":false,"message":"Bye"}"#, false),
        (#"{"error":"none","message":"Bye"}"#, false), (#"{"error":"0","reason":"logged out"}"#, false),
        ("{}", false),
    ])
    func readsAnErrorWithinASuccess(body: String, isRefused: Bool) throws {
        let recording = try Recording("logout-and-device/logout-redirect-not-registered")
            .without { $0.request.url.path == "/register" }
            .editingLast("/end-session") { exchange in
                exchange.response = RecordedResponse(
                    status: 200,
                    body: .json(body)
                )
            }
        let finding = recording.finding(rule)
        #expect((finding?.title == "The provider refused the logout request") == isRefused)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    @Test func repeatsWhatWasSaidOfALogout() throws {
        let path = "logout-and-device/logout-redirect-not-registered"
        #expect(try Recording(path).finding(rule) == nil)
        let recording = try Recording(path).without { $0.request.url.path == "/register" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider refused the logout request")
        #expect(finding.evidence[0].value.contains("Not allowed"))
        let page = recording.editing { exchange in
            if (exchange.response?.status ?? 0) >= 400 {
                exchange.response?.body = .html("<title></title><h1>Error: logout_failed</h1><p>You stayed.")
            }
        }
        #expect(page.finding(rule)?.evidence[0].value == "Error: logout_failed You stayed.")
        // A login that had failed by then has another reason.
        #expect(recording.answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil)
    }
}
