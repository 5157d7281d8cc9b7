import Captures
import JOSE
import JSON
import LibCrypto
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

    /// A login of a device, and what is told of its token.
    private static func login(
        of client: String,
        as subject: String,
        _ code: String,
        _ builder: inout CaptureBuilder
    ) throws {
        let idToken = try JSONWebToken.sign(
            claims: ["iss": "https://id.example", "sub": .string(subject), "aud": .string(client)],
            header: ["typ": "JWT"],
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
        builder.post(
            "https://id.example/device_authorization",
            [("client_id", client), ("scope", "openid")],
            body: .json(
                #"{"device_code":"\#(code)","user_code":"WDJB-MJHT","verification_uri":"https://id.example/device","interval":0}"#
            )
        )
        builder.post(
            "https://id.example/token",
            [("grant_type", deviceGrant), ("client_id", client), ("device_code", code)],
            body: .json(#"{"access_token":"a-\#(code)","token_type":"Bearer","id_token":"\#(idToken)"}"#)
        )
        builder.post(
            "https://id.example/introspect",
            [("client_id", client), ("token", "a-\(code)")],
            body: .json(
                #"{"active":true,"client_id":"\#(client)","sub":"\#(subject)","aud":"of \#(subject)"}"#
            )
        )
    }

    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// The user of its device, and what is told of its tokens, are those of the client in whose place it registers.
    @Test func registeredClientIsAnsweredAsTheOneInWhosePlaceItIs() throws {
        let metadata =
            #"{"redirect_uris":[],"grant_types":["\#(Self.deviceGrant)"],"token_endpoint_auth_method":"none"}"#
        var builder = CaptureBuilder()
        try Self.login(of: "tv", as: "alice", "c0ffeeA7Hq2vLx7TzB4nWm8RdYc9Kq2", &builder)
        builder.post(
            "https://id.example/register",
            json: metadata,
            201,
            body: .json(#"{"client_id":"c-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_endpoint_auth_method":"none"}"#)
        )
        try Self.login(
            of: "c-7Hq2vLx7TzB4nWm8RdYc9Kq2",
            as: "bob",
            "c0ffeeB7Hq2vLx7TzB4nWm8RdYc9Kq2",
            &builder
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        func ask(_ path: String, _ form: [(String, String)]) -> JSONValue {
            caller.json(caller.post(Self.base + path, form))
        }
        let registered = caller.json(caller.send("POST", Self.base + "/register", .json(metadata)))
        let id = try #require(registered["client_id"]?.string)
        for (client, subject) in [("tv", "alice"), (id, "bob")] {
            let started = ask("/device_authorization", [("client_id", client), ("scope", "openid")])
            let code = started["device_code"]?.string ?? ""
            let poll = [("grant_type", Self.deviceGrant), ("device_code", code)]
            // RFC 8628, section 3.4: the code is the client's that asked for it.
            let other = client == id ? "tv" : id
            #expect(ask("/token", poll + [("client_id", other)])["error"] == "invalid_grant")
            let tokens = ask("/token", poll + [("client_id", client)])
            #expect(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.subject == subject)
            let told = ask(
                "/introspect",
                [("client_id", client), ("token", tokens["access_token"]?.string ?? "")]
            )
            #expect(told["client_id"]?.string == client && told["aud"]?.string == "of \(subject)")
        }
    }
}
