import Diagnosis
import Flows
import JSON
import Testing

struct UnconfirmedDeviceTests {
    private let rule = "login-abandoned"

    /// A device's login ends in the same way where nobody confirms its code.
    @Test func showsWhatADeviceWaitsFor() throws {
        let recording = try Recording("logout-and-device/device-polling-too-fast.near-miss")
            .answering("/token", 400, ["error": "authorization_pending"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["0 response.body user_code", "4 response.body error"])
        #expect(finding.title == "The device's code was not confirmed while it was recorded")
        #expect(finding.notes == ["asked for the tokens 4 times"])
        #expect(recording.outcomes == [.incomplete])
    }

    /// One that is told to wait to the end says nothing of its user.
    @Test func leavesADeviceAloneThatDoesNotWait() throws {
        let recording = try Recording("logout-and-device/device-polling-too-fast")
            .answering("/token", 400, ["error": "slow_down"])
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("device-polling-too-fast")?.isPrimary == true)
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func leavesADeviceThatGotItsTokensAlone() throws {
        #expect(
            try Recording("logout-and-device/device-polling-too-fast.near-miss")
                .answering("/token", 200, ["access_token": "a-token-of-the-device", "token_type": "Bearer"])
                .finding(rule) == nil
        )
    }
}
