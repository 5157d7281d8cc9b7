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
}
