import Testing

@testable import Diagnosis

/// What servers say of the certificate that a client proves itself with.
struct CertificateRefusalTests {
    @Test(
        arguments: [
            ("transport certificate not found in the request", .missing),
            ("no client certificate was sent", .missing),
            ("access token is bound. the certificate thumbprint is another one", .other),
            ("a client secret or a client certificate is required", nil),
            ("client certificates are taken at another port. the parameter code is missing", nil),
            (#"{"help":"client certificates work, too","message":"a token is required"}"#, nil),
        ] as [(String, CertificateRefusal?)]
    )
    func isReadFromOneSentence(words: String, refusal: CertificateRefusal?) {
        #expect(CertificateRefusal(in: words) == refusal)
    }
}
