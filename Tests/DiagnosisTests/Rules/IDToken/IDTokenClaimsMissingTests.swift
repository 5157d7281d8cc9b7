import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenClaimsMissingTests {
    private let rule = "id-token-claims-missing"
    private let broken = "id-token/id-token-claims-missing"

    @Test func namesTheClaimAndThoseThatAreThere() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims sub"])
        #expect(finding.notes == ["the token has iss, aud, iat, exp, nonce"])
    }

    @Test func leavesFractionsAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test(arguments: ["iss", "sub", "aud", "exp", "iat"]) func wantsAllFive(name: String) throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(
            recording.editingIDToken(claims: { $0[name] = nil }).finding(rule)?.places == [
                "4 jwt.claims \(name)"
            ]
        )
        #expect(recording.editingIDToken(claims: { $0[name] = .null }).finding(rule) != nil)
    }

    @Test func isAnErrorThoughTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .error)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test(
        arguments: [
            ("sub", 42, true), ("exp", "1773566708", true), ("iat", true, true),
            ("iss", ["https://id.harbour.example"], true), ("exp", .number(JSONNumber(1773566708.5)), false),
        ] as [(String, JSONValue, Bool)]
    )
    func tellsOfAnotherType(name: String, value: JSONValue, isWrong: Bool) throws {
        let recording = try Recording(broken + ".near-miss").editingIDToken(claims: { $0[name] = value })
        let finding = recording.finding(rule)
        #expect((finding != nil) == isWrong)
        guard let finding else { return }
        #expect(finding.places == ["4 jwt.claims \(name)"])
        #expect(finding.title.contains("wrong type"))
        #expect(finding.severity == .warning)
        #expect(recording.answering("/callback", 500).finding(rule)?.severity == .error)
    }

    /// Some providers give a login that is none of OpenID's a token with nothing in it.
    @Test(arguments: [("profile", 302, false), ("openid profile", 302, true), ("profile", 500, true)])
    func isAWarningWhereTheLoginDidNotAskForOpenID(scope: String, status: Int, isError: Bool) throws {
        let recording = try Recording(broken + ".near-miss").asking("scope", scope)
            .editingIDToken(claims: { $0["sub"] = nil })
            .editingLast("/callback") { $0.response?.status = status }
        #expect(recording.finding(rule)?.severity == (isError ? .error : .warning))
    }

    /// As django-oidc-provider has it then: what is to be changed is the request, not the provider's claims.
    @Test func saysThatTheLoginDidNotAskForOpenID() throws {
        let empty = try Recording(broken + ".near-miss").editingIDToken(claims: { $0 = JSONObject() })
            .answering("/callback", 500)
        let asked = try #require(empty.finding(rule))
        #expect(asked.fix.contains("all five claims"))
        let finding = try #require(empty.asking("scope", "profile email").finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.notes.last == "without openid nothing has to be in it")
        #expect(finding.fix.hasPrefix("Add openid to the scope"))
    }
}
