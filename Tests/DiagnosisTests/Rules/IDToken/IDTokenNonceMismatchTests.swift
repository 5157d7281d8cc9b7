import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenNonceMismatchTests {
    private let rule = "id-token-nonce-mismatch"
    private let broken = "id-token/id-token-nonce-mismatch"

    @Test func namesBothValues() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["1 request.query nonce", "4 jwt.claims nonce"])
        #expect(finding.notes.first?.hasPrefix("differs from character") == true)
    }

    @Test(arguments: [
        // The SHA-256 of "abc" (FIPS 180-2, appendix B.1), as it is spelled, and with its last character changed.
        ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", true),
        ("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", true),
        ("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true),
        ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ae", false), ("abd", false),
    ])
    func namesAHash(value: String, isHash: Bool) throws {
        let recording = try Recording(broken).asking("nonce", "abc").editingIDToken(claims: {
            $0["nonce"] = .string(value)
        })
        let finding = try #require(recording.finding(rule))
        #expect((finding.variant == "hashed") == isHash)
        #expect(finding.notes.contains("is the SHA-256 of the nonce sent") == isHash)
        #expect(finding.fix.hasPrefix("Hash the nonce on both sides") == isHash)
    }

    /// In a query a bare plus is a space (RFC 6749, appendix B).
    @Test(arguments: [("+", "ab c", 500, true), ("%2B", "ab+c", 500, false), ("+", "ab c", 302, false)])
    func findsAPlusThatWasReadAsASpace(sent: String, came: String, status: Int, fires: Bool) throws {
        let recording = try Recording(broken).asking("nonce", "abPLUSc").editing { exchange in
            func plus(_ text: String) -> String { text.replacing("PLUS", with: sent) }
            exchange.request.url = RecordedURL(plus(exchange.request.url.text))
            if let location = exchange.response?.location, location.contains("PLUS") {
                exchange.response?.redirect(to: plus(location))
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = status
            if status == 302 { exchange.response?.redirect(to: "https://www.shop.example/") }
        }.editingIDToken(claims: { $0["nonce"] = .string(came) })
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(finding.map { $0.notes.last == "with the space" } ?? true)
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func doesNotAbstainForARefresh() throws {
        #expect(try Recording(broken + ".near-miss").abstention(rule) == nil)
    }

    @Test func saysWhichLoginTheNonceIsOf() throws {
        let recording = try Recording(broken)
        let token = try #require(recording.flows.first?.deliveredNonce)
        var both = recording
        var other = try #require(recording.exchanges.first { $0.request.url.path == "/authorize" })
        let changed = Recording.changing(
            Recording.changing(other.request.url.text, "nonce", token),
            "state",
            "other"
        )
        other.request.url = RecordedURL(changed)
        both.exchanges.append(other)
        let finding = try #require(both.finding(rule))
        #expect(finding.notes == ["that of another login in this capture", "the login that sent it"])
    }

    @Test func readsANonceThatIsNoString() throws {
        let recording = try Recording("id-token/id-token-nonce-mismatch.near-miss").asking("nonce", "17")
        #expect(recording.finding(rule) != nil)
    }

    @Test func saysNothingWhereNoneWasSent() throws {
        #expect(try Recording(broken).asking("nonce", nil).finding(rule) == nil)
        #expect(try Recording(broken).asking("nonce", "").finding(rule) == nil)
    }

    @Test func leavesANullToTheClaimThatIsMissing() throws {
        let recording = try Recording(broken).editingIDToken(claims: { $0["nonce"] = .null })
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("id-token-nonce-missing") != nil)
    }

    @Test func abstainsWithoutTheRequest() throws {
        let recording = try Recording(broken).without {
            ["/authorize", "/login", "/sign-in", "/callback"].contains($0.request.url.path)
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingOfACodeThatIsAnotherLogins() throws {
        #expect(try Recording(broken).sending("code", "code-of-a-login-nobody-recorded").finding(rule) == nil)
    }

    /// The server's half of a login whose request was pushed.
    @Test(arguments: [true, false]) func comparesWithTheNonceThatWasPushed(isOther: Bool) throws {
        let pushed = try Recording("authorization-request/par-client-mismatch.near-miss").backChannel
        let recording = isOther ? pushed.editingIDToken(claims: { $0["nonce"] = "another" }) : pushed
        #expect(
            recording.finding(rule)?.places
                == (isOther ? ["0 request.body nonce", "1 jwt.claims nonce"] : nil)
        )
    }
}
