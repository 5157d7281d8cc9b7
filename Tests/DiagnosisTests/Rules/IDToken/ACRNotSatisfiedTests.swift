import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ACRNotSatisfiedTests {
    private let rule = "acr-not-satisfied"
    private let broken = "id-token/acr-not-satisfied"

    @Test func namesBoth() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query acr_values", "4 jwt.claims acr"])
        #expect(finding.evidence.map(\.value) == ["two-factor", "0"])
    }

    @Test func leavesOneOfSeveralAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func aTokenWithoutItDoesNotSay() throws {
        #expect(
            try Recording(broken).editingIDToken { $0["acr"] = nil }.finding(rule)?.evidence[1].value
                == "missing"
        )
    }

    @Test func saysNothingWhereNothingWasAsked() throws {
        #expect(try Recording(broken).asking("acr_values", nil).finding(rule) == nil)
        #expect(try Recording(broken).asking("acr_values", "").finding(rule) == nil)
    }

    /// What has no value counts as left out, beside an essential claim as by itself.
    @Test(arguments: [nil, ""] as [String?]) func anEssentialOneOfAnyValueHasToBeThere(wish: String?) throws {
        let recording = try Recording(broken).asking("acr_values", wish)
            .asking("claims", #"{"id_token":{"acr":{"essential":true}}}"#)
        #expect(recording.finding(rule) == nil)
        let without = recording.editingIDToken { $0["acr"] = nil }
        #expect(without.finding(rule)?.places.first == "1 request.query claims")
    }

    private func essential(_ flag: Bool) throws -> Recording {
        let claims = #"{"id_token":{"acr":{"essential":\#(flag),"values":["two-factor"]}}}"#
        return try Recording(broken).asking("acr_values", nil).asking("claims", claims)
    }

    @Test func readsTheClaimsParameter() throws {
        #expect(try essential(false).finding(rule)?.places.first == "1 request.query claims")
        #expect(try essential(true).finding(rule)?.severity == .warning)
        #expect(try essential(true).finding(rule)?.notes == ["essential"])
    }

    @Test func anEssentialOneIsAnErrorWhereTheAppRefusedIt() throws {
        let refused = { (recording: Recording) in
            recording.editingLast("/callback") { $0.response?.status = 403 }.finding(rule)?.severity
        }
        #expect(try refused(essential(true)) == .error)
        #expect(try refused(essential(false)) == .warning)
    }

    /// A level includes those below it.
    @Test(
        arguments: [
            ("urn:singpass:authentication:loa:2", "urn:singpass:authentication:loa:3", false),
            ("urn:singpass:authentication:loa:3", "urn:singpass:authentication:loa:1", true),
            ("urn:singpass:authentication:loa:2", "urn:other:loa:3", true),
            ("http://eidas.europa.eu/LoA/substantial", "http://eidas.europa.eu/LoA/high", false),
            ("http://eidas.europa.eu/LoA/high", "http://eidas.europa.eu/LoA/low", true),
            ("eidas1", "eidas2", false), ("1", "2", false), ("2", "1", true), ("two-factor", "2", true),
            ("urn:example:social1", "urn:example:social2", true), ("sms1", "sms2", true),
            ("2", "999", true), ("silver gold", "bronze", true),
        ]
    )
    func higherLevelIsAsGood(asked: String, seen: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("acr_values", asked).editingIDToken {
            $0["acr"] = .string(seen)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func essentialOneHasToBeTheVeryValue() throws {
        let claims = #"{"id_token":{"acr":{"essential":true,"value":"1"}}}"#
        let recording = try Recording(broken).asking("acr_values", nil).asking("claims", claims)
            .editingIDToken { $0["acr"] = "2" }
        #expect(recording.finding(rule) != nil)
    }

    /// Any will do, and there has to be one; what is not essential the provider may leave out.
    @Test(
        arguments: [
            (true, nil, .warning), (true, "1", nil), (false, nil, nil),
        ] as [(Bool, String?, Severity?)]
    )
    func essentialOneWithoutAValueHasToBeThere(isEssential: Bool, seen: String?, severity: Severity?) throws {
        let claims = #"{"id_token":{"acr":{"essential":\#(isEssential)}}}"#
        let recording = try Recording(broken).asking("acr_values", nil).asking("claims", claims)
            .editingIDToken { $0["acr"] = seen.map { .string($0) } }
        #expect(recording.finding(rule)?.severity == severity)
        if severity != nil {
            #expect(recording.finding(rule)?.evidence.map(\.value) == ["acr", "missing"])
        }
    }

    /// What the app's server says of its refusal.
    @Test(arguments: [
        ("The acr of the ID token is too low", true), ("insufficient level of assurance", true),
        ("This user is not known here", false), ("Sacred", false), ("Mon assurance: accès refusé", false),
    ])
    func isTheCauseWhereTheAppSaysSo(words: String, isCause: Bool) throws {
        let recording = try Recording(broken).editingLast("/callback") {
            $0.response?.status = 403
            $0.response?.body = Body(text: words, mediaType: "text/plain")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary == isCause)
        #expect(finding.severity == (isCause ? .error : .warning))
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == (isCause ? rule : nil))
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken).sending("grant_type", "refresh_token").finding(rule) == nil)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// What the provider says itself, of a login that asked for something (OpenID Connect Core Error Code): there is no token to compare
    /// with that, so it is the refusal's own finding.
    @Test(
        arguments: [
            ("unmet_authentication_requirements", "x", "two-factor", true),
            ("invalid_request", "The acr_values are not supported", "two-factor", true),
            ("access_denied", "none of the requested ACRs could be obtained", "two-factor", true),
            ("invalid_request", "max_age is not a number", "two-factor", false),
            ("unmet_authentication_requirements", "prompt=create", nil, false),
        ] as [(String, String, String?, Bool)]
    )
    func refusalTellsThatItIsForTheWish(error: String, text: String, asked: String?, isTold: Bool) throws {
        let recording = try Recording("authorization-response/access-denied-by-policy").redirecting(with: [
            ("error", error), ("error_description", text),
        ]).asking("acr_values", asked)
        #expect(recording.finding(rule) == nil)
        let finding = try #require(recording.finding("authorization-error"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("could not have the user sign in as the login asks") == isTold)
        if isTold { #expect(finding.evidence.map(\.value).contains("two-factor")) }
    }

    /// A silent try that finds too weak a session is no refusal of the login behind it, whose token has less than was asked for.
    @Test func tokenCountsWhereOnlyASilentTryWasRefused() throws {
        var exchanges = try Recording(broken).exchanges
        var silent = exchanges[1]
        let state = try #require(silent.request.url.queryItems.first("state"))
        silent.startedAt = exchanges[0].startedAt + .seconds(-5)
        silent.request.url = RecordedURL(
            silent.request.url.text.replacing("state=" + state, with: "prompt=none&state=silent-0001")
        )
        let error = "error=unmet_authentication_requirements&state=silent-0001"
        silent.response = RecordedResponse(status: 302)
        silent.response?.redirect(to: "https://www.shop.example/callback?" + error)
        exchanges.insert(silent, at: 0)
        let recording = Recording(exchanges)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding(rule)?.evidence.map(\.value) == ["two-factor", "0"])
    }

    @Test func leavesAPageAloneThatRepeatsWhatWasSent() throws {
        let page = "<h1>Unknown client</h1><p>client_id=shop-web&acr_values=two-factor</p>"
        #expect(try Recording(broken).saying(page).finding(rule) == nil)
    }
}
