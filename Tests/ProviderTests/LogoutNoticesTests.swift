import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Whom the built-in provider tells of a logout (OpenID Connect Back-Channel Logout; Front-Channel Logout).
struct LogoutNoticesTests {
    private static let issuer = "https://idp.example"
    private static let redirectURI = "http://localhost:3000/cb"
    private static let backchannel = "http://localhost:3000/logout"
    private static let frontchannel = "http://localhost:3000/frame?a=1"
    private static let bye = "http://localhost:3000/bye"

    private let key: PrivateKey
    private let now = Timestamp(seconds: 1_790_000_000)

    init() throws { key = try PrivateKey.generate(.elliptic(.p256)) }

    /// Takes anybody, and signs alice in without a page.
    private func provider(_ addresses: LogoutAddresses = LogoutAddresses()) -> BuiltInProvider {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = ""
        policy.logout = addresses
        let alice = ProviderConfiguration.User(
            name: "alice",
            password: "wonderland",
            subject: "248289761001",
            fullName: "Alice",
            email: ""
        )
        return BuiltInProvider(
            ProviderConfiguration(
                issuer: Self.issuer,
                clients: [],
                users: [alice],
                keys: [.init(id: "e1", algorithm: .es256, key: key)]
            ),
            policy: policy
        )
    }

    private func addresses(_ backchannel: String?, _ frontchannel: String? = nil) -> LogoutAddresses {
        var addresses = LogoutAddresses()
        addresses.backchannel = backchannel
        addresses.frontchannel = frontchannel
        return addresses
    }

    private func idToken(at caller: Caller, for client: String = "shop") throws -> String {
        let query = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"),
        ]
        let login = caller.get(Self.issuer + "/authorize", query)
        let form = [
            ("grant_type", "authorization_code"), ("client_id", client),
            ("redirect_uri", Self.redirectURI), ("code", login.parameters.first("code") ?? ""),
        ]
        let tokens = caller.json(caller.post(Self.issuer + "/token", form))
        return try #require(tokens["id_token"]?.string)
    }

    private func logOut(_ provider: BuiltInProvider, _ hint: String) -> ProviderAnswer {
        let query = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye)]
        let url = RecordedURL(Self.issuer + "/logout?" + FormBody.encode(query))
        return provider.answer(to: RecordedRequest(method: "GET", url: url), at: now)
    }

    @Test func clientsOfASessionArePostedALogoutToken() throws {
        let provider = provider(addresses(Self.backchannel))
        let hint = try idToken(at: Caller(provider))
        let sid = try #require(JSONWebToken.parse(hint)?.claim("sid")?.string)
        let answer = logOut(provider, hint)
        #expect(answer.response.location == Self.bye)
        #expect(answer.notices.count == 1)
        let request = try #require(answer.notices.first?.request)
        #expect(request.method == "POST" && request.url.text == Self.backchannel)
        let form = FormBody.items(of: request.body)
        let token = try #require(form?.first("logout_token").flatMap { JSONWebToken.parse($0) })
        #expect(token.verify(keys: [JSONWebKey(key.publicKey, id: "e1")]).outcome == .valid)
        #expect(token.header?["typ"] == "logout+jwt")
        #expect(token.issuer == Self.issuer && token.audience == ["shop"] && token.subject == "248289761001")
        #expect(token.claim("sid")?.string == sid)
        #expect(token.claim("events") == ["http://schemas.openid.net/event/backchannel-logout": [:]])
        #expect(token.claim("nonce") == nil && token.claim("jti")?.string?.isEmpty == false)
        #expect(token.claim("iat")?.int == now.seconds && token.claim("exp")?.int == now.seconds + 120)
        // It is over, and nobody is told twice.
        #expect(logOut(provider, hint).notices.isEmpty)
    }

    /// Each client by its own name: a `sid` ends no other session (section 2.6).
    @Test func everyClientIsToldOfEachSessionOfTheUser() throws {
        let provider = provider(addresses(Self.backchannel))
        let caller = Caller(provider)
        let tokens = try ["shop", "till", "shop"].map { try idToken(at: caller, for: $0) }
        let told = logOut(provider, tokens[2]).notices.compactMap { notice in
            FormBody.items(of: notice.request.body)?.first("logout_token")
        }
        func sessions(_ tokens: [String]) -> [String] {
            tokens.compactMap { JSONWebToken.parse($0) }
                .map { "\($0.audience) \($0.claim("sid")?.string ?? "")" }.sorted()
        }
        #expect(sessions(told) == sessions(tokens) && Set(sessions(told)).count == 3)
    }

    /// A browser has one session, until the user is to be asked again.
    @Test(arguments: [([], true), ([("prompt", "login")], false), ([("max_age", "0")], false)])
    func browserThatIsSignedInStaysInItsSession(asking: [(String, String)], isTheSame: Bool) throws {
        let provider = provider(addresses(Self.backchannel))
        var caller = Caller(provider)
        func logIn(_ more: [(String, String)], with cookie: (String, String)?) throws -> (
            token: JSONWebToken, cookie: (String, String)
        ) {
            let query = [
                ("response_type", "code id_token"), ("client_id", "shop"), ("nonce", "a-nonce"),
                ("redirect_uri", Self.redirectURI), ("scope", "openid"),
            ]
            let answer = caller.get(
                Self.issuer + "/authorize",
                query + more,
                headers: [cookie].compactMap(\.self)
            )
            let text = try #require(answer.parameters.first("id_token"))
            return (try #require(JSONWebToken.parse(text)), answer.cookieHeader)
        }
        let first = try logIn([], with: nil)
        caller.now = caller.now + .seconds(10)
        let second = try logIn(asking, with: first.cookie).token
        #expect((second.claim("sid") == first.token.claim("sid")) == isTheSame)
        #expect((second.claim("auth_time") == first.token.claim("auth_time")) == isTheSame)
        // Another browser is another session.
        #expect(try logIn([], with: nil).token.claim("sid") != first.token.claim("sid"))
    }

    @Test func whoIsNotToldHasNoSessionName() throws {
        let provider = provider()
        let hint = try idToken(at: Caller(provider))
        #expect(JSONWebToken.parse(hint)?.claim("sid") == nil)
        let answer = logOut(provider, hint)
        #expect(answer.notices.isEmpty && answer.response.location == Self.bye)
    }

    /// Front-Channel Logout, sections 2 and 3.
    @Test func browserLoadsTheClientsAddresses() throws {
        let provider = provider(addresses(nil, Self.frontchannel))
        let hint = try idToken(at: Caller(provider))
        let sid = try #require(JSONWebToken.parse(hint)?.claim("sid")?.string)
        let answer = logOut(provider, hint)
        let page = answer.response.body?.text ?? ""
        #expect(answer.response.status == 200 && answer.response.location == nil && answer.notices.isEmpty)
        let address = "http://localhost:3000/frame?a=1&amp;iss=https%3A%2F%2Fidp.example&amp;sid=\(sid)"
        #expect(page.contains("<iframe src=\"\(address)\" hidden></iframe>"))
        #expect(page.contains("href=\"\(Self.bye)\""))
    }

    /// What a client registers counts where it can be done: on this machine, and for browsers at an origin of its own.
    @Test(arguments: [
        ("http://127.0.0.1:4000/out", "http://localhost:3000/frame", true, true),
        ("https://shop.example/out", "http://localhost:4000/frame", false, false),
        ("http://localhost:4000/out#part", "com.example.app:/frame", false, false),
    ])
    func clientRegistersWhereItIsTold(
        backchannel: String,
        frontchannel: String,
        isPosted: Bool,
        isLoaded: Bool
    ) throws {
        let provider = provider()
        let caller = Caller(provider)
        let wishes: JSONObject = [
            "redirect_uris": [.string(Self.redirectURI)], "post_logout_redirect_uris": [.string(Self.bye)],
            "token_endpoint_auth_method": "none",
            "backchannel_logout_uri": .string(backchannel), "backchannel_logout_session_required": true,
            "frontchannel_logout_uri": .string(frontchannel), "frontchannel_logout_session_required": true,
        ]
        let body = Body(text: JSONWriter.text(of: .object(wishes)), mediaType: "application/json")
        let client = caller.json(caller.send("POST", Self.issuer + "/register", body))
        #expect((client["backchannel_logout_uri"] != nil) == isPosted)
        #expect((client["backchannel_logout_session_required"] != nil) == isPosted)
        #expect((client["frontchannel_logout_uri"] != nil) == isLoaded)
        #expect((client["frontchannel_logout_session_required"] != nil) == isLoaded)
        let id = try #require(client["client_id"]?.string)
        let answer = logOut(provider, try idToken(at: caller, for: id))
        #expect(answer.notices.map(\.request.url.text) == (isPosted ? [backchannel] : []))
        #expect((answer.response.location == nil) == isLoaded)
    }

    @Test func metadataSayThatClientsAreTold() {
        let caller = Caller(provider())
        let metadata = caller.json(caller.get(Self.issuer + "/.well-known/openid-configuration"))
        for channel in ["backchannel", "frontchannel"] {
            #expect(metadata["\(channel)_logout_supported"] == true)
            #expect(metadata["\(channel)_logout_session_supported"] == true)
        }
    }
}
