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

    private func askForCredential(_ capture: inout CaptureBuilder, _ status: Int, _ answer: String) {
        capture.post(
            "https://issuer.example/credential",
            json: #"{"credential_configuration_id":"diploma","proof":{"proof_type":"jwt","jwt":"e"}}"#,
            status,
            headers: [("Authorization", "Bearer access-0001")],
            body: .json(answer)
        )
    }

    /// The credential is what the wallet asked for a token for; a nonce that is used up is taken from the answer.
    @Test func refusedProofEndsTheFlow() {
        var capture = CaptureBuilder()
        ask(&capture, "1234", 200, #"{"access_token":"access-0001","token_type":"bearer"}"#)
        askForCredential(&capture, 400, #"{"error":"invalid_proof"}"#)
        #expect(capture.flows.map(\.ending) == [.failure])
        askForCredential(&capture, 200, #"{"credentials":[{"credential":"e30"}]}"#)
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2]])
        #expect(capture.flows.map(\.ending) == [.success])
    }
}
