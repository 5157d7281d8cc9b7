import Testing

@testable import Sharing

/// Whose a telephone or a computer is, by what it is called.
struct DeviceOwnersTests {
    private static func told(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return GreetingSlots.slots(in: bytes[...]).map {
            "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))"
        }
    }

    @Test(arguments: [
        ("Signed in on Ada's iPhone", ["given_name=Ada"]),
        ("Ada\u{2019}s MacBook Pro", ["given_name=Ada"]),
        ("<li>Ada&#39;s iPad", ["given_name=Ada"]),
        ("iPhone 15 Pro von Ada", ["given_name=Ada"]),
        ("iPad de Ada Lovelace", ["given_name=Ada"]),
        ("Zo\u{eb}'s iPhone, Ren\u{e9}\u{2019}s iPad", ["given_name=Zo\u{eb}", "given_name=Ren\u{e9}"]),
        (
            "\u{201c}Ada's iPhone\u{201d}, iPhone von J\u{f6}rg\u{201d}",
            ["given_name=Ada", "given_name=J\u{f6}rg"]
        ),
        ("Ada's phone, Ada's laptop", ["given_name=Ada", "given_name=Ada"]),
        // Makers, whoever reads it, and sentences.
        ("Okta's phone verification and Duo's laptop app", []),
        ("Apple's iPhone and today's phone", []),
        ("Meta's Pixel, Vodafone's phone, and let's phone", []),
        ("the provider's phone number", []),
        ("Use your phone to continue", []),
        ("iPhone of the year", []),
        ("Find my iphone de", []),
        ("'s iPhone", []),
        ("Galaxy von ", []),
    ])
    func ownerIsNamedByTheirDevice(text: String, told: [String]) {
        #expect(Self.told(text) == told)
    }

    @Test(arguments: [
        ("Adas-MacBook-Pro.local", ["Ada"]), ("1.1 Adas-iPhone (squid)", ["Ada"]),
        ("MacBook-Pro-2-von-Ada.local", ["Ada"]), ("iPad-de-Ada", ["Ada"]),
        ("ping annas-mbp.fritz.box.", ["anna"]), ("tests-mbp.local, annas-mbp, annas-mbp.shop.example", []),
        // In an address, of nobody, and words.
        ("http://Adas-MacBook.local:3000/cb", []), ("Users-MacBook.local", []), ("tests-iphone", []),
        ("what-s-iPad", []), ("MacBook-Pro.local", []), ("iPhone-15-Pro-Max", []), ("-von-", []),
    ])
    func ownerIsNamedByTheirComputerInItsNetwork(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        let slots = DeviceOwners.hosts(in: bytes[...])
        #expect(slots.map { String(decoding: bytes[$0.range], as: UTF8.self) } == told)
        #expect(slots.allSatisfy { $0.name == "given_name" })
    }
}
