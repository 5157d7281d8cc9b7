import Testing

@testable import Sharing

/// What of the found values is no secret in the end.
struct FoundSecretsTests {
    /// A tenant's number in the path of the issuer looks drawn, also where nothing else in a capture does.
    @Test func partOfAnIssuersAddressIsNoSecretUnderItsName() {
        let tenant = "8a1c7d1e-3b0f-4d0b-9f0d-2d6b8a5b6f11"
        var found = FoundSecrets()
        found.identifiers = ["https://id.example/\(tenant)/v2.0/"]
        found.values[tenant] = .unexplained
        found.named[NamedValue(SlotReader.pathSegment, tenant)] = .unexplained
        found.settle()
        #expect(found.values.isEmpty)
        #expect(found.named.isEmpty)
    }
}
