import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Requests that lack what they have to have, or have it twice.
extension BuiltInEndpointsTests {
    /// RFC 6749, section 5.2: what a grant lacks is no grant that is wrong.
    @Test(arguments: [
        "authorization_code", "refresh_token", GrantType.deviceCode, GrantType.ciba,
    ])
    func grantWithoutItsValueIsAnInvalidRequest(grant: String) {
        let answer = caller.post(Self.issuer + "/token", [("grant_type", grant)] + Self.secret)
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_request")
    }

    /// RFC 6749, section 5.2: more than one mechanism for authenticating the client.
    @Test func clientThatProvesItselfTwiceIsRefusedForItsRequest() {
        let basic = [("Authorization", "Basic " + Base64.encode(Array("shop:shop-secret".utf8)))]
        let code = code()
        let answer = redeem(code, headers: basic)
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_request")
        #expect(!answer.headers.contains("www-authenticate"))
        #expect(redeem(code, [], headers: basic).status == 200)
    }

    /// RFC 6749, sections 2.3 and 3.2.1: who authenticates is who is named.
    @Test(arguments: ["/token", "/introspect", "/revoke", "/par"])
    func clientThatNamesAnotherBesideItsCredentialsIsRefused(path: String) {
        let basic = [("Authorization", "Basic " + Base64.encode(Array("shop:shop-secret".utf8)))]
        let form = [("grant_type", "client_credentials"), ("token", "a-token")] + Self.request.dropFirst(2)
        func ask(_ name: [(String, String)]) -> RecordedResponse {
            caller.post(Self.issuer + path, form + [("response_type", "code")] + name, headers: basic)
        }
        let refused = ask([("client_id", "another")])
        #expect(refused.status == 400 && caller.json(refused)["error"] == "invalid_request")
        for own in [[], [("client_id", "shop")], [("client_id", "")]] {
            #expect(ask(own).status / 100 == 2)
        }
    }

    /// RFC 7591, section 2: a client proves who it is as it registered to.
    @Test(arguments: [nil, "client_secret_basic", "client_secret_post", "none", "private_key_jwt"])
    func clientIsHeldToTheAuthenticationItRegisteredFor(method: String?) throws {
        var sent: JSONObject = ["redirect_uris": ["https://new.example/cb"]]
        sent["token_endpoint_auth_method"] = method.map { .string($0) }
        let body = Body(text: JSONWriter.text(of: .object(sent)), mediaType: "application/json")
        let client = caller.json(caller.send("POST", Self.issuer + "/register", body))
        let id = try #require(client["client_id"]?.string)
        let secret = client["client_secret"]?.string ?? "a-secret"
        let basic = [("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))]
        // A code that is not known is refused after the client.
        func error(_ form: [(String, String)], _ headers: [(String, String)] = []) -> String? {
            caller.json(redeem("a-code", form, headers: headers))["error"]?.string
        }
        let (inHeader, inBody) = (
            error([], basic), error([("client_id", id), ("client_secret", secret)])
        )
        let isBasic = method == nil || method == "client_secret_basic"
        #expect(inHeader == (isBasic ? "invalid_grant" : "invalid_client"))
        #expect(inBody == (method == "client_secret_post" ? "invalid_grant" : "invalid_client"))
        #expect(error([("client_id", id)]) == (method == "none" ? "invalid_grant" : "invalid_client"))
    }

    /// RFC 6749, section 3.2; RFC 9126, section 2.3.
    @Test(arguments: ["/token", "/par", "/introspect", "/revoke"])
    func endpointOfClientsIsAskedByPost(path: String) {
        let answer = caller.get(Self.issuer + path)
        #expect(answer.status == 405 && answer.headers.first("allow") == "POST")
        #expect(caller.get(Self.issuer + path + "-of-nobody").status == 404)
    }

    /// RFC 9126, section 4, and RFC 9101, section 5.
    @Test func pushedRequestIsNamedBesideItsClient() throws {
        let form = Self.request + [("client_secret", "shop-secret")]
        let uri = try #require(caller.json(caller.post(Self.issuer + "/par", form))["request_uri"]?.string)
        let alone = caller.get(Self.issuer + "/authorize", [("request_uri", uri)])
        #expect(alone.status == 400 && alone.location == nil)
        let named = [("client_id", "shop"), ("request_uri", uri)]
        #expect(caller.get(Self.issuer + "/authorize", named).status == 200)
    }

    /// RFC 9126, section 2.1.
    @Test func nameOfAPushedRequestIsNotPushed() {
        let form = Self.request + [("client_secret", "shop-secret"), ("request_uri", "urn:example:request")]
        let answer = caller.json(caller.post(Self.issuer + "/par", form))
        #expect(answer["error"] == "invalid_request")
        #expect(answer["error_description"] == "a request_uri cannot be pushed")
    }

    /// RFC 6750, section 2: in the header, the form or the query, and only in one of them.
    @Test func tokenThatIsSentTwiceIsAnInvalidRequest() throws {
        let token = try #require(caller.json(redeem(code()))["access_token"]?.string)
        let (header, parameter) = (("Authorization", "Bearer \(token)"), ("access_token", token))
        let place = Self.issuer + "/userinfo"
        let inQuery = place + "?" + FormBody.encode([parameter])
        for answer in [
            caller.get(inQuery, headers: [header]),
            caller.post(place, [parameter], headers: [header]),
            caller.post(inQuery, [parameter]),
        ] {
            #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_request")
            let challenge = answer.headers.first("www-authenticate")
            #expect(challenge?.hasPrefix("Bearer error=\"invalid_request\"") == true)
        }
        for answer in [
            caller.get(place, headers: [header]),
            caller.get(inQuery),
            caller.post(place, [parameter]),
            // Section 3.1 of RFC 6749: left out.
            caller.get(place, [("access_token", "")], headers: [header]),
        ] {
            #expect(answer.status == 200)
        }
    }

    /// RFC 6750, section 3.
    @Test func clientsOwnTokenIsRefusedForUserInfoWithAChallenge() throws {
        let form = [("grant_type", "client_credentials")] + Self.secret
        let token = try #require(
            caller.json(caller.post(Self.issuer + "/token", form))["access_token"]?.string
        )
        let answer = caller.get(Self.issuer + "/userinfo", headers: [("Authorization", "Bearer \(token)")])
        #expect(answer.status == 401)
        #expect(answer.headers.first("www-authenticate")?.hasPrefix("Bearer error=\"invalid_token\"") == true)
    }
}
