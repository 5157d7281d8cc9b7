import Captures
import JOSE
import OAuth
import Provider
import TestSupport
import Testing

/// Names that read differently with and without form coding: some clients encode Basic credentials, and some do not (RFC 6749, section
/// 2.3.1).
struct NamedClientTests {
    private static let base = RecordedProviderTests.base
    private static let redirectURI = "https://web.example/cb"

    private static func basic(_ name: String, _ secret: String) -> [(String, String)] {
        [("Authorization", "Basic " + Base64.encode(Array("\(name):\(secret)".utf8)))]
    }

    private static func login(at issuer: String) -> String {
        issuer + "/auth?"
            + FormBody.encode([
                ("response_type", "code"), ("client_id", "svc+web"), ("redirect_uri", redirectURI),
                ("scope", "openid"), ("state", "state-0123456789"),
            ])
    }

    private static func form(_ code: String) -> [(String, String)] {
        [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
    }

    /// A provider that was seen to take credentials as they stand.
    private static func provider() throws -> RecordedProvider {
        let issuer = "https://id.example"
        var builder = CaptureBuilder()
        builder.redirect(
            login(at: issuer),
            to: redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(
            issuer + "/token",
            form("code-0123456789"),
            headers: basic("svc+web", "secret+of-web"),
            body: LearnedDialectTests.answer(1, "refresh-token-1-0123456789")
        )
        return try RecordedProviderTests.provider(builder.capture)
    }

    @Test func credentialsAsTheyStandAreNoOtherClients() throws {
        #expect(try Self.provider().issuers[0].clients.map(\.id) == ["svc+web"])
    }

    @Test(arguments: [
        ("svc+web", "secret+of-web", 200), ("svc%2Bweb", "secret+of-web", 200), ("svc+web", "another", 401),
        ("svc+app", "secret+of-web", 401),
    ])
    func recordedClientIsKnownByEitherReading(name: String, secret: String, status: Int) throws {
        let caller = Caller(try Self.provider())
        let code = try #require(caller.get(Self.login(at: Self.base)).parameters.first("code"))
        let tokens = caller.post(
            Self.base + "/token",
            Self.form(code),
            headers: Self.basic(name, secret)
        )
        #expect(tokens.status == status)
    }

    @Test(arguments: [
        ("svc+web", "p+w%41", 200), ("svc%2Bweb", "p%2Bw%2541", 200), ("svc+api", "p+w%41", 401),
    ])
    func builtInClientIsKnownByEitherReading(name: String, secret: String, status: Int) throws {
        let client = ProviderConfiguration.Client(
            id: "svc+web",
            secret: "p+w%41",
            redirectURIs: [Self.redirectURI],
            requiresPKCE: false
        )
        let key = try #require(RecordedProviderTests.rsa)
        let configuration = ProviderConfiguration(
            issuer: FaultyProvider.issuer,
            clients: [client],
            users: [],
            keys: [.init(id: "r1", algorithm: .rs256, key: key)]
        )
        let caller = Caller(BuiltInProvider(configuration, policy: ProviderPolicy()))
        let tokens = caller.post(
            FaultyProvider.issuer + "/token",
            [("grant_type", "client_credentials")],
            headers: Self.basic(name, secret)
        )
        #expect(tokens.status == status)
    }
}
