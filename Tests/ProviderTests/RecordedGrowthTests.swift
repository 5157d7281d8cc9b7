import Captures
import TestSupport
import Testing

@testable import Provider

/// A provider is learned from a day of logins in time that grows with them.
struct RecordedGrowthTests {
    /// Logins that name no issuer, each with a cookie that was set before and one that is set in it.
    private static func capture(logins count: Int) -> Capture {
        var capture = CaptureBuilder()
        for number in 0..<count {
            let answer = "https://app.example/cb?code=code-\(number)&state=state-\(number)"
            capture.get(
                "https://idp.example/authorize?response_type=code&client_id=shop"
                    + "&redirect_uri=https://app.example/cb&state=state-\(number)",
                302,
                headers: [("Cookie", "known=before-\(number)-0123456789")],
                answer: [("Location", answer), ("Set-Cookie", "sso=session-\(number)-0123456789; Path=/")]
            )
            capture.redirect(answer, to: "/home")
            capture.post(
                "https://idp.example/token",
                [("grant_type", "authorization_code"), ("code", "code-\(number)"), ("client_id", "shop")],
                headers: [("User-Agent", "shop-backend/1")],
                body: .json("{\"access_token\":\"access-\(number)\",\"token_type\":\"Bearer\"}")
            )
        }
        return capture.capture
    }

    /// Eight times as many take eight times as long, sixty-four times if each looked at all others.
    @Test func timeGrowsWithTheLogins() throws {
        func seconds(_ count: Int) throws -> (issuers: Double, seeds: Double) {
            let capture = Self.capture(logins: count)
            var issuers: [RecordedIssuer] = []
            let finding = ProcessorTime.seconds { issuers = RecordedIssuer.all(in: [capture]) }
            try #require(issuers.count == 1 && issuers[0].flows.count == count)
            let configuration = ProviderConfiguration(
                issuer: "https://idp.example",
                clients: [],
                users: [],
                keys: []
            )
            let finder = SeedFinder(issuers[0], configuration: configuration, users: [:])
            return (finding, ProcessorTime.seconds { _ = finder.state() })
        }
        let few = try (0..<3).map { _ in try seconds(100) }
        let many = try (0..<2).map { _ in try seconds(800) }
        let (issuers, seeds) = (many.map(\.issuers).min() ?? 0, many.map(\.seeds).min() ?? 0)
        #expect(issuers < 20 * (few.map(\.issuers).min() ?? 0))
        #expect(seeds < 20 * max(few.map(\.seeds).min() ?? 0, 0.0005))
    }
}
