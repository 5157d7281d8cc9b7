import Testing

@testable import Sharing

/// Stand-ins of addresses that lead to somebody.
struct PersonalAddressTests {
    private static func standIn(_ address: String) -> String { StandIns.fixed().people.personal(address) }

    /// Who works for one company is seen to, and for which is not.
    @Test func mailAtOneServerStaysAtOneServer() {
        let standIns = StandIns.fixed()
        let servers = ["ada@corp-seven.example", "bo@corp-seven.example", "cy@other-nine.example"].map {
            standIns.people.email($0).split(separator: "@").last ?? ""
        }
        #expect(servers[0] == servers[1] && servers[0] != servers[2])
        #expect(servers.allSatisfy { $0.hasSuffix(".example") && !$0.contains("seven") })
        let below = standIns.people.email("di@eu.corp-seven.example").split(separator: "@").last ?? ""
        #expect(below.hasSuffix("." + servers[0]) && !below.hasPrefix("eu."))
        // No name of a host: it is not taken apart.
        let long = standIns.people.email("di@" + String(repeating: "a.", count: 10_000) + "example")
        #expect(long.utf8.count == 20_010 && long.hasSuffix(".example"))
        let loud = standIns.people.email("EVE@CORP-SEVEN.example").split(separator: "@").last ?? ""
        #expect(loud.lowercased() == servers[0].lowercased() && loud.contains { $0.isUppercase })
    }

    /// Where all numbers of the same length are somebody's, a name has letters.
    @Test(arguments: [(10..<60, true), (10..<100, false)])
    func mailOfSomebodyElseStandsForNobodys(numbers: Range<Int>, hasDigits: Bool) {
        let addresses = numbers.map { "\($0)@shop.example" }
        var found = FoundSecrets()
        found.hosts = ["shop.example"]
        for address in addresses { found.values[address] = .email }
        let standIns = StandIns.fixed(found)
        let made = addresses.map { standIns.standIn(for: $0) }
        #expect(Set(made).count == made.count && Set(made).isDisjoint(with: addresses))
        #expect(made.allSatisfy { $0.hasSuffix("@shop.example") })
        #expect(made.contains { $0.contains { $0.isNumber } } == hasDigits)
    }

    /// Both are of most of the numbers of three digits, and leave each other enough.
    @Test func accountsStayDifferentBesideAsManyAddresses() {
        let numbers = (100..<700).map { "\($0)" }
        var found = FoundSecrets()
        found.hosts = ["shop.example"]
        for number in numbers {
            found.values[number + "@shop.example"] = .email
            found.named[NamedValue("sub", number)] = .subject
        }
        let standIns = StandIns.fixed(found)
        let addresses = numbers.map { standIns.standIn(for: $0 + "@shop.example") }
        let accounts = numbers.map { standIns.standIn(for: $0) }
        #expect(Set(addresses).count == numbers.count && Set(accounts).count == numbers.count)
    }

    @Test func addressOfAFullNetworkIsOfAnother() {
        let addresses = (0..<100).map { "192.168.\($0 / 10).\($0 % 10)" }
        var found = FoundSecrets()
        for address in addresses { found.values[address] = .address }
        let standIns = StandIns.fixed(found)
        let made = addresses.map { standIns.standIn(for: $0) }
        #expect(Set(made).count == made.count && Set(made).isDisjoint(with: addresses))
        #expect(made.allSatisfy { $0.utf8.count == 11 && !$0.hasPrefix("192.168.") })
    }

    @Test(arguments: [
        ("did:example:ada", "did:example:"), ("did:web:x.example", "did:web:"),
        ("did:hedera:mainnet", "did:hedera:"),
        ("did:Web:x", nil), ("did:", nil), ("did::x", nil), ("dida:web:x", nil), ("", nil),
    ])
    func methodOfADecentralizedIdentifier(text: String, method: String?) {
        #expect(DecentralizedIdentifier.method(of: text) == method)
    }

    @Test func serverOfAPictureStays() {
        let other = Self.standIn("https://cdn.example/a/carla.png")
        #expect(other.hasPrefix("https://cdn.example") && !other.contains("carla"))
    }

    @Test(arguments: ["?user=carla", "#carla"])
    func addressMayHaveNoPath(rest: String) {
        let other = Self.standIn("https://app.example" + rest)
        #expect(other.hasPrefix("https://app.example" + rest.prefix(1)) && !other.contains("carla"))
    }

    /// Nothing else in such an address says whose it is.
    @Test(arguments: ["", "/"])
    func serverOfAWebsiteOfSomebodysOwnDoesNot(path: String) {
        let address = "https://carla-quist.example" + path
        let other = Self.standIn(address)
        #expect(other.hasPrefix("https://") && other.hasSuffix(".example" + path))
        #expect(other != address && other.utf8.count == address.utf8.count)
    }
}
