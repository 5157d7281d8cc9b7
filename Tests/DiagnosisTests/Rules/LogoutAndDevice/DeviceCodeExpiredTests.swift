import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct DeviceCodeExpiredTests {
    private let rule = "device-code-expired"
    private let broken = "logout-and-device/device-code-expired"

    @Test func namesLifetimeAndAge() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body expires_in", "2 request.body device_code", "2 response.body error",
            ]
        )
        #expect(finding.notes.contains("10 min 2 s old") || finding.notes.contains("10 min 3 s old"))
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAnEarlyRefusalAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func takesALateInvalidGrantForIt() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "invalid_grant"])
        #expect(recording.finding(rule) != nil)
    }

    @Test func knowsGitHubsAnswerWithStatus200() throws {
        #expect(
            try Recording(broken).answering("/token", 200, ["error": "expired_token"]).finding(rule) != nil
        )
    }

    @Test func abstainsOnARefusalWithoutTheDeviceAuthorization() throws {
        let recording = Recording(
            Array(
                try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).exchanges
                    .dropFirst()
            )
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// Keycloak's and Entra's words, of a device whose authorization was not recorded.
    @Test(arguments: [
        ("Device code is expired", true), ("AADSTS70020: This device code has expired.", true),
        ("Code not valid", false),
    ])
    func leavesTheProvidersWordsToTheRefusal(words: String, isExpired: Bool) throws {
        let answer: JSONValue = ["error": "invalid_grant", "error_description": .string(words)]
        let recording = Recording(
            Array(try Recording(broken).answering("/token", 400, answer).exchanges.dropFirst())
        )
        #expect(recording.finding(rule) == nil)
        let refusal = try #require(recording.finding("token-invalid-grant"))
        #expect(refusal.isPrimary)
        #expect((refusal.title == "The provider says that the device code has run out") == isExpired)
    }

    /// A time that is not over is none that is not known.
    @Test func refusalBeforeTheTimeIsNotSaidToBeWithoutAuthorization() throws {
        let answer: JSONValue = ["error": "invalid_grant", "error_description": "Device code is expired"]
        let recording = try Recording(broken + ".near-miss").answering("/token", 400, answer)
        #expect(recording.finding(rule) == nil)
        let refusal = try #require(recording.finding("token-invalid-grant"))
        #expect(refusal.title == "The provider says that the device code has run out")
        #expect(!refusal.explanation.contains("is not in the capture"))
    }
}
