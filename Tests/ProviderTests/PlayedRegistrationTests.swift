import Captures
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// Clients that register themselves at a recorded provider (RFC 7591, RFC 7592).
struct PlayedRegistrationTests {
    private static let base = RecordedProviderTests.base

    /// Of a provider that has the registrations of its clients at an address.
    private static func caller(_ address: String) throws -> Caller {
        var builder = CaptureBuilder()
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                duration: .milliseconds(20),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL("https://id.example/register"),
                    body: .json(#"{"redirect_uris":["https://shop.example/cb"]}"#)
                ),
                response: RecordedResponse(
                    status: 201,
                    body: .json(
                        """
                        {"client_id":"c-7Hq2vLx7TzB4nWm8RdYc9Kq2","redirect_uris":["https://shop.example/cb"],\
                        "registration_access_token":"reg-1Hq2vLx7TzB4nWm8","registration_client_uri":"\(address)"}
                        """
                    )
                )
            )
        )
        return Caller(try RecordedProviderTests.provider(builder.capture))
    }

    /// Some have the client in the path, others in the query (Janssen).
    @Test(arguments: [
        ("https://id.example/register/c-7Hq2vLx7TzB4nWm8RdYc9Kq2", "/register/"),
        ("https://id.example/register?client_id=c-7Hq2vLx7TzB4nWm8RdYc9Kq2", "/register?client_id="),
    ])
    func registrationIsWhereItIsSaidToBe(recorded: String, place: String) throws {
        let caller = try Self.caller(recorded)
        let sent = Body(text: #"{"redirect_uris":["https://new.example/cb"]}"#, mediaType: "application/json")
        let client = caller.json(caller.send("POST", Self.base + "/register", sent))
        let id = try #require(client["client_id"]?.string)
        let address = try #require(client["registration_client_uri"]?.string)
        #expect(address == Self.base + place + id)
        let bearer = ("Authorization", "Bearer \(client["registration_access_token"]?.string ?? "")")
        #expect(caller.json(caller.get(address, headers: [bearer]))["client_id"]?.string == id)
        #expect(caller.get(address).status == 401)
    }
}
