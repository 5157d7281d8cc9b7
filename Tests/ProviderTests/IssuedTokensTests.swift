import Captures
import Testing

@testable import Provider

/// What counts of what was given out, and what ends with what.
struct IssuedTokensTests {
    private static let now = Timestamp(seconds: 1_790_000_000)

    private func grant(family: String) -> ProviderState.Grant {
        ProviderState.Grant(clientID: "app", scope: "openid", signedInAt: Self.now, family: family)
    }

    private func issued() -> IssuedTokens {
        var issued = IssuedTokens()
        for family in ["login", "other"] {
            let grant = grant(family: family)
            issued.refreshTokens["refresh of \(family)"] = ProviderState.RefreshToken(grant: grant)
            issued.accessTokens["access of \(family)"] = ProviderState.AccessToken(
                grant: grant,
                issuedAt: Self.now,
                expiresAt: Self.now + .seconds(300)
            )
        }
        return issued
    }

    @Test(arguments: [(0, true), (299, true), (300, false)])
    func accessTokenCountsUntilItsEnd(age: Int64, counts: Bool) {
        let found = issued().accessToken("access of login", at: Self.now + .seconds(age))
        #expect((found != nil) == counts)
    }

    /// RFC 7009, section 2.1.
    @Test func refreshTokenEndsWithAllOfItsLoginAndAnAccessTokenAlone() {
        var issued = issued()
        issued.revoke("access of other", at: Self.now)
        #expect(issued.accessToken("access of other", at: Self.now) == nil)
        #expect(issued.introspected("refresh of other", at: Self.now, lifetime: 60) != nil)
        issued.revoke("refresh of login", at: Self.now)
        #expect(issued.accessToken("access of login", at: Self.now) == nil)
        #expect(issued.introspected("refresh of login", at: Self.now, lifetime: 60) == nil)
        // Both stay known: whose they were is asked still.
        #expect(issued.grant(of: "access of other")?.family == "other")
        #expect(issued.grant(of: "refresh of login")?.family == "login")
        #expect(issued.grant(of: "never given out") == nil)
    }

    /// RFC 7662, section 2.2.
    @Test func refreshTokenIsIntrospectedAsWhatItWouldBring() {
        var issued = issued()
        let found = issued.introspected("refresh of login", at: Self.now, lifetime: 60)
        #expect(found?.issuedAt == Self.now && found?.expiresAt == Self.now + .seconds(60))
        issued.refreshTokens["refresh of login"]?.isUsed = true
        #expect(issued.introspected("refresh of login", at: Self.now, lifetime: 60) == nil)
    }
}
