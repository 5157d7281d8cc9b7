import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ScopeMalformedTests {
    private let rule = "scope-malformed"
    private let broken = "authorization-request/scope-malformed"

    @Test func namesTheValueDecodedAndRaw() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 request.query scope", "1 request.query scope", "2 request.query error"]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["openid,profile", "openid%2Cprofile"])
        #expect(try Recording(broken).finding("scope-rejected") == nil)
    }

    @Test func leavesAProviderThatTakesCommasAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.allSatisfy { $0.severity == .note })
    }

    @Test(arguments: [
        ("openid+profile", "+"), ("openid%20email", "%20"), ("openid, profile", nil),
        ("openid,profile email", ","), ("read_user+profile", "+"), ("orders%20read", "%20"),
        ("orders,read", nil), ("openid profile", nil), ("https://api.shop.example/a,b", nil),
        // A name of its own, for all that is known.
        ("openid repo+admin", nil), ("openid repo%2Badmin", nil), ("repo+admin+email", "+"),
    ])
    func takesApartWhatIsKnown(scope: String, mark: String?) throws {
        let finding = try Recording(broken).asking("scope", scope).finding(rule)
        #expect((finding != nil) == (mark != nil))
        if let mark { #expect(finding?.notes.first?.hasSuffix("\"\(mark)\"") == true) }
    }

    /// A provider that took it may have scopes with such names.
    @Test func asksForTheRefusal() throws {
        let recording = try Recording(broken).asking("scope", "orders+read")
        #expect(recording.saying("Sign in", status: 200).finding(rule) == nil)
    }

    @Test func knowsTheScopesOfTheMetadata() throws {
        let recording = try Recording(broken).withMetadata().asking("scope", "openid,orders")
        #expect(recording.finding(rule) == nil)
        let listing = recording.editingAnswer(of: "/.well-known/openid-configuration") {
            $0["scopes_supported"] = ["openid", "orders"]
        }
        #expect(listing.finding(rule) != nil)
    }

    @Test func missesTheIDToken() throws {
        let recording = try Recording(broken + ".near-miss").editingAnswer(of: "/token") { object in
            object.members.removeAll { $0.name == "id_token" }
        }
        #expect(recording.finding(rule)?.places.last == "4 response.body id_token")
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func leavesAnotherRefusalAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_request"
        )
        #expect(recording.finding(rule) == nil)
    }

    /// Of an answer that was cut off nobody knows what was in the rest.
    @Test func missesNothingInAnAnswerThatWasCutOff() throws {
        let recording = try Recording(broken + ".near-miss").editingLast("/token") { exchange in
            exchange.response?.body = Body(
                content: .bytes(Array(#"{"access_token":"not-a-token","expires_"#.utf8)),
                mediaType: "application/json",
                isTruncated: true
            )
        }
        #expect(recording.finding(rule) == nil)
    }
}
