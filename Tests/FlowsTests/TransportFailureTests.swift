import Flows
import Testing

struct TransportFailureTests {
    @Test(arguments: [
        (
            "ERR_PROXY_CONNECTION_FAILED: no connection to the upstream proxy http://p:1: ECONNREFUSED: refused",
            true
        ),
        (
            "ERR_PROXY_CERTIFICATE_INVALID: TLS with the upstream proxy https://p:1: ERR_CERT_AUTHORITY_INVALID",
            true
        ),
        ("net::ERR_TUNNEL_CONNECTION_FAILED", true), ("ERR_SOCKS_CONNECTION_FAILED: refused (reply 5)", true),
        ("NS_ERROR_PROXY_CONNECTION_REFUSED", true),
        ("ERR_BLOCKED_BY_CLIENT: localhost:3000 is a loopback address of the recorder's computer", false),
        ("Client TLS handshake failed. The client does not trust the proxy's certificate", false),
    ])
    func proxyOnTheWayIsNoWayToTheServer(_ row: (words: String, isUnreachable: Bool)) {
        #expect(TransportFailure(row.words) == (row.isUnreachable ? .unreachable : nil))
    }

    @Test func certificateOfTheServerIsStillTheServers() {
        #expect(
            TransportFailure("ERR_CERT_AUTHORITY_INVALID: the certificate of x is not accepted")
                == .certificate
        )
        #expect(TransportFailure("ECONNREFUSED: connection refused by 127.0.0.1:1") == .unreachable)
    }

    @Test(
        arguments: [
            ("java.net.SocketTimeoutException: timeout", .unanswered),
            ("java.net.ConnectException: Failed to connect to /10.0.2.2:8080", .unreachable),
            (
                "javax.net.ssl.SSLHandshakeException: CertPathValidatorException: Trust anchor for certification path not found.",
                .certificate
            ),
            ("javax.net.ssl.SSLHandshakeException: Handshake failed", .handshake),
            ("System.Net.WebException: Error: NameResolutionFailure", .unreachable),
            ("The remote certificate is invalid: UntrustedRoot", .certificate),
            ("TypeError: Network request failed", .unreachable),
            ("CLEARTEXT communication to idp.test not permitted by network security policy", .unreachable),
            ("NSURLErrorDomain Code=-1022 App Transport Security", .unreachable),
            ("NSURLErrorNetworkConnectionLost", .unanswered),
            ("the provider broke off the answer (RST_STREAM INTERNAL_ERROR)", .unanswered),
            (
                "the provider closes the connection and did not take the request (GOAWAY NO_ERROR)",
                .unanswered
            ),
            (
                "connection closed by the upstream proxy http://p:1 before the answer was complete",
                .unanswered
            ),
            (
                "ERR_EMPTY_RESPONSE: the upstream proxy http://p:1 got no answer of x:80 and answered 502",
                .unanswered
            ),
            (
                "x:443 closed the connection before it was asked anything (by way of the upstream proxy http://p:1)",
                .unanswered
            ),
            ("The network connection was lost.", .unanswered),
            ("NSURLErrorCannotFindHost", .unreachable),
            ("NSURLErrorServerCertificateUntrusted", .certificate),
            ("Could not connect to the server.", .unreachable), ("An SSL error has occurred", .handshake),
            // Of a certificate for another name.
            (
                "Hostname/IP does not match certificate's altnames: Host: idp.test. is not in the cert's altnames: DNS:localhost",
                .certificate
            ),
            (
                "SSL: no alternative certificate subject name matches target host name 'idp.test'",
                .certificate
            ),
            ("No subject alternative names matching IP address 10.0.2.2 found", .certificate),
            ("invalid peer certificate: UnknownIssuer", .certificate),
            // A client's own timer.
            ("Operation timed out after 1001 milliseconds with 0 bytes received", .unanswered),
            ("AxiosError: timeout of 1000ms exceeded", .unanswered),
            ("TimeoutError: The operation was aborted due to timeout", .unanswered),
            ("TimeoutError: signal timed out", .unanswered), ("context deadline exceeded", .unanswered),
            (
                "The request was canceled due to the configured HttpClient.Timeout of 1 seconds elapsing.",
                .unanswered
            ),
            ("httpx.ReadTimeout", .unanswered),
            ("dial tcp 10.0.0.1:443: connect: operation timed out", .unreachable),
        ] as [(String, TransportFailure)]
    )
    func wordsOfAppsAreKnown(words: String, failure: TransportFailure) {
        #expect(TransportFailure(words) == failure)
        let isCleartext = words.contains("CLEARTEXT") || words.contains("-1022")
        #expect(TransportFailure.isOfCleartext(words) == isCleartext)
    }
}
