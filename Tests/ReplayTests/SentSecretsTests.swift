import Captures
import Flows
import Testing

@testable import Replay

/// What counts for a password that is sent once more.
struct SentSecretsTests {
    private static let login = "https://idp.example/login"

    private static func form(_ password: String, to url: String = login) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL(url),
            body: Body(
                text: FormBody.encode([("username", "alice"), ("password", password)]),
                mediaType: FormBody.mediaType
            )
        )
    }

    /// As a page's script sends it.
    private static func object(_ password: String) -> RecordedRequest {
        RecordedRequest(
            method: "POST",
            url: RecordedURL(login),
            body: Body(text: #"{"password":"\#(password)"}"#, mediaType: "application/json")
        )
    }

    @Test(
        arguments: [
            (form("wonderland"), form("wonderland"), true), (form("wonderland"), form("another"), false),
            (form("wonderland"), form("wonderland", to: "https://other.example/login"), false),
            (form("wonderland"), object("wonderland"), true),
            (object("wonderland"), object("another"), false),
            // Nothing was typed there.
            (form(""), form(""), false), (object(""), form(""), false),
        ]
    )
    func secretIsRepeatedWhereItGoesToOneServerTwice(
        first: RecordedRequest,
        second: RecordedRequest,
        isRepeated: Bool
    ) throws {
        let flow = try #require(FlowFinder.flows(in: ReplayWorld().record()).first)
        let sent = Exchange(startedAt: Timestamp(seconds: 1_780_000_000), request: first)
        #expect(SentSecrets([sent], of: flow).areRepeated(by: second) == isRepeated)
    }
}
