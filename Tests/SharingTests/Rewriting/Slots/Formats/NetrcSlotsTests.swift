import Testing

@testable import Sharing

/// Who signs in at which host.
struct NetrcSlotsTests {
    @Test(arguments: [
        ("machine api.example login bolund password kestrel\n", ["username=bolund", "password=kestrel"]),
        (
            "see\nmachine a.example\n  login bolund\n  password kestrel\nand more",
            ["username=bolund", "password=kestrel"]
        ),
        ("machine a.example password x1 machine b.example login bo", ["password=x1", "username=bo"]),
        ("on this machine a login needs a password today", []),
        ("machine a.example has a login and a password too", []), ("machine a.example login", []),
        ("machine ", []),
        ("login bolund password kestrel", []), ("", []),
    ])
    func whatIsKnownOfAHost(text: String, told: [String]) {
        let bytes = Array(text.utf8)
        let slots = NetrcSlots.slots(in: bytes[...])
        #expect(slots.map { "\($0.name)=\(String(decoding: bytes[$0.range], as: UTF8.self))" } == told)
    }
}
