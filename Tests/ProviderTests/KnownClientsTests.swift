import Captures
import JOSE
import JSON
import Testing

@testable import Provider

/// Whom a provider knows, and in whose place.
struct KnownClientsTests {
    private func clients(acceptsAnybody: Bool = false, _ dialect: ProviderDialect = ProviderDialect())
        -> KnownClients
    {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = acceptsAnybody
        policy.redirectURIs = ["https://app.example/cb"]
        var registrations = LimitedTable<ClientRegistration>()
        var registered = ProviderConfiguration.Client(id: "registered", redirectURIs: [])
        registered.standsFor = "recorded"
        registrations["registered"] = ClientRegistration(client: registered, members: [:])
        let context = ProviderContext(
            configuration: ProviderConfiguration(
                issuer: "https://id.example",
                clients: [.init(id: "configured", secret: "s", redirectURIs: [])],
                users: [],
                keys: []
            ),
            dialect: dialect,
            policy: policy,
            random: { Array(repeating: 7, count: $0) },
            now: Timestamp(seconds: 1_790_000_000)
        )
        return KnownClients(context, registrations: registrations)
    }

    @Test(
        arguments: [
            ("configured", true), ("registered", true), ("Configured", false), ("", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func clientIsKnownByItsName(id: String?, isKnown: Bool) {
        #expect((clients().client(id) != nil) == isKnown)
    }

    @Test func anybodyIsTakenWhereNobodyIsTurnedAway() {
        let clients = clients(acceptsAnybody: true)
        #expect(clients.client("")?.id == nil)
        #expect(clients.client("configured")?.acceptsAnySecret == false)
        let stranger = clients.client("stranger")
        #expect(stranger?.acceptsAnySecret == true && stranger?.redirectURIs == ["https://app.example/cb"])
    }

    @Test func registrationHoldsItsClientWhereNoneWasRecorded() throws {
        let client = try #require(clients().client("registered"))
        #expect(clients().registration(of: client) != nil)
        #expect(clients().recordedID("registered") == "recorded")
        #expect(clients().recordedID("configured") == "configured")
        var recorded = ProviderDialect()
        recorded.registration = (sent: [:], answer: AnswerTemplate(status: 201))
        #expect(clients(acceptsAnybody: false, recorded).registration(of: client) == nil)
    }
}
