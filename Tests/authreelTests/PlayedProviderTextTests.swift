import Provider
import Testing

@testable import authreel

/// What the start of a mock says of its faults.
struct PlayedProviderTextTests {
    /// A fault that a login has no occasion for breaks nothing, and nobody would know why.
    @Test(
        arguments: [
            ("discovery-endpoint-insecure", "endpoints by https: --tls makes them so"),
            ("discovery-unreachable", nil),
        ] as [(String, String?)]
    )
    func faultIsToldWithWhatItNeeds(id: String, needs: String?) throws {
        let fault = try #require(FaultCatalog.fault(id))
        let lines = PlayedProviderText.lines(of: fault)
        #expect(
            lines == ["  fault       \(id): \(fault.summary)"] + (needs.map { ["  needs       \($0)"] } ?? [])
        )
    }

    /// What is said is what is taken.
    @Test(arguments: [(true, "any redirect URI on this machine"), (false, "no redirect URI")])
    func clientWithoutAnAddressIsToldAsItIsTaken(takesLocalOnes: Bool, words: String) {
        var client = ProviderConfiguration.Client(id: "svc", redirectURIs: [], requiresPKCE: false)
        client.acceptsLocalRedirects = takesLocalOnes
        #expect(PlayedProviderText.line(client) == "svc · no secret · \(words)")
    }
}
