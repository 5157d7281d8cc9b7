import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct TLSCertificateUntrustedTests {
    private let rule = "tls-certificate-untrusted"
    private let broken = "transport/tls-certificate-untrusted"

    @Test func tellsTheHostOnceWithTheWords() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.url ", "0 tls id.harbour.example"])
        #expect(finding.evidence[1].value.hasPrefix("ERR_CERT_AUTHORITY_INVALID"))
        #expect(recording.outcomes == [.failure])
        #expect(recording.findings.map(\.rule) == [rule])
    }

    /// Which trust helps depends on who refused: the client, or the recording proxy.
    @Test(arguments: [
        ("net::ERR_CERT_AUTHORITY_INVALID", false),
        (
            "ERR_CERT_AUTHORITY_INVALID: the certificate of id.harbour.example is not accepted: self-signed certificate",
            true
        ),
    ])
    func namesTheOptionWhereTheRecorderRefused(words: String, isRecorders: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("--upstream-ca") == isRecorders)
        #expect(finding.fix.contains("install its authority on the device") != isRecorders)
    }

    @Test func leavesAHostAloneThatAnsweredLater() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func isNotComfortedByAnAnswerToAnotherClient() throws {
        var recording = try Recording(broken + ".near-miss")
        recording.exchanges[0].client.process = "java"
        // The login went through all the same, so it broke nothing.
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding(rule)?.notes == ["client: java"])
    }

    @Test(arguments: [
        ("net::ERR_CERT_DATE_INVALID", true), ("net::ERR_CERT_COMMON_NAME_INVALID", true),
        ("SEC_ERROR_UNKNOWN_ISSUER", true), ("MOZILLA_PKIX_ERROR_SELF_SIGNED_CERT", true),
        ("Error Domain=NSURLErrorDomain Code=-1202 \"…\"", true), ("NSURLErrorDomain -1204", true),
        ("Server TLS handshake failed. Certificate verify failed: self signed certificate", true),
        ("unable to get local issuer certificate", true),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", true),
        ("NSURLErrorDomain -1200", false), ("NSURLErrorDomain -1004", false), ("NSURLErrorDomain", false),
        ("net::ERR_SSL_PROTOCOL_ERROR", false), ("net::ERR_ABORTED", false),
        ("SSL handshake with client failed: bad_certificate", false), ("", false),
    ])
    func knowsTheWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { $0.failure = words }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func saysNothingOfOtherHosts() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            if exchange.response == nil {
                exchange.request.url = RecordedURL("https://ads.tracker.example/x")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfTheRedirectURI() throws {
        var recording = try Recording("healthy/web-code-flow")
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        recording.exchanges[callback].response = nil
        recording.exchanges[callback].failure = "net::ERR_CERT_AUTHORITY_INVALID"
        #expect(recording.finding(rule) == nil)
    }
}
