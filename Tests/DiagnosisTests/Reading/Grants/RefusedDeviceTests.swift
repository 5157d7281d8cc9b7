import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// authgent names every answer to a poll `invalid_grant`, and says in the description which it is.
struct RefusedDeviceTests {
    @Test(arguments: [
        ("authorization_pending", "The provider calls a device that has to wait refused"),
        ("Device authorization request was denied", "The provider says that the device was denied"),
        ("Device code expired", "The provider says that the device code has run out"),
        ("Unknown device code", "The provider rejected the code or refresh token"),
    ])
    func tellsWhatTheDescriptionSays(words: String, title: String) throws {
        let recording = try Recording("logout-and-device/device-code-expired").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect(recording.finding("token-invalid-grant")?.title == title)
    }
}
