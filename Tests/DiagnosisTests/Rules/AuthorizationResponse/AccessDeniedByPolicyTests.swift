import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AccessDeniedByPolicyTests {
    let rule = "access-denied-by-policy"
    let broken = "authorization-response/access-denied-by-policy"

    @Test func quotesTheText() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 request.query error"])
        #expect(finding.evidence[0].value == "access_denied: User is not assigned to the client application.")
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.finding("user-cancelled") == nil)
    }

    @Test(arguments: [
        ("access_denied", "AADSTS50105: The signed in user is not assigned to a role"),
        ("consent_required", "AADSTS65001: The user or administrator has not consented"),
        ("interaction_required", "AADSTS53003: Access has been blocked by Conditional Access policies"),
        ("interaction_required", "AADSTS50005: User tried to log in to a device from a platform (Unknown)"),
        ("access_denied", "shop has not completed the Google verification process"),
        ("admin_policy_enforced", "x"), ("access_denied", "permission denied"),
        (
            "access_denied",
            "Policy evaluation failed for this request, please check the policy configurations."
        ),
        ("access_denied", "user does not have access to this application"),
        ("access_denied", "Signups not allowed for this instance"),
        ("access_denied", "user is not part of the org_8Yk organization"),
        ("access_denied", "User is not in the allowed groups"),
        ("access_denied", "Your account is pending approval"),
        ("access_denied", "Access is not allowed by the administrator"),
        ("access_denied", "The user lacks the required role"),
        ("access_denied", "Keine Berechtigung"), ("access_denied", "Vous n'avez pas acc\u{e8}s"),
        ("access_denied", "user is blocked"), ("access_denied", "Ihr Konto ist gesperrt."),
        ("access_denied", "Compte d\u{e9}sactiv\u{e9}"), ("access_denied", "MFA required"),
        ("access_denied", "Multi-factor authentication is required for this app"),
        ("interaction_required", "AADSTS53000: Device is not in required device state: compliant"),
        ("access_denied", "The developer hasn’t given you access to this app."),
        ("invalid_client", "Oauth App is not in active state."),
        ("application_suspended", "Your application has been suspended. Contact support."),
        (
            "access_denied",
            "The resource owner or authorization server denied the request. The user was denied access to this client."
        ),
        ("invalid_team_for_non_distributed_app", "x"),
        ("OAUTH_EC_APP_NOT_FOUND", "External client app is not installed in this org"),
    ])
    func knowsTheTexts(error: String, text: String) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", error), ("error_description", text),
        ])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// Keycloak's page, and what the client is told where it asks for tokens.
    @Test func tellsAClientThatIsSwitchedOffFromOneThatIsNotKnown() throws {
        let page = try Recording("authorization-request/client-id-unknown")
        let off = page.saying("<h1>We are sorry...</h1><p>Client disabled.</p>", status: 400)
        let told = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": "invalid_client", "error_description": "Client disabled"]
        )
        for recording in [off, told] {
            let finding = try #require(recording.finding(rule))
            #expect(finding.isPrimary && finding.title == "The client is switched off at the provider")
            #expect(finding.fix.hasPrefix("Switch the client on again"))
        }
        #expect(off.findings.filter { $0.severity == .error }.map(\.rule) == [rule])
        let unknown = page.saying("<h1>We are sorry...</h1><p>Client not found.</p>", status: 400)
        #expect(unknown.finding("client-id-unknown")?.isPrimary == true)
        #expect(unknown.finding(rule) == nil)
    }

    @Test(arguments: [
        ("access_denied", "The user denied"), ("access_denied", "The user declined the access policy"),
        ("invalid_scope", "no permission for this scope"),
        ("unauthorized", "x"),
    ])
    func leavesAlone(error: String, text: String) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", error), ("error_description", text),
        ])
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesASilentRequestToAnotherRule() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", "interaction_required"), ("error_description", "AADSTS50076: use a second factor"),
        ]).asking("prompt", "none")
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsTheWordsOfSalesforce() throws {
        let recording = try Recording("authorization-response/user-cancelled").redirecting(
            with: [("error", "OAUTH_APP_BLOCKED"), ("error_description", "this app is blocked by admin")]
        )
        #expect(recording.finding("access-denied-by-policy")?.isPrimary == true)
    }

    /// WSO2 knows the client, and shuts it out.
    @Test(arguments: [
        ("Oauth App is not in active state.", true), ("authentication.flow.app.disabled.description", true),
        ("Oauth App is not known.", false),
    ])
    func tellsAClientThatIsShutOutFromOneThatIsNotKnown(words: String, isShutOut: Bool) throws {
        let recording = try Recording("authorization-request/client-id-unknown")
            .saying("<h1>invalid_client</h1><p>\(words)</p>")
        #expect((recording.finding(rule)?.isPrimary == true) == isShutOut)
        #expect((recording.finding("client-id-unknown") == nil) == isShutOut)
    }

    /// The author of an action of Auth0's writes the text; what Auth0 says of the user's own no is known.
    @Test(arguments: [
        ("Your account waits for approval.", "harbour.eu.auth0.com", true),
        ("User did not authorize the request", "harbour.eu.auth0.com", false),
        ("Permissions error", "harbour.eu.auth0.com", false),
        ("Your account waits for approval.", "id.harbour.example", false),
        ("Your email is not verified.", "id.harbour.example", true),
        ("None of the sign-on policies are applicable", "id.harbour.example", true),
    ])
    func readsWhatAnActionSays(text: String, host: String, fires: Bool) throws {
        let recording = try Recording(broken).withEndpoints { "https://\(host)/\($0)" }.redirecting(with: [
            ("error", "access_denied"), ("error_description", text),
        ])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("user-cancelled") == nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .cancelled])
    }
}
