import Testing

@testable import Packets

struct ServerNamesTests {
    /// An address is no name, and of two names none is the server's own.
    @Test(
        arguments: [
            ("192.0.2.1:443", ["op.example", "op.example"], "op.example"),
            ("192.0.2.1:443", ["192.0.2.1"], nil),
            ("192.0.2.1:443", ["op.example", "192.0.2.1"], "op.example"),
            ("[2001:db8::1]:443", ["2001:db8::1"], nil), ("[2001:db8::1]:443", ["[2001:db8::1]"], nil),
            ("192.0.2.1:443", ["op.example", "rp.example", "op.example"], nil),
        ] as [(String, [String], String?)]
    )
    func nameIsTheOneThatWasAskedFor(address: String, hosts: [String], name: String?) {
        var names = ServerNames()
        for host in hosts { names.note(host, of: address) }
        #expect(names.name(of: address) == name && names.name(of: "192.0.2.9:443") == nil)
    }
}
