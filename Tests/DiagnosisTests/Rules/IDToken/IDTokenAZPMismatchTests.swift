import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IDTokenAZPMismatchTests {
    private let rule = "id-token-azp-mismatch"
    private let broken = "id-token/id-token-azp-mismatch"

    @Test func namesPartyAudienceAndClient() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 jwt.claims azp", "4 jwt.claims aud", "4 request.body client_id"])
        #expect(finding.evidence.map(\.value) == ["shop-mobile", "shop-web, shop-mobile", "shop-web"])
    }

    @Test func leavesTheClientItselfAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func severalAudiencesWithoutItAreANote() throws {
        #expect(try Recording(broken).editingIDToken { $0["azp"] = nil }.finding(rule)?.severity == .note)
        let one = try Recording(broken).editingIDToken { claims in
            claims["azp"] = nil
            claims["aud"] = ["shop-web"]
        }
        #expect(one.finding(rule) == nil)
    }

    @Test func leavesAnotherAudienceToItsOwnRule() throws {
        #expect(try Recording(broken).editingIDToken { $0["aud"] = "shop-mobile" }.finding(rule) == nil)
    }

    @Test func leavesAnAudienceAloneThatWasAskedFor() throws {
        #expect(try Recording(broken).asking("audience", "shop-mobile").finding(rule) == nil)
    }

    @Test func isAWarningWhereTheClientWentOn() throws {
        #expect(try Recording(broken).goingOn.finding(rule)?.severity == .warning)
    }

    @Test func abstainsOnAnEncryptedToken() throws {
        let recording = try Recording(broken).withEncryptedIDToken
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Nothing was used, and the same client asks for a login again: it threw the token away.
    @Test func isAnErrorWhereTheClientBeginsAnew() throws {
        var recording = try Recording(broken).without {
            ["/userinfo", "/callback"].contains($0.request.url.path)
        }
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        let last = try #require(recording.exchanges.last)
        var again = Recording([recording.exchanges[index]]).asking("state", "state-of-the-next").exchanges[0]
        #expect(recording.finding(rule)?.severity == .warning)
        again.startedAt = last.endedAt + .seconds(20)
        recording.exchanges.append(again)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes.first == .failure)
        // What the token was used with may have been left out, of one file of an import as well.
        let imported = try recording.sanitized.imported(beside: "healthy/native-app")
        #expect(imported.finding(rule)?.severity == .warning)
    }
}
