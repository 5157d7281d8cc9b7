import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ScopeReducedTests {
    private let rule = "scope-reduced"
    private let broken = "token-response/scope-reduced"

    @Test func showsBothAndTheDifference() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["1 request.query scope", "4 response.body scope"])
        #expect(finding.notes == ["without orders.write"])
        // Claims that a granted scope did not bring are another case of it.
        #expect(!finding.explanation.contains("UserInfo") && !finding.fix.contains("claims"))
    }

    @Test func leavesScopesAloneWhoseTokensCame() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: [nil, ""] as [JSONValue?]) func saysNothingWhereTheAnswerNamesNone(scope: JSONValue?)
        throws
    {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["scope"] = scope }
        #expect(recording.finding(rule) == nil)
    }

    /// What brought no token granted nothing.
    @Test(arguments: [.null, ""] as [JSONValue]) func saysNothingWhereNoTokenCame(token: JSONValue) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["access_token"] = token }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        (
            "email profile",
            "https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile"
        ),
        ("repo user:email", "repo,user:email"), ("User.Read", "https://graph.microsoft.com/user.read"),
    ])
    func knowsTheNamesProvidersGive(asked: String, granted: String) throws {
        let recording = try Recording(broken).asking("scope", asked).editingAnswer(of: "/token") {
            $0["scope"] = .string(granted)
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func openIDCountsWhereNoIDTokenCame() throws {
        let recording = try Recording(broken + ".near-miss").editingAnswer(of: "/token") {
            $0["id_token"] = nil
        }
        #expect(recording.finding(rule)?.notes == ["without openid"])
    }

    /// oauthlib takes fewer scopes for an error, and apps show its words: the app's refusal has them.
    @Test(arguments: [
        ("<p>Scope has changed from \"openid orders.write\" to \"openid\".</p>", true),
        ("<p>Sign-in failed.</p>", false),
    ]) func isANoteWhereTheAppRefusesTheLoginForIt(page: String, isSaid: Bool) throws {
        let refused = try Recording("healthy/web-code-flow").asking("scope", "openid orders.write")
            .editingAnswer(of: "/token") { $0["scope"] = "openid" }
            .answeringCallback(500, Body(text: page, mediaType: "text/html"))
        #expect(refused.finding(rule)?.severity == .note)
        let refusal = try #require(refused.finding("callback-rejected-by-app"))
        #expect(refusal.isPrimary)
        #expect((refusal.title == "The app refuses a login with other scopes than it asked for") == isSaid)
        #expect(
            refusal.evidence.contains {
                $0.value.hasPrefix("Scope has changed from") && $0.note == "the app's own words"
            } == isSaid
        )
        #expect(refusal.notes.contains("granted") == isSaid)
    }

    /// Twitch answers with an array.
    @Test(arguments: [
        (["openid", "user:read:email"], [String]()), (["openid"], ["without user:read:email"]),
    ])
    func readsAnArray(granted: [String], notes: [String]) throws {
        let recording = try Recording(broken).asking("scope", "openid user:read:email")
            .editingAnswer(of: "/token") { $0["scope"] = .array(granted.map { .string($0) }) }
        #expect(recording.finding(rule)?.notes ?? [] == notes)
    }

    @Test func tellsAScopeOfAnArrayWithoutItsClaim() throws {
        let recording = try Recording("healthy/web-code-flow").asking("scope", "openid email")
            .editingAnswer(of: "/token") { $0["scope"] = ["openid", "email"] }
        #expect(recording.finding(rule)?.title.contains("the claim that it stands for") == true)
    }

    /// Some providers do not name what shows by itself; a null shows nothing.
    @Test(arguments: [("openid", "id_token"), ("offline_access", "refresh_token")])
    func scopeIsGivenByWhatCame(scope: String, member: String) throws {
        func answered(_ value: JSONValue) throws -> Recording {
            try Recording("healthy/web-code-flow").asking("scope", "profile \(scope)")
                .editingAnswer(of: "/token") {
                    $0["scope"] = "profile"
                    $0[member] = value
                }
        }
        #expect(try answered("a-token").finding(rule) == nil)
        #expect(try answered(.null).finding(rule)?.notes == ["without \(scope)"])
    }

    @Test func tellsAScopeWhoseClaimIsNull() throws {
        let recording = try Recording("healthy/web-code-flow").asking("scope", "openid email")
            .editingAnswer(of: "/token") { $0["scope"] = "openid email" }
            .editingAnswer(of: "/userinfo") { $0["email"] = .null }
            .editingIDToken { $0["email"] = .null }
        let told = try #require(recording.finding(rule)?.evidence.last)
        #expect(told.value == "missing" && told.note?.contains("this answer (sub, name)") == true)
    }

    /// A claim that either has is not missed.
    @Test(arguments: [("", "", true), ("email", "", false), ("", "email", false)])
    func tellsAScopeWithoutItsClaim(inUserInfo: String, inIDToken: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").asking("scope", "openid email")
            .editingAnswer(of: "/token") { $0["scope"] = "openid email" }
            .editingAnswer(of: "/userinfo") {
                if !inUserInfo.isEmpty { $0[inUserInfo] = "alice@shop.example" }
            }
            .editingIDToken { if !inIDToken.isEmpty { $0[inIDToken] = "alice@shop.example" } }
        #expect((recording.finding(rule)?.evidence.last?.value == "missing") == fires)
        #expect((recording.finding(rule) != nil) == fires)
    }
}
