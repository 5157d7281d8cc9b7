import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// The sign-in that ForgeRock's pages and SDKs do by script.
struct ForgeRockSignInTests {
    private static let browser = [
        ("User-Agent", "Mozilla/5.0 (Windows NT 10.0) Chrome/141.0.0.0 Safari/537.36")
    ]
    private static let host = "https://am.corp.example"
    private static let endpoint = host + "/am/json/authenticate"
    private static let session = "lniNQTOZmLtmaeSUHA1U6dHZwvs.AAJTSQACMDIAAlNL"
    private static let state = "SCi7PwSti4TjLKpvO0hJ"
    private static let callback = "https://www.shop.example/callback"

    private static let authorization =
        host + "/am/oauth2/authorize?"
        + FormBody.encode([
            ("client_id", "shop-web"), ("redirect_uri", callback), ("response_type", "code"),
            ("scope", "openid"), ("state", state), ("nonce", "RQjMD1Xz1nhSsaxFncd5"),
            ("code_challenge", "3V7o5vRryRXmnJXSraa8QZciZhX6XwuObevOYiwlNYM"),
            ("code_challenge_method", "S256"),
        ])
    private static let page = host + "/am/XUI/?" + FormBody.encode([("realm", "/"), ("goto", authorization)])
    private static let application = Body.html(
        "<title>Login</title><div id=app></div><script src=/app.js></script>"
    )

    private func step(
        _ capture: inout CaptureBuilder,
        sent: String = "{}",
        _ status: Int,
        _ answer: String,
        cookie: String? = nil
    ) {
        capture.post(
            Self.endpoint,
            json: sent,
            status,
            headers: Self.browser,
            answer: cookie.map { [("Set-Cookie", $0)] } ?? [],
            body: .json(answer)
        )
    }

    private func signIn(_ capture: inout CaptureBuilder, cookie: String?, answer: String? = nil) {
        step(&capture, 200, #"{"authId":"eyJhbGciOiJIUzI1NiJ9.eyJvdGsiOiIxIn0.c2ln","callbacks":[]}"#)
        capture.wait(6)
        step(
            &capture,
            sent: #"{"authId":"eyJhbGciOiJIUzI1NiJ9.eyJvdGsiOiIxIn0.c2ln","callbacks":[]}"#,
            200,
            answer ?? #"{"tokenId":"\#(Self.session)","successUrl":"/am/console","realm":"/"}"#,
            cookie: cookie.map { "iPlanetDirectoryPro=\(Self.session); Path=/; Secure; HttpOnly\($0)" }
        )
    }

    /// As far as the sign-in page.
    private var begun: CaptureBuilder {
        var capture = CaptureBuilder()
        capture.redirect(
            "https://www.shop.example/login",
            to: Self.authorization,
            headers: Self.browser + [("Cookie", "theme=dark")]
        )
        capture.redirect(
            Self.authorization,
            to: Self.page,
            headers: Self.browser + [("Cookie", "amlbcookie=01")]
        )
        capture.get(Self.page, headers: Self.browser, body: Self.application)
        return capture
    }

    /// The authorization endpoint is loaded again, and sends the browser to sign in once more.
    @Test(arguments: [
        ("; Domain=other.example", "", true),
        ("; Domain=other.example", "; iPlanetDirectoryPro=\(session)", false),
        ("; Domain=corp.example", "", false), ("", "; iPlanetDirectoryPro=\(session)", false),
    ])
    func sessionWhoseCookieDoesNotComeBackIsTold(attributes: String, sent: String, fires: Bool) {
        var capture = begun
        signIn(&capture, cookie: attributes)
        capture.redirect(
            Self.authorization,
            to: Self.page,
            headers: Self.browser + [("Cookie", "amlbcookie=01" + sent)]
        )
        capture.get(Self.page, headers: Self.browser, body: .html("<div id=app></div>"))
        let recording = Recording(capture.exchanges)
        let finding = recording.finding("provider-session-cookie-missing")
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        guard let finding else { return }
        #expect(
            finding.places == [
                "4 response.header Set-Cookie", "5 request.header Cookie", "5 response.location ",
            ]
        )
        #expect(
            finding.notes == [
                "did not come back: its Domain is not that of the host that set it", "sent to sign in again",
            ]
        )
        #expect(finding.evidence[2].value == "https://am.corp.example/am/XUI/")
    }

    @Test(arguments: [true, false]) func pageThatStaysBehindASignInIsTold(isSignedIn: Bool) throws {
        var capture = begun
        signIn(
            &capture,
            cookie: isSignedIn ? "" : nil,
            answer: isSignedIn ? nil : #"{"authId":"eyJhbGciOiJIUzI1NiJ9.eyJvdGsiOiIyIn0.c2ln"}"#
        )
        if isSignedIn {
            capture.get(
                Self.host + "/am/console",
                headers: Self.browser,
                body: .html("<div id=app></div>")
            )
        }
        let finding = try #require(Recording(capture.exchanges).finding("login-abandoned"))
        #expect(
            finding.title
                == (isSignedIn
                    ? "The user is signed in at the provider, which did not go on with the login"
                    : "The login page was opened and never completed")
        )
        #expect(finding.fix.contains("goto") == isSignedIn)
        #expect(finding.places.contains("4 response.status ") == isSignedIn)
    }

    /// The consent, which the endpoint asks for, is left by the user.
    @Test func pageOfTheEndpointBehindASignInIsNoOther() throws {
        var capture = begun
        signIn(&capture, cookie: "")
        capture.get(
            Self.authorization,
            headers: Self.browser + [("Cookie", "iPlanetDirectoryPro=\(Self.session)")],
            body: .html("<form method=post><button name=decision value=allow>Allow</button></form>")
        )
        let finding = try #require(Recording(capture.exchanges).finding("login-abandoned"))
        #expect(finding.title == "The login page was opened and never completed")
    }

    @Test(arguments: [
        (500, "provider-server-error"), (503, "provider-server-error"), (429, "rate-limited"),
        (401, "authorization-error"),
    ])
    func stepThatFailsIsTold(status: Int, rule: String) throws {
        var capture = begun
        step(&capture, status, #"{"code":\#(status),"reason":"No","message":"Authentication Error!!"}"#)
        let recording = Recording(capture.exchanges)
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [rule])
        #expect(recording.finding(rule)?.evidence.first?.place.exchange == 3)
        #expect(recording.outcomes == [.failure])
    }

    /// The SDK signs in for the page, and then asks for the code in a hidden frame.
    @Test(arguments: [("iframe", true, true), ("iframe", false, false), ("document", true, false)])
    func frameWithoutTheSessionIsTold(destination: String, isSignedIn: Bool, fires: Bool) {
        var capture = CaptureBuilder()
        capture.get(
            "https://www.shop.example/",
            headers: Self.browser + [("Cookie", "theme=dark")],
            body: .html("<div id=root></div>")
        )
        signIn(
            &capture,
            cookie: isSignedIn ? "; SameSite=None" : nil,
            answer: isSignedIn ? nil : #"{"authId":"eyJhbGciOiJIUzI1NiJ9.eyJvdGsiOiIyIn0.c2ln"}"#
        )
        let frame =
            Self.browser + [
                ("Sec-Fetch-Dest", destination), ("Sec-Fetch-Mode", "navigate"),
                ("Sec-Fetch-Site", "cross-site"),
            ]
        let answer = FormBody.encode([
            ("error", "login_required"), ("error_description", "The request requires login."),
            ("state", Self.state),
        ])
        capture.redirect(
            Self.authorization + "&prompt=none",
            to: "\(Self.callback)?\(answer)",
            headers: frame
        )
        capture.get("\(Self.callback)?\(answer)", headers: frame, body: .html("<html></html>"))
        let finding = Recording(capture.exchanges).finding("silent-login-cookies-blocked")
        #expect((finding?.isPrimary == true) == fires)
        guard let finding else { return }
        #expect(
            finding.places == [
                "2 response.header Set-Cookie", "3 request.header Cookie", "3 request.header Sec-Fetch-Dest",
                "4 request.query error",
            ]
        )
    }

    // MARK: - Kept from the page

    private func asked(from origin: String?, allowed: String? = nil, failure: String? = nil) -> Recording {
        var capture = CaptureBuilder()
        var headers = Self.browser
        if let origin { headers.append(("Origin", origin)) }
        var response = RecordedResponse(
            status: 200,
            body: .json(#"{"authId":"eyJ.eyJ.c2ln","callbacks":[]}"#)
        )
        response.headers.append("Content-API-Version", "resource=2.1")
        if let allowed {
            response.headers.append("Access-Control-Allow-Origin", allowed)
            response.headers.append("Access-Control-Allow-Credentials", "true")
        }
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                duration: .milliseconds(20),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL(Self.endpoint),
                    headers: HeaderFields(headers),
                    body: .json("{}")
                ),
                response: failure == nil ? response : nil,
                failure: failure
            )
        )
        return Recording(capture.exchanges)
    }

    @Test func pageThatMayNotReadTheAnswerIsTold() throws {
        for recording in [
            asked(from: "https://www.shop.example"),
            asked(from: "https://www.shop.example", failure: "net::ERR_FAILED"),
        ] {
            #expect(recording.outcomes == [.failure])
            #expect(try #require(recording.finding("cors-blocked")).isPrimary)
            #expect(recording.flows[0].steps.count == 1)
        }
    }

    @Test func pageThatMayReadItIsNoLogin() {
        #expect(asked(from: "https://www.shop.example", allowed: "https://www.shop.example").flows.isEmpty)
        #expect(asked(from: Self.host).flows.isEmpty && asked(from: nil).flows.isEmpty)
        #expect(asked(from: "https://www.shop.example", failure: "net::ERR_ABORTED").flows.isEmpty)
    }
}
