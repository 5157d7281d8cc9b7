import Testing

@testable import Proxy

/// Which names lead to this machine, whatever its resolver knows.
struct HostResolverTests {
    @Test(arguments: [
        ("localhost", "localhost"), ("localhost.", "localhost"), ("LOCALHOST", "localhost"),
        ("idp.localhost", "localhost"),
        ("idp.localhost.", "localhost"), ("idp.example.", "idp.example."), ("notlocalhost", "notlocalhost"),
        ("localhost.example", "localhost.example"), ("", ""),
    ])
    func namesBelowLocalhostAreThisMachine(_ row: (host: String, resolvable: String)) {
        #expect(HostResolver.resolvable(row.host) == row.resolvable)
    }
}
