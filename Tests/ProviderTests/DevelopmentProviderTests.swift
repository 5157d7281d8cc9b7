import JOSE
import JSON
import Provider
import Testing

/// Whom the built-in provider knows when it is for development.
struct DevelopmentProviderTests {
    @Test func withoutAnyNameAliceIsThereAndEveryClientIsTaken() throws {
        var options = RecordedProviderOptions()
        options.redirectURIs = ["http://localhost:3000/cb"]
        let configuration = try ProviderConfiguration(forDevelopmentAt: "http://127.0.0.1:8090", options)
        #expect(configuration.issuer == "http://127.0.0.1:8090" && configuration.clients.isEmpty)
        #expect(configuration.users.map(\.name) == ["alice"])
        #expect(configuration.keys.map(\.algorithm.rawValue) == ["RS256", "ES256"])
        let policy = ProviderPolicy(forDevelopment: options)
        #expect(policy.acceptsUnknownClients && policy.redirectURIs == options.redirectURIs)
    }

    @Test func whoeverIsNamedIsKnownAlone() throws {
        var options = RecordedProviderOptions()
        options.issuer = "https://idp.example/"
        options.clients = [.init(id: "shop", secret: "s")]
        options.users = [("bob@mail.example", "builder")]
        let configuration = try ProviderConfiguration(forDevelopmentAt: "http://127.0.0.1:8090", options)
        #expect(configuration.issuer == "https://idp.example")
        #expect(configuration.clients.map(\.id) == ["shop"])
        #expect(configuration.clients.first?.acceptsLocalRedirects == true)
        let user = try #require(configuration.users.first)
        #expect(user.email == "bob@mail.example" && user.claims["preferred_username"] == "bob@mail.example")
        let policy = ProviderPolicy(forDevelopment: options)
        #expect(!policy.acceptsUnknownClients && policy.redirectURIs.isEmpty)
    }
}
