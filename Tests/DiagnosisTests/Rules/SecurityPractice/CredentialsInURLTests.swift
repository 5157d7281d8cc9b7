import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct CredentialsInURLTests {
    private let rule = "credentials-in-url"
    private let broken = "security-practice/credentials-in-url"

    @Test func namesTheURLAndMasksTheSecret() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["4 request.query client_secret"])
        #expect(finding.evidence[0].value == "not-…(22)")
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test(arguments: ["client_assertion", "code_verifier"]) func knowsOtherProofs(name: String) throws {
        let recording = try Recording(broken).editing { exchange in
            let text = exchange.request.url.text.replacing("client_secret=", with: "\(name)=")
            if exchange.request.url.path == "/token" { exchange.request.url = RecordedURL(text) }
        }
        #expect(recording.finding(rule)?.places == ["4 request.query \(name)"])
    }

    @Test func knowsAPasswordBeforeTheHost() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/jwks" else { return }
            exchange.request.url = RecordedURL("https://shop:correct-horse-battery@id.harbour.example/jwks")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["5 request.url "])
        #expect(finding.evidence[0].value == "corr…(21)")
        #expect(finding.notes == ["a password before the host id.harbour.example"])
    }
}
