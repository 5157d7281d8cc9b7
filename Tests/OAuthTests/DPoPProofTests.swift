import Captures
import JOSE
import OAuth
import Testing

struct DPoPProofTests {
    /// The proof of RFC 9449, section 4.1.
    private let proof = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMi\
        LCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoi\
        UE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4\
        PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
        """

    private func request(_ header: String?) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL("https://server.example.com/token"),
            headers: HeaderFields(header.map { [("dpop", $0)] } ?? [])
        )
    }

    @Test func readsTheExampleOfTheSpecification() throws {
        let read = try #require(DPoPProof(of: request(proof), exchange: 3))
        #expect(read.method == "POST")
        #expect(read.url == "https://server.example.com/token")
        #expect(read.identifier == "-BwC3ESc6acc2lTc")
        #expect(read.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(read.isSignedByItsKey == true)
        #expect(read.nonce == nil)
        #expect(read.place(ofClaim: "htu") == Place(exchange: 3, part: .jwtClaims, name: "htu"))
    }

    @Test func noticesAChangedByte() throws {
        let parts = proof.split(separator: ".")
        let other = Base64URL.encode("{\"jti\":\"-BwC3ESc6acc2lTc\",\"htm\":\"GET\"}".utf8)
        let read = try #require(DPoPProof(of: request("\(parts[0]).\(other).\(parts[2])"), exchange: 0))
        #expect(read.isSignedByItsKey == false)
    }

    @Test func saysNothingOfAnUnknownAlgorithm() throws {
        let parts = proof.split(separator: ".")
        let header = Base64URL.encode(
            "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256K\",\"jwk\":{\"kty\":\"EC\"}}".utf8
        )
        let read = try #require(DPoPProof(of: request("\(header).\(parts[1]).\(parts[2])"), exchange: 0))
        #expect(read.isSignedByItsKey == nil)
        #expect(read.thumbprint == nil)
    }

    /// RFC 9449, section 7.1.
    @Test func hashesAnAccessToken() {
        let hash = DPoPProof.hash(ofAccessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        #expect(hash == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test(arguments: [nil, "", "not-a-token", "a.b.c"]) func leavesOtherHeadersAlone(header: String?) {
        #expect(DPoPProof(of: request(header), exchange: 0) == nil)
    }
}
