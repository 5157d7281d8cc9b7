import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

/// Logins by way of a broker that fail at the provider behind it.
struct InnerFailureTests {
    private static let state = "outer-state-1234567"
    private static let outer =
        "https://broker.example/authorize?response_type=code&client_id=app"
        + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&state=\(state)"
    private static let inner =
        "https://upstream.example/auth?response_type=code&client_id=broker"
        + "&redirect_uri=https%3A%2F%2Fbroker.example%2Fback&scope=openid+phone&state=inner-state-1234567"
    private static let served = "error=server_error&error_description=The+provider+failed&state=\(state)"

    /// The provider behind the broker answers, the broker makes its own answer of that, and the app shows an error.
    private func recording(inner answer: String, outer told: String = served) -> Recording {
        var capture = CaptureBuilder()
        capture.redirect(Self.outer, to: Self.inner)
        capture.get(Self.inner, body: .html("<form method=post action=/in><input name=user></form>"))
        let back = "https://broker.example/back?\(answer)&state=inner-state-1234567"
        capture.post(
            "https://upstream.example/in",
            [("user", "alice")],
            302,
            answer: [("Location", back)]
        )
        capture.redirect(back, to: "https://app.example/cb?\(told)")
        capture.get("https://app.example/cb?\(told)", 400, body: .html("<h1>Sign-in failed</h1>"))
        return Recording(capture.exchanges)
    }

    @Test func whatTheBrokerSaysIsAnEffectOfTheLoginBehindIt() throws {
        let recording = recording(inner: "error=invalid_scope&error_description=phone+is+not+allowed")
        let told = try #require(recording.finding("provider-server-error"))
        #expect(!told.isPrimary && told.severity == .error)
        #expect(told.effectOf == "scope-rejected" && told.effectOfFlow == "flow-2")
        #expect(recording.outcomes == [.failure, .failure])
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == ["scope-rejected"])
        #expect(recording.finding("scope-rejected")?.effectOfFlow == nil)
    }

    /// The code of the provider behind was lost on the way to the broker, which shows an error, or tells its client of one.
    @Test(arguments: [
        (
            "https://broker.example/authenticationendpoint/retry.do?status=Attention&statusMsg=Login+failed",
            "authorization-error"
        ), ("https://broker.example/resume", "provider-server-error"),
    ])
    func codeThatWasLostBeforeTheBrokerIsTheCause(next: String, told: String) throws {
        var capture = CaptureBuilder()
        capture.redirect(Self.outer, to: Self.inner)
        capture.get(Self.inner, body: .html("<form method=post action=/in><input name=user></form>"))
        let back = "https://broker.example/back"
        let code = "?code=inner-code-0123456789&state=inner-state-1234567"
        capture.post(
            "https://upstream.example/in",
            [("user", "alice")],
            302,
            answer: [("Location", back + code)]
        )
        capture.redirect(back, to: next)
        if next.hasSuffix("/resume") {
            capture.redirect(next, to: "https://app.example/cb?\(Self.served)")
            capture.get("https://app.example/cb?\(Self.served)", 400, body: .html("<h1>Sign-in failed</h1>"))
        } else {
            capture.get(next, body: .html("<p>Attention</p>"))
        }
        let recording = Recording(capture.exchanges)
        #expect(recording.outcomes == [.failure, .failure])
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == ["code-missing"])
        #expect(recording.finding(told)?.effectOf == "code-missing")
    }

    /// The first try fails on the broker's page, which offers another provider: what the app is told is of that one.
    @Test(
        arguments: [
            (
                "error=invalid_scope", "error=invalid_request&error_description=Missing+parameter:+nonce",
                "authz-missing-parameter"
            ),
            ("error=server_error", "error=invalid_scope", "scope-rejected"),
            ("error=invalid_scope", "code=inner-code-12345678", nil),
        ] as [(String, String, String?)]
    )
    func lastOfSeveralTriesIsTheCause(first: String, second: String, cause: String?) throws {
        var capture = CaptureBuilder()
        let form = "<form method=post action=/in><input name=user></form>"
        let other = Self.inner.replacing("upstream", with: "second").replacing(
            "inner-state",
            with: "other-state"
        )
        capture.redirect(Self.outer, to: Self.inner)
        for (login, host, state, answer) in [
            (Self.inner, "upstream", "inner-state", first), (other, "second", "other-state", second),
        ] {
            let back = "https://broker.example/back?\(answer)&state=\(state)-1234567"
            capture.get(login, body: .html(form))
            capture.post(
                "https://\(host).example/in",
                [("user", "alice")],
                302,
                answer: [("Location", back)]
            )
            if login == other {
                capture.redirect(back, to: "https://app.example/cb?\(Self.served)")
            } else {
                capture.get(back, body: .html("<p>Choose another way to sign in</p>"))
                capture.redirect("https://broker.example/other", to: other)
            }
        }
        capture.get("https://app.example/cb?\(Self.served)", 400, body: .html("<h1>Sign-in failed</h1>"))
        let recording = Recording(capture.exchanges)
        #expect(recording.flows.count == 3)
        let told = try #require(
            recording.diagnoses.first?.findings.first { $0.rule == "provider-server-error" }
        )
        #expect(told.effectOf == cause && told.effectOfFlow == cause.map { _ in "flow-3" })
        #expect(told.isPrimary == (cause == nil))
    }

    /// A broker's `access_denied` without a reason is nobody's own no where the login behind it broke.
    @Test func aFaultBehindABrokerIsNoCancellation() {
        let recording = recording(
            inner: "error=invalid_scope",
            outer: "error=access_denied&state=\(Self.state)"
        )
        #expect(recording.outcomes == [.failure, .failure])
        #expect(recording.finding("user-cancelled") == nil)
        #expect(recording.finding("authorization-error")?.effectOf == "scope-rejected")
    }

    @Test func aUsersNoBehindABrokerIsToldOnce() {
        let denied = "error=access_denied&error_description=The+user+cancelled"
        let recording = recording(inner: denied, outer: denied + "&state=\(Self.state)")
        #expect(recording.outcomes == [.cancelled, .cancelled])
        #expect(
            recording.diagnoses.map { $0.findings.filter(\.isPrimary).map(\.rule) } == [
                [], ["user-cancelled"],
            ]
        )
    }

    @Test func aBrokerThatRefusesAGoodLoginIsItsOwnCause() {
        let recording = recording(
            inner: "code=inner-code-12345678",
            outer: "error=invalid_request&error_description=attributes+required&state=\(Self.state)"
        )
        #expect(recording.finding("authorization-error")?.isPrimary == true)
        #expect(recording.findings.allSatisfy { $0.effectOfFlow == nil })
    }

    /// Whoever leaves out the rule of the cause still has one.
    @Test func withoutTheCausesRuleTheBrokersWordIsTheCause() throws {
        let flow = try #require(recording(inner: "error=invalid_scope").flows.first)
        let rules = RuleCatalog.rules.filter { type(of: $0).info.id != "scope-rejected" }
        let findings = Diagnostician.diagnose(flow, rules: rules).findings
        #expect(findings.first { $0.isPrimary }?.rule == "provider-server-error")
    }

    /// The broker's own page of errors is the end of both.
    @Test(arguments: [400, 500, 502]) func aBrokersOwnPageOfErrorsFailsTheLoginAroundIt(status: Int) throws {
        var recording = recording(inner: "code=inner-code-12345678")
        recording.exchanges.removeLast()
        recording.exchanges[recording.exchanges.count - 1].response = RecordedResponse(
            status: status,
            body: .html("<h1>Unexpected error when authenticating with identity provider</h1>")
        )
        #expect(recording.outcomes == [.failure, .failure])
        let around = try #require(recording.diagnoses.first).findings
        #expect(around.allSatisfy { $0.severity != .error && !$0.isPrimary })
        #expect(recording.finding("callback-rejected-by-app")?.isPrimary == true)
        #expect(recording.flows.first?.failedInside == "flow-2")
        // The user went on to a sign-in of the broker's own.
        var other = recording
        var page = recording.exchanges[0]
        page.request.url = RecordedURL("https://broker.example/sign-in")
        page.startedAt = recording.exchanges[recording.exchanges.count - 1].endedAt + .seconds(9)
        page.response = RecordedResponse(status: 200, body: .html("<form><input name=user></form>"))
        other.exchanges.append(page)
        #expect(other.outcomes == [.incomplete, .failure])
    }

    /// Entra, behind a guest's login with a Microsoft account; with another page it goes on.
    @Test(arguments: [
        ("AADSTS50020: User account 'ada@mail.example' does not exist in tenant 'Acme'", true),
        ("Stay signed in?", false),
    ])
    func whatABrokersPageSaysIsSaidToTheLoginAroundIt(words: String, isRefused: Bool) throws {
        var recording = recording(inner: "code=inner-code-12345678")
        recording.exchanges.removeLast()
        let last = recording.exchanges.count - 1
        recording.exchanges[last].response = RecordedResponse(
            status: 200,
            body: .html(
                "<title>Sign in to your account</title><script>$Config={\"strServiceExceptionMessage\":\"\(words)\"};</script>"
            )
        )
        #expect(recording.flows.first?.exchanges.contains(last) == true)
        #expect(recording.finding("access-denied-by-policy")?.isPrimary == (isRefused ? true : nil))
        #expect(recording.diagnoses.first?.outcome == (isRefused ? .failure : .incomplete))
    }

    /// Whoever turned back at the provider behind has another try; the error in the page's address is the inner login's own.
    @Test(arguments: [
        ("access_denied", [Outcome.incomplete, .cancelled]), ("invalid_scope", [.failure, .failure]),
    ])
    func errorInTheAddressOfABrokersSignInIsNotOfTheLoginAroundIt(error: String, outcomes: [Outcome]) {
        var recording = recording(inner: "error=\(error)")
        recording.exchanges.removeLast()
        let last = recording.exchanges.count - 1
        recording.exchanges[last].response = RecordedResponse(
            status: 200,
            body: .html("<title>Sign in</title><form method=post action=/login><input name=user></form>")
        )
        #expect(recording.outcomes == outcomes)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func whatIsToBeMendedIsBehindTheBroker() {
        let recording = recording(inner: "error=invalid_scope&error_description=phone+is+not+allowed")
        #expect(recording.finding("provider-server-error")?.fix.contains("mend what broke flow-2") == true)
    }
}
