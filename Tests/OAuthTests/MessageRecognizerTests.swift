import Captures
import JSON
import OAuth
import TestSupport
import Testing

/// Which message an exchange is: by metadata, by the paths that providers use, by its parameters.
struct MessageRecognizerTests {
    private func kind(_ exchange: Exchange, metadata: JSONObject? = nil) -> String? {
        var endpoints = Endpoints()
        if let metadata { endpoints.add(metadata) }
        guard let message = MessageRecognizer(endpoints: endpoints).message(of: exchange, at: 0) else {
            return nil
        }
        return String("\(message)".prefix { $0 != "(" })
    }

    private func get(_ url: String, body: Body? = nil) -> Exchange {
        var capture = CaptureBuilder()
        capture.get(url, body: body)
        return capture.exchanges[0]
    }

    private func post(_ url: String, _ form: [(String, String)], body: Body? = nil) -> Exchange {
        var capture = CaptureBuilder()
        capture.post(url, form, body: body)
        return capture.exchanges[0]
    }

    private static let metadata: JSONObject = [
        "issuer": "https://idp.example", "authorization_endpoint": "https://idp.example/go",
        "token_endpoint": "https://idp.example/swap",
        "jwks_uri": "https://idp.example/k", "userinfo_endpoint": "https://idp.example/who",
        "end_session_endpoint": "https://idp.example/bye",
    ]

    /// MyInfo's third version is spelled so, and has no `response_type`.
    @Test func authoriseIsWhereALoginBegins() {
        let query =
            "client_id=a&attributes=name,sex&purpose=p&state=s&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
        #expect(kind(get("https://api.myinfo.gov.sg/com/v3/authorise?\(query)")) == "authorizationRequest")
        #expect(kind(get("https://idp.example/authorise?client_id=a")) == nil)
    }

    /// As Google's documentation has it; a page of the same name is none.
    @Test func tokenToRevokeMayStandInTheQuery() {
        let url = "https://oauth2.googleapis.com/revoke?token=ya29.a0AfH6SMBx"
        #expect(kind(post(url, [])) == "revocation")
        #expect(kind(get(url)) == nil)
        #expect(kind(post("https://app.example/invites/revoke?invite=7", [])) == nil)
    }

    /// MyInfo's address for a person's data ends with the person.
    @Test(
        arguments: [("/com/v4/person/6f1c9b2e", "userInfo"), ("/com/v4/persons/6f1c9b2e", nil)]
            as [(String, String?)]
    )
    func dataOfAPersonAreUserInfo(path: String, kind: String?) {
        var exchange = get("https://api.myinfo.gov.sg\(path)?scope=uinfin%20name")
        #expect(self.kind(exchange) == nil)
        exchange.request.headers.append("Authorization", "DPoP not-a-token-0123456789")
        #expect(self.kind(exchange) == kind)
    }

    /// What was sent is not known; what came back is.
    @Test(
        arguments: [
            ("/token", #"{"access_token":"a","token_type":"Bearer"}"#, 99, "token"),
            ("/token", #"{"error":"invalid_client"}"#, 99, "token"),
            ("/token", #"{"error":"no_such_page"}"#, 99, nil),
            ("/token", #"{"access_token":"a","token_type":"Bearer"}"#, 0, nil),
            ("/session", #"{"access_token":"a","token_type":"Bearer"}"#, 99, nil),
        ] as [(String, String, Int, String?)]
    )
    func tokenRequestWithoutItsBodyIsKnownByItsAnswer(path: String, answer: String, size: Int, kind: String?)
    {
        var exchange = post("https://idp.example\(path)", [], body: .json(answer))
        exchange.request.body = nil
        exchange.request.foreign["bodySize"] = .number(JSONNumber(Int64(size)))
        #expect(self.kind(exchange) == kind)
    }

    /// Sites have users register at such a path.
    @Test(
        arguments: [
            (#"{"client_id":"a","redirect_uris":["https://shop.example/cb"]}"#, 99, "registration"),
            (#"{"client_id":"a"}"#, 99, nil), (#"{"user":"alice"}"#, 99, nil),
            (#"{"client_id":"a","redirect_uris":["https://shop.example/cb"]}"#, 0, nil),
        ] as [(String, Int, String?)]
    )
    func registrationWithoutItsBodyIsKnownByItsAnswer(answer: String, size: Int, kind: String?) {
        var exchange = post("https://idp.example/register", [], body: .json(answer))
        exchange.request.body = nil
        exchange.request.foreign["bodySize"] = .number(JSONNumber(Int64(size)))
        #expect(self.kind(exchange) == kind)
    }

    /// RFC 7009, section 2: the answer is empty, so it is the metadata that tell.
    @Test(arguments: [(true, 200, "revocation"), (true, 400, nil), (false, 200, nil)])
    func revocationWithoutItsBodyIsKnownByTheMetadata(isStated: Bool, status: Int, kind: String?) {
        var exchange = post("https://idp.example/revoke", [])
        exchange.request.body = Body(content: .missing)
        exchange.response?.status = status
        var metadata = Self.metadata
        if isStated { metadata["revocation_endpoint"] = "https://idp.example/revoke" }
        #expect(self.kind(exchange, metadata: metadata) == kind)
    }

    /// Without metadata: an address that only providers have, or the word for a client that may not (RFC 6749, section 5.2).
    @Test(
        arguments: [
            ("/oauth2/default/v1/revoke", 200, nil, "revocation"),
            ("/connect/revocation", 200, nil, "revocation"),
            ("/licences/revoke", 200, nil, nil),
            ("/licences/revoke", 401, #"{"error":"invalid_client"}"#, "revocation"),
            ("/licences/revoke", 403, #"{"error":"forbidden"}"#, nil),
        ] as [(String, Int, String?, String?)]
    )
    func revocationWithoutItsBodyIsAForm(path: String, status: Int, answer: String?, kind: String?) {
        var exchange = post("https://idp.example\(path)", [], body: answer.map { .json($0) })
        exchange.response?.status = status
        // As it comes from an export that has no bodies.
        exchange.request.body = nil
        exchange.request.foreign["bodySize"] = .number(JSONNumber(Int64(60)))
        #expect(self.kind(exchange) == nil)
        exchange.request.headers.append("Content-Type", FormBody.mediaType)
        #expect(self.kind(exchange) == kind)
        // A page of the provider's where users take tokens back, told by what it shows, or by its cookies.
        var page = exchange
        page.response?.body = .html("<html><h1>Access was taken back</h1></html>")
        if status == 200 { #expect(self.kind(page) == nil) }
        exchange.request.headers.append("Cookie", "session=1")
        #expect(self.kind(exchange) == (status == 200 ? nil : kind))
    }

    /// A path alone does not tell that something else sent to it was to be a token request: the answer does.
    @Test(
        arguments: [
            ("/v1/token", #"{"ok":true}"#, nil), ("/v1/token", #"{"message":"bad"}"#, nil),
            ("/v1/token", #"{"error":"invalid_request"}"#, "token"), ("/swap", #"{"ok":true}"#, "token"),
        ] as [(String, String, String?)]
    )
    func objectsNameIsATokenRequestWhereItsAnswerSaysSo(path: String, answer: String, kind: String?) {
        var exchange = post("https://idp.example\(path)", [], body: .json(answer))
        exchange.request.body = Body(text: "[object Object]", mediaType: "text/plain")
        #expect(self.kind(exchange, metadata: Self.metadata) == kind)
    }

    /// What axios was to be told of the call, with the parameters in it.
    @Test(
        arguments: [
            (#"{"headers":{"a":"b"},"data":{"client_id":"c"}}"#, #"{"error":"invalid_request"}"#, "token"),
            (#"{"headers":{"a":"b"},"data":"client_id=c"}"#, #"{"ok":true}"#, nil),
            (#"{"data":{"client_id":"c"}}"#, #"{"error":"invalid_request"}"#, nil),
            (#"{"headers":["a"],"data":{}}"#, #"{"error":"invalid_request"}"#, nil),
        ] as [(String, String, String?)]
    )
    func settingsOfACallAreATokenRequestWhereTheAnswerSaysSo(body: String, answer: String, kind: String?) {
        var exchange = post("https://idp.example/v1/token", [], body: .json(answer))
        exchange.request.body = .json(body)
        #expect(self.kind(exchange, metadata: nil) == kind)
        exchange.request.url = RecordedURL("https://idp.example/v1/other")
        #expect(self.kind(exchange, metadata: nil) == nil)
    }

    private static let script: JSONObject = [
        "authorization_endpoint": "https://shop.example/index.php?route=oauth/authorize",
        "token_endpoint": "https://shop.example/index.php?route=oauth/swap",
        "jwks_uri": "https://shop.example/index.php?route=oauth/k&v=2",
        "userinfo_endpoint": "https://shop.example/index.php?route=oauth/who",
        "end_session_endpoint": "https://shop.example/index.php?route=oauth/bye",
    ]

    /// RFC 6749, sections 3.1 and 3.2.
    @Test(
        arguments: [
            ("route=oauth/authorize&response_type=code&client_id=a", "authorizationRequest"),
            ("response_type=code&client_id=a&route=oauth%2Fauthorize", "authorizationRequest"),
            ("v=2&route=oauth/k", "keySet"), ("route=oauth/k", nil), ("route=oauth/who", "userInfo"),
            ("route=OAuth/Who", "userInfo"), ("route=oauth/bye", "endSession"), ("route=common/home", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func endpointsOfOnePathAreKnownByTheirQuery(query: String, kind: String?) {
        let call = get("https://shop.example/index.php?\(query)")
        #expect(self.kind(call, metadata: Self.script) == kind)
    }

    @Test func tokenEndpointIsKnownByItsQueryWithoutAGrantType() {
        let (own, other) = ("route=oauth/swap", "route=account/login")
        let form = [("code", "c")]
        #expect(kind(post("https://shop.example/index.php?\(own)", form), metadata: Self.script) == "token")
        #expect(kind(post("https://shop.example/index.php?\(other)", form), metadata: Self.script) == nil)
    }

    /// A path that is the token endpoint's with any query: what the parameters say decides, unless only the query is left out.
    @Test func policyThatNoMetadataNameHasItsEndpointsConfirmed() {
        let named: JSONObject = ["token_endpoint": "https://t.example/swap?p=one"]
        let grant = [("grant_type", "custom")]
        #expect(kind(post("https://t.example/swap?p=two", grant), metadata: named) == "token")
        #expect(kind(post("https://t.example/swap?p=two", [("a", "b")]), metadata: named) == nil)
        #expect(kind(post("https://t.example/swap", [("a", "b")]), metadata: named) == "token")
    }

    /// As sites have them whose server does not rewrite addresses.
    @Test(
        arguments: [
            ("/index.php?route=oauth/jwks", "keySet"), ("/?rest_route=/openid-connect/jwks", "keySet"),
            ("/blog/?oauth=me", "userInfo"), ("/index.php?r=oauth/userinfo", "userInfo"),
            ("/module.php/oidc/jwks.php", "keySet"), ("/module.php/oidc/userinfo.php", "userInfo"),
            ("/app?route=oauth/jwks", nil), ("/index.php?route=account/keysight", nil),
        ] as [(String, String?)]
    )
    func routesInAQueryAreReadAsPaths(url: String, kind: String?) {
        var capture = CaptureBuilder()
        capture.get(
            "https://shop.example\(url)",
            headers: [("Authorization", "Bearer access-token-of-alice")],
            body: .json(#"{"keys":[]}"#)
        )
        #expect(self.kind(capture.exchanges[0]) == kind)
    }

    @Test(
        arguments: [
            ("https://shop.example/index.php?route=oauth/swap&x=1", "?route=oauth/swap"),
            ("https://shop.example/index.php?x=1", ""), ("https://shop.example/k?x=1", ""),
            ("https://blog.example/?code=1&oauth=token", "?oauth=token"),
            ("https://t.example/authorize?client_id=a&p=B2C_1_in", "?p=B2C_1_in"),
            ("https://t.example/authorize?client_id=a&p=1", ""),
        ]
    )
    func endpointKeepsTheQueryThatIsItsOwn(url: String, query: String) {
        var endpoints = Endpoints()
        endpoints.add(Self.script)
        let url = RecordedURL(url)
        #expect(endpoints.endpoint(of: url).text == url.withoutQuery + query)
    }

    @Test func endpointsOfTheMetadataCountWhateverTheirPath() {
        #expect(
            kind(get("https://idp.example/go?client_id=a&response_type=code"), metadata: Self.metadata)
                == "authorizationRequest"
        )
        #expect(kind(post("https://idp.example/swap", []), metadata: Self.metadata) == "token")
        #expect(kind(get("https://idp.example/k"), metadata: Self.metadata) == "keySet")
        #expect(kind(get("https://idp.example/who"), metadata: Self.metadata) == "userInfo")
        #expect(kind(get("https://idp.example/bye"), metadata: Self.metadata) == "endSession")
    }

    @Test(
        arguments: [
            ("https://x.example/any?response_type=code&client_id=a", "authorizationRequest"),
            ("https://x.example/any?client_id=a&request_uri=urn:x", "authorizationRequest"),
            ("https://x.example/any?client_id=a&request=eyJhbGciOiJub25lIn0.e30.", "authorizationRequest"),
            ("https://x.example/.well-known/openid-configuration", "discovery"),
            ("https://x.example/t/.well-known/oauth-authorization-server/a", "discovery"),
            ("https://x.example/authorize?response_type=code&redirect_uri=x", "authorizationRequest"),
            (
                "https://x.example/authorize?request_uri=urn:ietf:params:oauth:request_uri:x",
                "authorizationRequest"
            ),
            ("https://x.example/authorize?response_type=code", nil),
            ("https://x.example/home?response_type=code&redirect_uri=x", nil),
            ("https://x.example/home?client_id=a", nil), ("https://x.example/?state=1&code=2", nil),
            ("app:/cb?response_type=code&client_id=a", nil),
        ] as [(String, String?)]
    )
    func getsByTheirParameters(url: String, expected: String?) { #expect(kind(get(url)) == expected) }

    @Test(
        arguments: [
            (#"{"software_id":"wallet"}"#, "registration"),
            (#"{"software_statement":"eyJh.e30.x"}"#, "registration"),
            (#"{"email":"alice@shop.example"}"#, nil),
        ] as [(String, String?)]
    )
    func aRegistrationFromATemplateNamesItsSoftware(json: String, expected: String?) {
        var exchange = post("https://id.example/token-service/oauth-registration", [])
        exchange.request.body = .json(json)
        #expect(kind(exchange) == expected)
    }

    @Test func aPushNeedsNoClientInItsForm() {
        #expect(kind(post("https://x.example/as/par", [("response_type", "code")])) == "pushedRequest")
        #expect(kind(post("https://x.example/as/par", [("q", "code")])) == nil)
    }

    @Test func postsByTheirParameters() {
        #expect(
            kind(post("https://x.example/any", [("grant_type", "authorization_code"), ("code", "c")]))
                == "token"
        )
        #expect(kind(post("https://x.example/any", [("grant_type", "made-up")])) == nil)
        #expect(kind(post("https://x.example/login", [("user", "alice"), ("password", "x")])) == nil)
        let pushed = [("response_type", "code"), ("client_id", "a")]
        #expect(
            kind(post("https://x.example/any", pushed, body: .json(#"{"request_uri":"urn:x"}"#)))
                == "pushedRequest"
        )
        #expect(kind(post("https://x.example/any", pushed, body: .html("<form>"))) == "authorizationRequest")
    }

    @Test func tokenRequestInJSONIsOneToo() {
        let body = Body(
            text: #"{"grant_type":"authorization_code","code":"c"}"#,
            mediaType: "application/json"
        )
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://x.example/oauth/token"),
            body: body
        )
        #expect(kind(Exchange(startedAt: Timestamp(seconds: 0), request: request)) == "token")
    }

    @Test func preflightsAndTunnelsAreNone() {
        for method in ["OPTIONS", "CONNECT"] {
            let request = RecordedRequest(
                method: method,
                url: RecordedURL("https://idp.example/token?response_type=code&client_id=a")
            )
            #expect(kind(Exchange(startedAt: Timestamp(seconds: 0), request: request)) == nil)
        }
    }

    @Test(arguments: [
        ("https://shop.example/bye?iss=https%3A%2F%2Fidp.example&sid=1", true),
        ("https://shop.example/bye?iss=https%3A%2F%2Fidp.example", false),
        ("https://shop.example/bye?sid=1", false), ("https://shop.example/bye?iss=me&sid=1", false),
        ("https://shop.example/cb?iss=https%3A%2F%2Fidp.example&sid=1&code=2&state=3", false),
        ("https://idp.example/page?iss=https%3A%2F%2Fidp.example&sid=1", false),
        ("http://localhost:3000/bye?iss=http%3A%2F%2Flocalhost%3A8080%2Frealms%2Fa&sid=1", true),
        ("http://localhost:8080/page?iss=http%3A%2F%2Flocalhost%3A8080%2Frealms%2Fa&sid=1", false),
    ])
    func frontChannelLogoutNamesIssuerAndSession(url: String, isOne: Bool) {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(method: "GET", url: RecordedURL(url)),
            response: RecordedResponse(status: 200)
        )
        let message = MessageRecognizer(endpoints: Endpoints()).message(of: exchange, at: 0)
        if case .frontChannelLogout(let call) = message {
            #expect(isOne && call.parameters["sid"] == "1")
        } else {
            #expect(!isOne && message == nil)
        }
    }

    /// As Duende IdentityServer serves its keys.
    @Test func keysBelowTheDocumentAreKeys() {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(
                method: "GET",
                url: RecordedURL("https://idp.example/.well-known/openid-configuration/jwks")
            ),
            response: RecordedResponse(
                status: 200,
                body: Body(text: #"{"keys":[]}"#, mediaType: "application/json")
            )
        )
        let message = MessageRecognizer(endpoints: Endpoints()).message(of: exchange, at: 0)
        if case .keySet = message { return }
        Issue.record("\(String(describing: message))")
    }

    @Test func repeatedParametersAreKept() throws {
        let items = Parameters(QueryItems("state=a&state=b"), of: 0, in: .requestQuery)
        #expect(items.items.map(\.value) == ["a", "b"])
        #expect(items["state"] == "a")
    }

    /// A client that has one address for both.
    @Test(
        arguments: [
            ([("grant_type", "authorization_code"), ("code", "c"), ("client_id", "a")], "token"),
            ([("grant_type", "refresh_token"), ("refresh_token", "r")], "token"),
            ([("grant_type", "client_credentials"), ("scope", "s")], "token"),
            ([("grant_type", "authorization_code"), ("client_id", "a"), ("decision", "allow")], nil),
            ([("response_type", "code"), ("client_id", "a")], "authorizationRequest"),
        ] as [([(String, String)], String?)]
    )
    func codeThatIsTakenToTheAuthorizationEndpointIsATokenRequest(form: [(String, String)], expected: String?)
    {
        #expect(kind(post("https://idp.example/go", form), metadata: Self.metadata) == expected)
        #expect(kind(post("https://x.example/authorize", form)) == expected)
    }
}
