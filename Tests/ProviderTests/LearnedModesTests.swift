import Captures
import OAuth
import Provider
import TestSupport
import Testing

/// By which way a recorded provider sends tokens back.
struct LearnedModesTests {
    private static let redirectURI = "https://web.example/cb"

    private static func request(_ state: String, _ mode: String?) -> [(String, String)] {
        [
            ("response_type", "code token"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("scope", "read"), ("state", state),
        ] + (mode.map { [("response_mode", $0)] } ?? [])
    }

    /// OAuth 2.0 Multiple Response Types, section 5, forbids a query: what was asked for so then is answered as it was.
    @Test(arguments: ["query", nil] as [String?])
    func tokensInAQueryAreRefusedUnlessTheyWereNot(recorded: String?) throws {
        var builder = CaptureBuilder()
        builder.redirect(
            "https://id.example/auth?" + FormBody.encode(Self.request("state-0123456789", recorded)),
            to: Self.redirectURI + "#code=code-0123456789&access_token=access-token-1-0123456789"
                + "&token_type=Bearer&expires_in=600&state=state-0123456789"
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        let answer = caller.get(
            RecordedProviderTests.base + "/auth",
            Self.request("state-of-mine", "query")
        )
        #expect((answer.parameters.first("access_token") != nil) == (recorded != nil))
        #expect(answer.parameters.first("error") == (recorded == nil ? "invalid_request" : nil))
        #expect(!(answer.location.map { RecordedURL($0).queryItems.contains("access_token") } ?? true))
    }
}
