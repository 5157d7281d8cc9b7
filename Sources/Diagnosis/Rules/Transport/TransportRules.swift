/// Stage 13, in the order of the catalogue.
enum TransportRules {
    static let list: [any Rule] = [
        TLSCertificateUntrusted(),
        TLSClientRejectsRecorder(),
        TLSHandshakeFailed(),
        HostUnreachable(),
        InsecureEndpoint(),
        RateLimited(),
    ]
}
