import Captures
import Flows
import OAuth

/// The client looked at the provider's certificate and broke off: signed by nobody it knows, out of date, or for another name.
///
/// Told where the recorder has the client's or its own words for it, and nothing of that host answered the same client later.
struct TLSCertificateUntrusted: Rule {
    static let info = RuleInfo(
        id: "tls-certificate-untrusted",
        title: "The provider's certificate is not trusted",
        severity: .error,
        explanation: """
            The connection to the provider ended before anything was sent over it, because its certificate was not accepted. Usual reasons \
            are a certificate that the server made itself, one that is out of date, or one that is made for another name.
            """,
        fix: """
            Give the provider a valid certificate for the very name that clients use, with its intermediate certificates. For a test server, \
            install its authority on the device, in the simulator or in the runtime's trust store; do not ship an exception in the app.
            """,
        badExample: """
            GET https://id.example:9443/oauth2/authorize?… → no answer, net::ERR_CERT_AUTHORITY_INVALID
            """,
        goodExample: """
            GET https://id.example:9443/oauth2/authorize?… → 200
            """,
        specifications: [
            .rfc(6749, "1.6"),
            SpecificationReference(text: "RFC 9525", url: "https://www.rfc-editor.org/rfc/rfc9525"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let failed = flow.failedRequests(.certificate)
        guard !failed.isEmpty else { return .holds }
        let isRecorders = failed.allSatisfy { $0.words.containsBytes(Self.recordersWords) }
        return .violated(
            Violation(
                FailedRequest.evidence(of: failed, in: flow),
                explanation: isRecorders ? Self.refusedByRecorder : nil,
                fix: isRecorders ? Self.recordersFix : nil,
                explains: FailedRequest.explained(by: failed, in: flow)
            )
        )
    }

    // MARK: - The recorder's own refusal

    /// As its proxy words it.
    private static let recordersWords = " is not accepted: "
    private static let refusedByRecorder = """
        The recording proxy did not accept the provider's certificate, so nothing was sent to it: it is signed by nobody that this machine \
        trusts, out of date, or for another name. What the client itself trusts has no part in that.
        """
    private static let recordersFix = """
        For a test provider with an authority of its own record again with --upstream-ca FILE, its certificate in PEM (--insecure-upstream \
        accepts any). Otherwise give the provider a valid certificate for the very name that clients use, with its intermediate certificates.
        """
}
