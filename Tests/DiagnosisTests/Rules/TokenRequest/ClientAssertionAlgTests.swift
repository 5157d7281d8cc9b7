import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct ClientAssertionAlgTests {
    private let rule = "client-assertion-alg"
    private let broken = "token-request/client-assertion-alg"
    private let member = "token_endpoint_auth_signing_alg_values_supported"

    @Test func namesTheAlgorithmAndTheList() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.header alg", "0 response.body \(member)", "5 response.body error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["RS256", "PS256, ES256"])
        #expect(finding.evidence[0].note == "kid shop-2026")
    }

    @Test func leavesAListedAlgorithmAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func abstainsWithoutAList() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0[member] = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    private func assertion(_ algorithm: String) -> String {
        encoded(#"{"alg":"\#(algorithm)"}"#) + "." + encoded(#"{"iss":"shop-web","sub":"shop-web"}"#) + "."
    }

    @Test(arguments: [nil, ["RS256", "none"]] as [JSONValue?]) func neverTakesNone(list: JSONValue?) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0[member] = list
        }
        .sending("client_assertion", assertion("none"))
        #expect(recording.finding(rule)?.evidence[0].value == "none")
    }

    /// What Singpass takes against its own documents is no fault but where nothing is signed.
    @Test(arguments: [("none", true), ("RS256", false)])
    func documentsAreHeldAgainstNothingThatWasTaken(algorithm: String, fires: Bool) throws {
        let recording = try Recording("providers/singpass.broken")
            .sending("client_assertion", assertion(algorithm)).granted()
        #expect(recording.finding(rule)?.severity == (fires ? .warning : nil))
    }

    /// Its header is that of the encryption (RFC 7516, section 4), and its claims nobody sees.
    @Test(arguments: ["alg", "audience", "subject", "time"])
    func encryptedAssertionIsLeftAlone(name: String) throws {
        let sent = encoded(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#) + ".AA.AA.AA.AA"
        let recording = try Recording(broken).sending("client_assertion", sent)
        #expect(recording.finding("client-assertion-\(name)") == nil)
        #expect(recording.finding("token-invalid-client") != nil)
    }

    /// By what Singpass documents alone nobody is blamed for a refusal whose words were not saved.
    @Test(arguments: [true, false]) func blamesNothingWithoutTheProvidersWords(isSaved: Bool) throws {
        let recording = try Recording("providers/singpass.broken").editingLast("/token") { exchange in
            exchange.response?.body =
                isSaved ? .json(#"{"error":"invalid_client"}"#) : Body(content: .missing)
        }
        #expect((recording.finding(rule)?.severity == .error) == isSaved)
        #expect((recording.finding(rule) != nil) == isSaved)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }
}
