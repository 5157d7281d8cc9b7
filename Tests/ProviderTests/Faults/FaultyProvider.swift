import Captures
import JOSE
import LibCrypto
import Provider
import Testing

/// The built-in provider of one shop and of alice, who is signed in at once; it breaks, or says where it could.
enum FaultyProvider {
    static let issuer = "https://idp.example/tenant"
    static let redirectURI = "https://shop.example/callback"
    static let logoutURI = "https://shop.example/"

    static func make(_ faults: [Fault] = [], probes: [Fault] = []) throws -> BuiltInProvider {
        let shop = ProviderConfiguration.Client(
            id: "shop",
            secret: "shop-secret",
            redirectURIs: [redirectURI, NaiveLogin.loopbackURI],
            postLogoutRedirectURIs: [logoutURI],
            requiresPKCE: true,
            idTokenAlgorithm: .rs256
        )
        let alice = ProviderConfiguration.User(
            name: "alice",
            password: "wonderland",
            subject: "248289761001",
            fullName: "Alice",
            email: "alice@idp.example"
        )
        var policy = ProviderPolicy()
        policy.autoLogin = "alice"
        policy.faults = faults
        policy.probes = probes
        let key = try #require(RecordedProviderTests.rsa)
        return BuiltInProvider(
            ProviderConfiguration(
                issuer: issuer,
                clients: [shop],
                users: [alice],
                keys: [.init(id: "r1", algorithm: .rs256, key: key)]
            ),
            policy: policy
        )
    }
}
