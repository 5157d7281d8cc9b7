import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenAudienceMismatchTests {
    private let rule = "id-token-audience-mismatch"
    private let broken = "id-token/id-token-audience-mismatch"

    @Test func namesAudienceAndClient() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims aud", "4 request.body client_id"])
        #expect(finding.evidence.map(\.value) == ["shop-mobile", "shop-web"])
    }

    @Test func leavesAListWithTheClientAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func leavesAnAudienceAloneThatWasAskedFor() throws {
        #expect(try Recording(broken).asking("audience", "shop-mobile").finding(rule) == nil)
        #expect(try Recording(broken).sending("audience", "shop-mobile").finding(rule) == nil)
        #expect(try Recording(broken).asking("audience", "shop-api").finding(rule) != nil)
    }

    @Test(arguments: [
        ("shop-web ", "the client_id, but: white space around it", "in another spelling"),
        ("Shop-Web", "the client_id, but: differs in upper and lower case only", "in another spelling"),
        ("\"shop-web\"", "the client_id, but: in quotation marks", "in another spelling"),
        ("shop-web\u{200b}", "the client_id, but: has U+200B", "in another spelling"),
        ("shop-web shop-api", "several names in one string", "several audiences in one string"),
        ("api://shop-web", "the client_id with more around it", "close to it"),
        ("shop-", "a part of the client_id", "close to it"), ("other", "", "made for another client"),
    ])
    func saysHowNearTheAudienceIs(audience: String, note: String, title: String) throws {
        let recording = try Recording(broken).editingIDToken(claims: { $0["aud"] = .string(audience) })
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.hasSuffix(title), "\(finding.title)")
        #expect((finding.evidence[0].note ?? "").hasPrefix(note), "\(finding.evidence[0].note ?? "")")
    }

    /// A Basic header in which the colon of an id is not encoded has the beginning of it alone.
    @Test(arguments: [
        ("https://shop.example/app", false), ("urn://shop.example/app", true), ("https:admin", true),
        ("https://shop.example/app:secret", true),
    ])
    func leavesAClientAloneWhoseIDIsCutAtItsColon(audience: String, fires: Bool) throws {
        let recording = try Recording(broken).withoutAuthorization
            .sending("client_id", nil).sending("client_secret", nil)
            .sendingHeader(
                "Authorization",
                "Basic " + Base64.encode("https://shop.example/app:secret".utf8),
                to: "/token"
            )
            .editingIDToken(claims: { $0["aud"] = .string(audience) })
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func isAnErrorThoughTheClientWentOn() throws {
        let recording = try Recording(broken).goingOn
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    /// As Canaille writes it for a client that it was not told the audience of.
    @Test(arguments: ["[]", #"[""]"#, #""""#, "{}"]) func isOneThatNamesNobody(audience: String) throws {
        let recording = try Recording(broken).editingIDToken(claims: {
            $0["aud"] = try? JSONParser.parse(audience.utf8)
        })
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.first?.value == audience)
        #expect(finding.evidence.first?.note == "names nobody")
        #expect(recording.finding("id-token-claims-missing") == nil)
    }

    @Test(arguments: ["12345", "[12345]"]) func leavesANumberAlone(audience: String) throws {
        let recording = try Recording(broken).editingIDToken(claims: {
            $0["aud"] = try? JSONParser.parse(audience.utf8)
        })
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") {
            $0["id_token"] = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.AA.AA.AA.AA"
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// A refresh that has the name in its Basic header alone, or with its secret, may send an empty one beside it.
    @Test(arguments: [nil, ""]) func aRefreshWithoutAClientIDIsNoOthers(sent: String?) throws {
        #expect(try Recording("healthy/refresh").sending("client_id", sent).finding(rule) == nil)
    }

    @Test func saysNothingWhereTheAnswerWasNotSaved() throws {
        #expect(try Recording(broken).withoutBodies(of: "/token").finding(rule) == nil)
    }
}
