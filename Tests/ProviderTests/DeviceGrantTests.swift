import Captures
import Testing

@testable import Provider

/// What a client is told that asks whether its user has agreed (RFC 8628, section 3.5).
struct DeviceGrantTests {
    private let begun = Timestamp(seconds: 1_790_000_000)
    private let alice = ProviderConfiguration.User(
        name: "alice",
        password: "wonderland",
        subject: "248289761001",
        fullName: "Alice",
        email: ""
    )

    private var grant: ProviderState.DeviceGrant {
        ProviderState.DeviceGrant(
            clientID: "tv",
            scope: "openid",
            userCode: "WDJB-MJHT",
            expiresAt: begun + .seconds(600),
            interval: 5
        )
    }

    /// The refusal of a poll so many seconds behind the beginning; nil where the user has agreed.
    private func refusal(
        of grant: inout ProviderState.DeviceGrant,
        after seconds: Int64,
        pending: Int? = nil
    ) -> Refusal? {
        switch grant.poll(at: begun + .seconds(seconds), pending: pending, agreedBy: alice) {
        case .refused(let refusal): refusal
        case .agreed: nil
        }
    }

    @Test func clientThatPollsTooFastWaitsLonger() {
        var grant = grant
        #expect(refusal(of: &grant, after: 5) == .devicePending)
        #expect(refusal(of: &grant, after: 9) == .deviceTooFast)
        #expect(grant.interval == 10)
        #expect(refusal(of: &grant, after: 19) == .devicePending)
    }

    @Test func userWhoIsThereDecidesAlone() {
        var agreed = grant
        agreed.user = alice
        #expect(refusal(of: &agreed, after: 5) == nil)
        #expect(agreed.isUsed)
        var denied = grant
        denied.isDenied = true
        #expect(refusal(of: &denied, after: 5) == .deviceDenied)
        #expect(refusal(of: &denied, after: 600) == .deviceExpired)
    }

    @Test func recordedUserAgreesBehindSoManyPolls() {
        var grant = grant
        #expect(refusal(of: &grant, after: 5, pending: 2) == .devicePending)
        #expect(refusal(of: &grant, after: 6, pending: 2) == .devicePending)
        #expect(refusal(of: &grant, after: 7, pending: 2) == nil)
        #expect(grant.user?.subject == alice.subject)
    }

    @Test func codeIsFoundHoweverItIsTyped() {
        var grants = LimitedTable<ProviderState.DeviceGrant>()
        grants["first"] = grant
        grants["second"] = grant
        #expect(grants.entry(ofUserCode: "wdjbmjht")?.key == "second")
        #expect(grants.entry(ofUserCode: "WDJB-MJHX") == nil)
        #expect(grants.newest?.key == "second")
    }
}
