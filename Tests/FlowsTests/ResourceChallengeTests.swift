import Captures
import Testing

@testable import Flows

/// Which metadata a resource names when it refuses a request (RFC 9728, section 5.1).
struct ResourceChallengeTests {
    private func challenge(_ fields: String...) -> ResourceChallenge? {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 1_780_000_000),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://api.example/orders")),
            response: RecordedResponse(
                status: 401,
                headers: HeaderFields(fields.map { ("WWW-Authenticate", $0) })
            )
        )
        return ResourceChallenge(exchange, at: 0)
    }

    private static let named = "https://api.example/.well-known/oauth-protected-resource"

    @Test(arguments: [
        "Bearer resource_metadata=\"\(named)\"", "Bearer Resource_Metadata=\(named), scope=\"a b\"",
        "Basic realm=\"x\", Bearer scope=\"a\",\tresource_metadata = \"\(named)\"",
        "Bearer error_description=\"resource_metadata=\\\"none\\\"\", resource_metadata=\"\(named)\"",
    ])
    func metadataIsThatOfTheParameter(field: String) {
        #expect(challenge(field)?.metadata == Self.named)
    }

    @Test func laterFieldMayNameIt() {
        let found = challenge("Basic realm=\"x\"", "Bearer resource_metadata=\"\(Self.named)\"")
        #expect(found?.metadata == Self.named)
        #expect(found?.text == "Basic realm=\"x\", Bearer resource_metadata=\"\(Self.named)\"")
    }

    @Test(arguments: [
        "Bearer", "Bearer resource_metadata=\"\"", "Bearer error_description=\"no resource_metadata=x\"",
    ])
    func noneIsNone(field: String) {
        #expect(challenge(field)?.metadata == nil)
    }
}
