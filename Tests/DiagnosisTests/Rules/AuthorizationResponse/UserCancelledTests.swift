import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct UserCancelledTests {
    private let rule = "user-cancelled"
    private let broken = "authorization-response/user-cancelled"

    @Test func isTheReasonAndNoFault() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .note)
        #expect(finding.places == ["3 request.query error", "- timing sign-in"])
        #expect(finding.evidence[0].value == "access_denied: The user declined")
        #expect(finding.evidence[1].value == "8 s")
        #expect(recording.outcomes == [.cancelled])
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func isPrimaryBesideAWarning() throws {
        // A web view deserves a warning, but is not why it ended.
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.headers.replace(
                "User-Agent",
                with: "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36"
            )
        }
        #expect(recording.finding("embedded-user-agent")?.severity == .warning)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [
        ("Failed authentication: AuthN_Session_Expired", false), ("The session timed out", false),
        ("Too many attempts", false),
        ("No matching account", false), ("The user has not approved the request", true),
        ("The user has not allowed access", true),
        ("The request was not approved by the resource owner", true),
        ("Access is not allowed by the user", true),
        ("The user did not accept the license agreement", true),
        ("Access was not allowed by the user", true), ("The user did not accept the license", true),
        ("Access was not granted to the application by the resource owner", true),
        ("The consent of the user could not be obtained", true),
        ("End-User authentication could not be obtained", false),
        ("Service not found: https://api.harbour.example", false),
        (
            "The resource owner or authorization server denied the request. The consent verifier has already been used.",
            false
        ), ("Authentication failed: user cancelled", true), ("Permissions error", true),
        ("The user denied access to this client.", true),
    ])
    func whatBrokeIsNobodysNo(text: String, isOne: Bool) throws {
        let recording = try Recording(broken).redirecting(with: [("error_description", text)])
        #expect((recording.finding(rule) != nil) == isOne)
        #expect((recording.finding("authorization-error")?.isPrimary == true) == !isOne)
        #expect(recording.outcomes == [isOne ? .cancelled : .failure])
    }

    @Test(arguments: [
        "user_cancelled_authorize", "user_cancelled_login", "cancelled", "consent_declined",
        "consent_required",
    ])
    func knowsTheNames(error: String) throws {
        let recording = try Recording(broken).redirecting(with: [("error", error)])
        #expect(recording.finding(rule) != nil)
        #expect(recording.outcomes == [.cancelled])
    }

    /// Facebook's dialog in an app of its own has numbers.
    @Test(arguments: [("4201", "User canceled the Dialog flow", true), ("1349048", "Can't load URL", false)])
    func numberOfFacebooksDialogIsReadForWhatItSays(code: String, words: String, isOne: Bool) throws {
        let parameters = [("error", nil), ("error_code", code), ("error_message", words)]
        let recording = try Recording(broken).redirecting(with: parameters)
        #expect(recording.outcomes == [isOne ? .cancelled : .failure])
        #expect((recording.finding(rule) != nil) == isOne)
    }

    /// Names that providers have made for it are among them.
    @Test(arguments: [
        "invalid_request", "login_required", "server_error", "cancel_not_supported", "user_cancel",
        "cancelledOnApp",
    ])
    func leavesOtherErrorsAlone(error: String) throws {
        #expect(try Recording(broken).redirecting(with: [("error", error)]).finding(rule) == nil)
    }

    @Test func leavesConsentThatNobodyWasAskedForAlone() throws {
        let silent = try Recording(broken).redirecting(with: [("error", "consent_required")]).asking(
            "prompt",
            "none"
        )
        #expect(silent.finding(rule) == nil)
        let unasked = try Recording(broken).redirecting(with: [("error", "consent_required")]).editing {
            exchange in
            if exchange.request.url.path == "/authorize" { exchange.response?.body = nil }
        }
        #expect(unasked.finding(rule) == nil)
        // What is written into a redirect is shown to nobody.
        let passed = try Recording(broken).redirecting(with: [("error", "consent_required")]).editing {
            exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "https://id.harbour.example/sign-in")
        }
        #expect(passed.finding(rule) == nil)
    }

    @Test func namesThePasswordReset() throws {
        let text = "AADB2C90118: The user has forgotten their password."
        let finding = try Recording(broken).redirecting(with: [("error_description", text)]).finding(rule)
        #expect(finding?.variant == "password-reset")
        #expect(finding?.title == "The user asked for a new password")
        #expect(finding?.fix.contains("resets passwords") == true)
    }

    @Test func leavesALoginThatSucceededAfterwardsAlone() throws {
        var recording = try Recording(broken)
        let healthy = try Recording("healthy/web-code-flow").exchanges
        let shift = recording.exchanges[3].startedAt - healthy[0].startedAt + .seconds(20)
        recording.exchanges += healthy.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + shift
            return exchange
        }
        #expect(recording.outcomes == [.cancelled, .success])
        #expect(recording.findings.filter { $0.rule == rule }.count == 1)
    }

    @Test(
        arguments: [
            (nil, true), ("The user denied the request", true), ("User cancelled the sign-in", true),
            ("The user declined the privacy policy requirements", true),
            ("The rule engine stopped this transaction", false),
        ] as [(String?, Bool)]
    )
    func knowsWhereNobodyWasAsked(text: String?, isUsers: Bool) throws {
        let asked = try Recording(broken).redirecting(with: [
            ("error", "access_denied"), ("error_description", text),
        ])
        #expect(asked.finding(rule) != nil)
        #expect(asked.outcomes == [.cancelled])
        let callback = try #require(asked.exchanges.last { $0.request.url.path == "/callback" })
        let atOnce = asked.without { $0.request.url.path == "/sign-in" }.editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.status = 302
            exchange.response?.body = nil
            exchange.response?.redirect(to: callback.request.url.text)
        }
        #expect((atOnce.finding(rule) != nil) == isUsers)
        #expect((atOnce.finding("authorization-error")?.isPrimary == true) != isUsers)
        #expect(atOnce.outcomes == [isUsers ? .cancelled : .failure])
    }

    @Test func knowsTheDecoupledGrant() throws {
        let recording = try device("access_denied").sending("device_code", nil)
            .sending("grant_type", "urn:openid:params:grant-type:ciba").sending("auth_req_id", "1c266114")
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-endpoint-error") == nil)
        #expect(recording.outcomes == [.cancelled])
    }

    @Test(arguments: ["authorization_code", "client_credentials"])
    func leavesGrantsInWhichNobodyIsAskedAlone(grant: String) throws {
        let recording = try device("access_denied").sending("device_code", nil).sending("grant_type", grant)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func knowsTheOtherDevice() throws {
        let recording = try device("access_denied")
        #expect(recording.finding(rule)?.places == ["0 response.body error"])
        #expect(recording.outcomes == [.cancelled])
        #expect(try device("expired_token").finding(rule) == nil)
        #expect(try device("access_denied", "AADSTS50105: not assigned").finding(rule) == nil)
    }

    /// Auth0 says so of a client with a secret that is not its own.
    @Test func clientThatIsRefusedIsNobodysNo() throws {
        let recording = try device("access_denied", "Unauthorized", status: 401)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-client") != nil)
        #expect(recording.outcomes == [.failure])
    }

    private func device(_ error: String, _ text: String? = nil, status: Int = 400) throws -> Recording {
        let exchange = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        var answer = JSONObject([("error", .string(error))])
        if let text { answer["error_description"] = .string(text) }
        return Recording([exchange])
            .sending("grant_type", "urn:ietf:params:oauth:grant-type:device_code").sending("code", nil)
            .sending("redirect_uri", nil).sending("device_code", "1234567890")
            .answering("/token", status, .object(answer))
    }

    @Test func demandOfTheTenantsIsNoWishOfTheUser() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error_description", "Please verify your email before logging in.")
        ])
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("access-denied-by-policy") != nil)
    }

    /// A page that posts an error by itself, in the place of a sign-in page or behind it; one to sign in at posts it where its user says so.
    @Test(arguments: [(true, false), (false, false), (false, true)])
    func errorThatIsPostedAtOnceIsNobodysNo(isAtOnce: Bool, isButton: Bool) {
        let callback = "https://shop.example/cb"
        let request =
            "https://idp.example/authorize?"
            + FormBody.encode([
                ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", callback),
                ("state", "state-0123456789"), ("response_mode", "form_post"),
            ])
        let error = [
            ("error", "access_denied"), ("error_description", "Not today"), ("state", "state-0123456789"),
        ]
        let fields = error.map { "<input type=hidden name=\($0.0) value=\"\($0.1)\">" }.joined()
        let page = Body.html("<form method=post action=\"\(callback)\">\(fields)</form>")
        var capture = CaptureBuilder()
        let signIn = "<form method=post action=/in><input type=password name=p></form>"
        if isAtOnce {
            capture.get(request, body: page)
        } else if isButton {
            let cancel =
                "<form method=post action=\"\(callback)\">\(fields)<button>Cancel</button></form>"
            capture.get(request, body: .html(signIn + cancel))
        } else {
            capture.get(request, body: .html(signIn))
            capture.post("https://idp.example/in", [("p", "not-a-password")], body: page)
        }
        capture.post(callback, error, body: .html("Not signed in"))
        let recording = Recording(capture.exchanges)
        #expect((recording.finding(rule) == nil) == isAtOnce)
        #expect((recording.finding("authorization-error") != nil) == isAtOnce)
    }

    /// WSO2 ends a sign-in on a page of its own where the user hands on no attributes.
    @Test(arguments: [
        ("user.denied.consent.error", true), ("user.denied.mandatory.consent.error", true),
        ("claim.request.missing", false),
    ])
    func consentThatWasDeclinedOnAPageIsTheUsersNo(key: String, isUsers: Bool) throws {
        let target = "/authenticationendpoint/retry.do?status=authentication.attempt.failed&statusMsg=\(key)"
        let page = Body.html("<p>Authentication attempt failed.")
        let recording = try Recording(broken).endingSignIn(at: target, page)
        #expect((recording.finding(rule)?.isPrimary == true) == isUsers)
        #expect((recording.finding("authorization-error") == nil) == isUsers)
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [isUsers ? .cancelled : .failure])
    }

    /// Begun anew with the policy that resets passwords, the login went well: the detour is told as that.
    @Test func passwordThatWasResetOnTheWayIsANote() throws {
        let text = "AADB2C90118: The user has forgotten their password."
        var recording = try Recording(broken).redirecting(with: [("error_description", text)])
        let login = try Recording("healthy/web-code-flow").exchanges.drop {
            $0.request.url.path != "/authorize"
        }
        let request = try #require(login.first)
        let callback = try #require(recording.exchanges.indices.last)
        recording.exchanges[callback].response?.redirect(to: request.request.url.text)
        let shift = recording.exchanges[callback].startedAt - request.startedAt + .milliseconds(60)
        recording.exchanges += login.map { exchange in
            var exchange = exchange
            exchange.startedAt = exchange.startedAt + shift
            return exchange
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.variant == "password-reset" && finding.severity == .note && !finding.isPrimary)
        #expect(finding.title == "The user asked for a new password")
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.outcomes == [.success])
    }
}
