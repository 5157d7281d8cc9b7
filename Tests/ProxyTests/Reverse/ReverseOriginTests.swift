import Captures
import NIOCore
import TLS
import Testing

@testable import Proxy

/// What is read of `--reverse`, and which names are whose.
struct ReverseOriginTests {
    static let good: [(text: String, url: String, host: String, port: Int)] = [
        ("https://idp.example=127.0.0.1:9443", "https://idp.example", "127.0.0.1", 9443),
        ("HTTPS://IdP.Example/=localhost:0", "https://idp.example", "localhost", 0),
        ("https://idp.example:443=:9443", "https://idp.example", "127.0.0.1", 9443),
        ("https://idp.example:8443=[::1]:65535", "https://idp.example:8443", "::1", 65_535),
        ("http://[2001:db8::1]:80=127.0.0.1:1", "http://[2001:db8::1]", "127.0.0.1", 1),
        ("http://idp.example:443=127.0.0.1:1", "http://idp.example:443", "127.0.0.1", 1),
    ]

    @Test(arguments: good.indices)
    func originAndAddressAreRead(_ index: Int) throws {
        let row = Self.good[index]
        let played = try ReverseOrigin(row.text)
        #expect(played.url == row.url)
        #expect(played.listeningHost == row.host)
        #expect(played.listeningPort == row.port)
    }

    static let bad: [(text: String, error: ReverseOriginError)] = [
        ("https://idp.example", .noAddress("https://idp.example")),
        ("idp.example=127.0.0.1:9443", .noScheme("idp.example")),
        ("ftp://idp.example=127.0.0.1:9443", .noScheme("ftp://idp.example")),
        ("https://idp.example/realms=127.0.0.1:9443", .pathInOrigin("https://idp.example/realms")),
        ("https://idp.example?a=127.0.0.1:9443", .pathInOrigin("https://idp.example?a")),
        ("https://=127.0.0.1:9443", .notAnOrigin("https://")),
        ("https://bücher.example=127.0.0.1:9443", .notASCII("https://bücher.example")),
        ("https://a@idp.example=127.0.0.1:9443", .notAnOrigin("https://a@idp.example")),
        ("https://idp.example:0=127.0.0.1:9443", .notAnOrigin("https://idp.example:0")),
        ("https://idp.example=127.0.0.1", .notAnAddress("127.0.0.1")),
        ("https://idp.example=127.0.0.1:", .notAnAddress("127.0.0.1:")),
        ("https://idp.example=127.0.0.1:65536", .notAnAddress("127.0.0.1:65536")),
        ("https://idp.example=127.0.0.1:+443", .notAnAddress("127.0.0.1:+443")),
        ("https://idp.example=127.0.0.1:009443", .notAnAddress("127.0.0.1:009443")),
        ("https://idp.example=a@127.0.0.1:9443", .notAnAddress("a@127.0.0.1:9443")),
        ("https://[::1]x=127.0.0.1:9443", .notAnOrigin("https://[::1]x")),
        ("https://idp.example=https://127.0.0.1:9443", .notAnAddress("https://127.0.0.1:9443")),
        ("https://idp.example=", .notAnAddress("")),
        ("https://idp.example==127.0.0.1:1", .notAnAddress("=127.0.0.1:1")),
    ]

    @Test(arguments: bad.indices)
    func whatIsWrongIsNamed(_ index: Int) {
        let row = Self.bad[index]
        #expect(throws: row.error) { try ReverseOrigin(row.text) }
    }

    // MARK: Names

    private func listener(_ text: String, at address: String) throws -> ReverseListener {
        let played = try ReverseOrigin(text + "=" + address + ":9443")
        let own = OwnAddress(machine: { MachineAddresses(entries: []) })
        own.set(try SocketAddress(ipAddress: address, port: 9443), host: address)
        return ReverseListener(played, own: own)
    }

    static let hosts: [(origin: String, host: String, new: String?)] = [
        ("https://idp.example", "127.0.0.1:9443", "idp.example"),
        ("https://idp.example", "localhost:9443", "idp.example"),
        // However a container calls us.
        ("https://idp.example", "recorder:9443", "idp.example"),
        ("https://idp.example:8443", "recorder", "idp.example:8443"),
        ("http://idp.example:443", "recorder", "idp.example:443"),
        ("https://idp.example", "idp.example", nil),
        ("https://idp.example", "IdP.Example.", nil),
        ("https://idp.example", "idp.example:9443", nil),
        ("https://localhost:3000", "localhost:3000", nil),
        ("https://localhost:3000", "localhost:9443", "localhost:3000"),
        ("https://127.0.0.1:3000", "127.0.0.1:9443", "127.0.0.1:3000"),
        ("https://idp.example", "", nil), ("https://idp.example", "a b", nil),
    ]

    @Test(arguments: hosts.indices)
    func hostThatIsNotTheOriginsIsReplaced(_ index: Int) throws {
        let row = Self.hosts[index]
        let listener = try listener(row.origin, at: "127.0.0.1")
        #expect(listener.replacement(forHost: row.host, defaultPort: 443) == row.new, "\(row.host)")
    }

    @Test func nothingElseOfAHeadIsAltered() throws {
        let listener = try listener("https://idp.example", at: "127.0.0.1")
        let head = """
            POST http://127.0.0.1:9443/a b?host:x HTTP/1.1\r
            X-Host: 127.0.0.1:9443\r
            hOST :\t 127.0.0.1:9443 \r
            Proxy-Authorization: kept\r
            Origin: https://127.0.0.1:9443\r
            Folded: a
             Host: 127.0.0.1:9443\r
            Host:recorder
            Host: idp.example\r
            \r

            """
        let wanted = head.replacing("hOST :\t 127.0.0.1:9443", with: "hOST :\t idp.example").replacing(
            "Host:recorder\n",
            with: "Host:idp.example\n"
        )
        #expect(
            String(decoding: listener.naming(Array(head.utf8), defaultPort: 443), as: UTF8.self) == wanted
        )
    }

    static let hellos: [(origin: String, name: String?, leaf: String, looksAtHosts: Bool, passes: Bool)] = [
        ("https://idp.example", "idp.example", "idp.example", false, true),
        ("https://idp.example", "IDP.example", "IDP.example", false, true),
        ("https://idp.example", "recorder", "recorder", true, false),
        ("https://idp.example", nil, "127.0.0.1", true, false),
        ("https://idp.example", "not a name", "127.0.0.1", true, false),
        // Ours and the origin's alike.
        ("https://localhost:3000", "localhost", "localhost", true, false),
        ("http://idp.example", "idp.example", "idp.example", false, false),
    ]

    @Test(arguments: hellos.indices)
    func nameInTLSDecides(_ index: Int) throws {
        let row = Self.hellos[index]
        let listener = try listener(row.origin, at: "127.0.0.1")
        for isPinned in [false, true] {
            let interception = listener.interception(
                hello: ClientHello(serverName: row.name),
                entry: TunnelEntry(
                    origin: listener.origin,
                    startedAt: .init(nanoseconds: 0),
                    identity: ClientIdentity(connectionID: "1")
                ),
                held: ByteBuffer(),
                called: Origin(authority: "127.0.0.1:9443", defaultPort: nil),
                isPinned: isPinned
            )
            #expect(interception.clientName == row.leaf)
            #expect((interception.listener != nil) == row.looksAtHosts)
            #expect((interception.passes != nil) == (row.passes && isPinned))
            #expect((interception.providerName != nil) == row.origin.hasPrefix("https"))
        }
    }
}
