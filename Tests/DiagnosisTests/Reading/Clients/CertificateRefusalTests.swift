import OAuth
import TestSupport
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

    /// A try that was refused without a word before goes with the next one; another reason stands by itself.
    @Test(
        arguments: [
            (["", "no client certificate was sent"], .missing),
            (["the session is over", "no client certificate was sent"], nil),
            (["no client certificate was sent", "the session is over"], .missing), (["", ""], nil),
        ] as [([String], CertificateRefusal?)]
    )
    func isReadFromTheFirstAnswerWithAReason(words: [String], refusal: CertificateRefusal?) {
        var capture = CaptureBuilder()
        for text in words {
            capture.post(
                "https://id.harbour.example/token",
                json: "{}",
                400,
                body: .json(#"{"error":"invalid_grant","error_description":"\#(text)"}"#)
            )
        }
        let answers = capture.exchanges.enumerated().map { Answer(of: $1, at: $0) }
        #expect(CertificateRefusal.said(in: answers) == refusal)
    }
}
