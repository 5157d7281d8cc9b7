import Captures
import JOSE
import JSON
import Testing

@testable import Provider

/// Whom a provider knows, and in whose place.
struct KnownClientsTests {
    private func engine(acceptsAnybody: Bool = false, _ dialect: ProviderDialect = ProviderDialect())
        -> ProviderEngine
    {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = acceptsAnybody
        policy.redirectURIs = ["https://app.example/cb"]
        var state = ProviderState()
        var registered = ProviderConfiguration.Client(id: "registered", redirectURIs: [])
        registered.standsFor = "recorded"
        state.registrations["registered"] = ClientRegistration(client: registered, members: [:])
        return ProviderEngine(
            configuration: ProviderConfiguration(
                issuer: "https://id.example",
                clients: [.init(id: "configured", secret: "s", redirectURIs: [])],
                users: [],
                keys: []
            ),
            dialect: dialect,
            policy: policy,
            random: { Array(repeating: 7, count: $0) },
            now: Timestamp(seconds: 1_790_000_000),
            state: state
        )
    }

    @Test(
        arguments: [
            ("configured", true), ("registered", true), ("Configured", false), ("", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func clientIsKnownByItsName(id: String?, isKnown: Bool) {
        #expect((engine().clients.client(id) != nil) == isKnown)
    }

    @Test func anybodyIsTakenWhereNobodyIsTurnedAway() {
        let clients = engine(acceptsAnybody: true).clients
        #expect(clients.client("")?.id == nil)
        #expect(clients.client("configured")?.acceptsAnySecret == false)
        let stranger = clients.client("stranger")
        #expect(stranger?.acceptsAnySecret == true && stranger?.redirectURIs == ["https://app.example/cb"])
    }

    @Test func registrationHoldsItsClientWhereNoneWasRecorded() throws {
        let client = try #require(engine().clients.client("registered"))
        #expect(engine().clients.registration(of: client) != nil)
        #expect(engine().clients.recordedID("registered") == "recorded")
        #expect(engine().clients.recordedID("configured") == "configured")
        var recorded = ProviderDialect()
        recorded.registration = (sent: [:], answer: AnswerTemplate(status: 201))
        #expect(engine(acceptsAnybody: false, recorded).clients.registration(of: client) == nil)
    }
}
