import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct TLSHandshakeFailedTests {
    private let rule = "tls-handshake-failed"
    private let broken = "transport/tls-handshake-failed"

    @Test func tellsEndpointAndWords() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.map(\.value).first == "https://id.harbour.example/token")
        #expect(finding.places.last == "4 tls id.harbour.example")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesATryAloneThatWentThroughLater() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH", true), ("sslv3 alert handshake failure", true),
        ("tlsv1 alert protocol version", true), ("handshake_failure", true),
        ("Error Domain=NSURLErrorDomain Code=-1200", true), ("NSURLErrorDomain -1202", false),
        ("Server TLS handshake failed. The remote server speaks no TLS", true),
        ("Server TLS handshake failed. Certificate verify failed: certificate has expired", false),
        ("SSL handshake with client failed: protocol_version", false), ("ECONNRESET", false),
        ("error:0A000415:SSL routines::sslv3 alert certificate expired", true),
        ("Received fatal alert: bad_certificate", true),
        ("The client failed to negotiate a TLS connection: Received fatal alert: bad_certificate", false),
    ])
    func knowsTheWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func readsATunnelThatCameToNothing() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.failure != nil else { return }
            exchange.request.method = "CONNECT"
            exchange.request.url = RecordedURL("https://id.harbour.example:443/")
        }
        #expect(recording.finding(rule) != nil)
    }

    /// Alerts that a client gets for its own certificate, in the words of OpenSSL, Python, Java, Go and browsers.
    @Test(arguments: [
        ("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca (_ssl.c:2580)", true),
        ("remote error: tls: bad certificate", true), ("Received fatal alert: certificate_expired", true),
        ("net::ERR_BAD_SSL_CLIENT_AUTH_CERT", true), ("tlsv13 alert certificate required", true),
        ("sslv3 alert handshake failure", false), ("Received fatal alert: protocol_version", false),
        ("net::ERR_SSL_PROTOCOL_ERROR", false),
    ])
    func tellsOfTheClientsCertificate(words: String, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.failure != nil { exchange.failure = words }
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.title == "The server does not take the client's certificate") == isTold)
    }
}
