import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RegistrationSecretExpiredTests {
    private let rule = "registration-secret-expired"
    private let broken = "registration/registration-secret-expired"

    private func expiring(_ end: JSONValue?) throws -> Recording {
        try Recording(broken).editingAnswer(of: "/register") { $0["client_secret_expires_at"] = end }
    }

    @Test func showsTheEndAndTheTime() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body client_secret_expires_at", "5 response.header Date", "5 response.body error",
            ]
        )
        #expect(finding.notes == ["run out 38 s before"])
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
    }

    @Test func aSecretWithinItsTimeIsNotThis() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [0, nil, "never", 9_000_000_000, -5, .number(JSONNumber(1e300))] as [JSONValue])
    func saysNothingWithoutAnEnd(end: JSONValue) throws {
        #expect(try expiring(end).finding(rule) == nil)
    }

    @Test func anEndInAStringIsRead() throws {
        #expect(try expiring("1").finding(rule) != nil)
    }

    @Test func theServersClockDecides() throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.response?.headers.remove("Date")
        }
        #expect(recording.finding(rule)?.places[1] == "5 timing time")
        let later = try Recording(broken).editing { $0.startedAt = $0.startedAt + .seconds(-86400) }
        #expect(later.finding(rule)?.notes == ["run out 38 s before"])
    }

    @Test func anotherSecretIsAnotherMatter() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") {
            $0["client_secret"] = "another"
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).answering("/token", 200, ["access_token": "not-a-token"])
        #expect(recording.finding(rule) == nil)
    }

    /// What a client reads of its registration later is what holds (RFC 7592, section 3).
    @Test func aLaterAnswerSaysHowLongTheSecretIsGood() throws {
        let recording = try Recording(broken)
        #expect(recording.configuring("GET") { $0["client_secret_expires_at"] = 0 }.finding(rule) == nil)
        #expect(recording.configuring("PUT") { $0["client_secret_expires_at"] = 0 }.finding(rule) == nil)
    }

    @Test func anAnswerThatKeepsTheSecretToItselfChangesNothing() throws {
        let recording = try Recording(broken).configuring("GET") {
            $0["client_secret"] = nil
            $0["client_secret_expires_at"] = nil
        }
        #expect(recording.finding(rule)?.places.first == "0 response.body client_secret_expires_at")
    }

    @Test func countsAtThePushedRequest() throws {
        #expect(try Recording(broken).authenticatingAtPAR.finding(rule)?.isPrimary == true)
        #expect(try Recording(broken + ".near-miss").authenticatingAtPAR.finding(rule) == nil)
    }
}
