import Captures
import Flows
import OAuth

/// Client and provider could not agree on a secure connection, for another reason than the provider's certificate.
struct TLSHandshakeFailed: Rule {
    static let info = RuleInfo(
        id: "tls-handshake-failed",
        title: "No secure connection could be made",
        severity: .error,
        explanation: """
            The TLS handshake with the provider failed before its certificate came into question: the two have no version or cipher in \
            common, the provider wants a certificate of the client, or what listens there does not speak TLS at all.
            """,
        fix: """
            Check that the port is the one for https, that both sides allow TLS 1.2 or 1.3 with a common cipher suite, and whether the \
            endpoint wants a client certificate (mutual TLS) that was not sent.
            """,
        badExample: """
            POST https://id.example:8080/token → no answer, net::ERR_SSL_PROTOCOL_ERROR
            """,
        goodExample: """
            POST https://id.example/token → 200
            """,
        specifications: [.rfc(8446, "4.1.1"), .rfc(8446, "6.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let failed = flow.failedRequests(.handshake)
        guard !failed.isEmpty else { return .holds }
        let isOfCertificate = failed.allSatisfy { TransportFailure.isOfClientCertificate($0.words) }
        return .violated(
            Violation(
                FailedRequest.evidence(of: failed, in: flow),
                saying: isOfCertificate ? Self.ofCertificate : nil,
                explains: FailedRequest.explained(by: failed, in: flow)
            )
        )
    }

    private static let ofCertificate = Violation.Words(
        title: "The server does not take the client's certificate",
        explanation: """
            The server broke the handshake off with an alert over the client's certificate (mutual TLS): it got none, or one that has run out, \
            was revoked, or comes from an authority that it does not trust. It did not see the request.
            """,
        fix: """
            Have the client send the certificate that is registered for it, with the whole chain, and see that it lasts still and comes from \
            the authority of this very environment (sandbox or production). A proxy on the way that ends TLS has to bring a certificate of its \
            own. Where the metadata have mtls_endpoint_aliases, the endpoints outside of it want no certificate.
            """
    )
}
