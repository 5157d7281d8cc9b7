import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenNonceMissingTests {
    private let rule = "id-token-nonce-missing"
    private let broken = "id-token/id-token-nonce-missing"

    @Test func namesTheNonceAndTheClaims() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["1 request.query nonce", "4 jwt.claims nonce"])
        #expect(finding.notes == ["the token has iss, sub, aud, iat, exp"])
    }

    /// A consent page's form that repeats the request, but not all of it.
    @Test(arguments: [("", true), ("&nonce=n", false)])
    func showsWhereTheProviderLostIt(field: String, isLost: Bool) throws {
        let recording = try Recording(broken)
        let state = try #require(recording.exchanges[1].request.url.queryItems.first("state"))
        let posted = recording.editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.request.body = Body(
                text: "state=\(state)&redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback\(field)",
                mediaType: FormBody.mediaType
            )
        }
        let finding = try #require(posted.finding(rule))
        #expect(finding.places.contains("2 request.body nonce") == isLost)
        #expect(finding.notes.contains("the provider's own page carries the request on without it") == isLost)
    }

    @Test func saysThatTheLoginDidNotAskForOpenID() throws {
        let recording = try Recording(broken).asking("scope", "profile email")
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["1 request.query nonce", "1 request.query scope", "4 jwt.claims nonce"])
        #expect(finding.fix.hasPrefix("Add openid to the scope"))
        #expect(try Recording(broken).finding(rule)?.fix.hasPrefix("Add openid") == false)
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func saysNothingWhereNoneWasSent() throws {
        #expect(try Recording(broken).asking("nonce", nil).finding(rule) == nil)
        #expect(try Recording(broken).asking("nonce", "").finding(rule) == nil)
    }

    @Test func saysNothingOfACodeThatIsAnotherLogins() throws {
        #expect(try Recording(broken).sending("code", "code-of-a-login-nobody-recorded").finding(rule) == nil)
    }

    @Test func abstainsWithoutTheRequest() throws {
        let recording = try Recording(broken).withoutAuthorization
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// The server's half of a login whose request was pushed.
    @Test(arguments: [true, false]) func missesTheNonceThatWasPushed(isMissing: Bool) throws {
        let pushed = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
        let recording = isMissing ? pushed.editingIDToken(claims: { $0["nonce"] = nil }) : pushed
        #expect(
            recording.finding(rule)?.places
                == (isMissing ? ["0 request.body nonce", "1 jwt.claims nonce"] : nil)
        )
    }
}
