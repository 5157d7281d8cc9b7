import Captures
import JOSE
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// Tokens for a token and for a signed statement, as they were recorded (RFC 8693; RFC 7523, section 2.1).
struct PlayedExchangesTests {
    private static let base = RecordedProviderTests.base
    private static let earlier = "at-3Hq2vLx7TzB4nWm8RdYc9Kq2"
    private static let answer = Body.json(
        """
        {"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer","expires_in":60,\
        "issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}
        """
    )

    private static func caller(_ grantType: String, _ form: [(String, String)]) throws -> Caller {
        var builder = CaptureBuilder()
        builder.post("https://id.example/token", [("grant_type", grantType)] + form, body: answer)
        builder.post(
            "https://id.example/revoke",
            [("token", "at-9Hq2vLx7TzB4nWm8RdYc9Kq2"), ("client_id", "api"), ("client_secret", "s-1234567")]
        )
        return Caller(try RecordedProviderTests.provider(builder.capture))
    }

    /// Ends so many seconds behind the caller's clock.
    private static func token(of issuer: String, for subject: String, endingIn seconds: Int64 = 60) throws
        -> String
    {
        try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": .string(subject),
                "exp": .number(JSONNumber(1_790_000_000 + seconds)),
            ],
            header: JSONObject(),
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
    }

    @Test func tokenIsExchanged() throws {
        let client = [("client_id", "api"), ("client_secret", "s-1234567")]
        let caller = try Self.caller(
            GrantType.tokenExchange,
            client + [("subject_token", Self.earlier), ("audience", "orders")]
        )
        func exchange(_ token: String) -> JSONValue {
            let form = [("grant_type", GrantType.tokenExchange), ("subject_token", token)] + client
            return caller.json(caller.post(Self.base + "/token", form))
        }
        let first = exchange(Self.earlier)
        let issued = try #require(first["access_token"]?.string, "\(first)")
        #expect(issued != "at-7Hq2vLx7TzB4nWm8RdYc9Kq2" && first["expires_in"]?.int == 60)
        #expect(
            first["issued_token_type"]?.string == "urn:ietf:params:oauth:token-type:access_token"
                && first["refresh_token"] == nil
        )
        #expect(exchange(issued)["access_token"]?.string != nil)
        let foreign = try Self.token(of: "https://other.example", for: "bob")
        #expect(exchange(foreign)["access_token"]?.string != nil)
        let old = try Self.token(of: "https://other.example", for: "bob", endingIn: -1)
        for token in ["at-0Hq2vLx7TzB4nWm8RdYc9Kq2", old, ""] {
            #expect(exchange(token)["error"]?.string == "invalid_request")
        }
        _ = caller.post(Self.base + "/revoke", [("token", issued)] + client)
        #expect(exchange(issued)["error"]?.string == "invalid_request")
    }

    /// As service accounts do: the statement names its client, and nothing else does.
    @Test func statementBringsTokens() throws {
        let recorded = try Self.token(of: "svc@id.example", for: "svc@id.example")
        let caller = try Self.caller(GrantType.jwtBearer, [("assertion", recorded)])
        func ask(_ statement: String) -> JSONValue {
            let form = [("grant_type", GrantType.jwtBearer), ("assertion", statement)]
            return caller.json(caller.post(Self.base + "/token", form))
        }
        let fresh = try Self.token(of: "other@id.example", for: "other@id.example")
        #expect(ask(fresh)["access_token"]?.string != nil)
        let old = try Self.token(of: "svc@id.example", for: "svc@id.example", endingIn: -1)
        #expect(ask(old)["error"]?.string == "invalid_grant")
    }

    @Test func whatWasNotRecordedIsNotPlayed() throws {
        let caller = try Self.caller(
            "client_credentials",
            [("client_id", "api"), ("client_secret", "s-1234567")]
        )
        let form = [
            ("grant_type", GrantType.tokenExchange), ("subject_token", Self.earlier), ("client_id", "api"),
            ("client_secret", "s-1234567"),
        ]
        let refused = caller.json(caller.post(Self.base + "/token", form))
        #expect(refused["error"]?.string == "unsupported_grant_type")
    }
}
