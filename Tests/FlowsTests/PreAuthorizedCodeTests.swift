import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Wallets that an issuer has given a code beforehand (OpenID for Verifiable Credential Issuance, section 6).
struct PreAuthorizedCodeTests {
    private func ask(_ capture: inout CaptureBuilder, _ pin: String, _ status: Int, _ answer: String) {
        capture.post(
            "https://issuer.example/token",
            [
                ("grant_type", GrantType.preAuthorizedCode),
                ("pre-authorized_code", "SplxlOBeZQQYbYS6WxSbIA"), ("tx_code", pin),
            ],
            status,
            body: .json(answer)
        )
    }

    /// With another PIN after a wrong one, and once more when it is used up.
    @Test func triesWithOneCodeAreOneFlow() {
        let (tokens, refusal) = (
            #"{"access_token":"access-0001","token_type":"bearer"}"#, #"{"error":"invalid_grant"}"#
        )
        var capture = CaptureBuilder()
        ask(&capture, "1234", 400, refusal)
        ask(&capture, "4321", 200, tokens)
        #expect(capture.flows.map(\.exchanges) == [[0, 1]])
        #expect(capture.flows.map(\.ending) == [.success])
        ask(&capture, "4321", 400, refusal)
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2]])
        #expect(capture.flows.map(\.ending) == [.failure])
    }
}
