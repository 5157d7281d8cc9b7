import Captures
import OAuth
import Testing

/// Where a request has its access token.
struct BearerTokenTests {
    @Test(
        arguments: [
            ("Bearer token-1", "token-1"), ("DPoP token-1", "token-1"), ("Basic c2hvcDp4", nil),
            // MyInfo's third version.
            (#"PKI_SIGN app_id="shop",nonce="1",signature="c2ln==",timestamp="1",Bearer token-1"#, "token-1"),
            (#"PKI_SIGN app_id="shop",nonce="1",signature="c2ln==",timestamp="1""#, nil),
            (#"Digest username="shop",Bearer token-1"#, nil),
        ] as [(String, String?)]
    )
    func isReadOfTheHeader(header: String, token: String?) {
        var request = RecordedRequest(method: "GET", url: RecordedURL("https://api.harbour.example/person/1"))
        request.headers.append("Authorization", header)
        #expect(BearerToken.of(request, exchange: 0)?.value == token)
    }
}
