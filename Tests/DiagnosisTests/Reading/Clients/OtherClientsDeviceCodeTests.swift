import Diagnosis
import DiagnosisTestSupport
import JSON
import Testing

struct OtherClientsDeviceCodeTests {
    private let rule = "code-wrong-client"

    /// Authlib's answer.
    @Test(arguments: [("unauthorized_client", true), ("invalid_grant", true), ("expired_token", false)])
    func readsADevicesCodeToo(error: String, fires: Bool) throws {
        let device = try Recording("logout-and-device/device-code-expired")
            .answering("/token", 400, ["error": .string(error)])
        #expect(device.finding(rule) == nil)
        let finding = device.sending("client_id", "shop-radio").finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(
            !fires
                || finding?.places == [
                    "0 request.body client_id", "2 request.body client_id", "2 response.body error",
                ]
        )
    }

    /// An empty client_id is nobody's: it says that one is missing, not that it is another.
    @Test(arguments: ["/device_authorization", "/token"]) func anEmptyClientIDIsNoOtherClient(path: String)
        throws
    {
        let recording = try Recording("logout-and-device/device-code-expired")
            .answering("/token", 400, ["error": "invalid_grant"]).sending("client_id", "", to: path)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-grant") != nil)
    }
}
