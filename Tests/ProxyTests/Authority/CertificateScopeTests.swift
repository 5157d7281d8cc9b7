import Captures
import Foundation
import LibCrypto
import NIOCore
import TLS
import TestSupport
import Testing

@testable import Proxy

/// An authority that is good for some servers only, as those see it who trust it.
struct CertificateScopeTests {
    // MARK: What is in a scope

    @Test(arguments: [
        (["idp.example"], "idp.example", true), (["idp.example"], "IDP.Example.", true),
        (["idp.example"], "login.idp.example", false), (["idp.example"], "idp.example.evil.example", false),
        (["*.idp.example"], "login.idp.example", true), (["*.idp.example"], "idp.example", true),
        ([".idp.example"], "a.b.idp.example", true), ([".idp.example"], "notidp.example", false),
        (["localhost"], "127.0.0.1", false), (["127.0.0.1"], "127.0.0.1", true),
        (["127.0.0.1"], "127.0.0.2", false), (["127.0.0.1"], "::1", false), (["[::1]"], "::1", true),
        (["10.0.0.0/8"], "10.255.0.1", true), (["10.9.9.9/8"], "10.0.0.1", true),
        (["10.0.0.0/8"], "11.0.0.1", false), (["192.168.4.0/22"], "192.168.7.255", true),
        (["192.168.4.0/22"], "192.168.8.0", false), (["fd00::/8"], "fdff::1", true),
        (["fd00::/8"], "fe80::1", false), (["0.0.0.0/0"], "8.8.8.8", true), (["0.0.0.0/0"], "::1", false),
        (["::/0"], "127.0.0.1", false), (["127.0.0.1"], "authreel.proxy", true),
        (["LOCALHOST."], "localhost", true), (["*.Idp.Example."], "login.idp.example", true),
        (["LOCALHOST."], "127.0.0.1", false),
    ])
    func holdsWhatItNames(_ row: (entries: [String], host: String, isIn: Bool)) throws {
        #expect(try CertificateScope(row.entries).contains(row.host) == row.isIn)
    }

    @Test(arguments: [
        "", "*", "*.", ".", "https://idp.example", "idp.example:443", "idp..example", "a b", "-/8",
        "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "10.0.0", "1.2.3.4.5", "[::1",
        "idp.*", "idp.example..", "127.0.0.1.", "bücher.example",
        String(repeating: "a", count: 64) + ".example", "idp.example/8",
    ])
    func whatNamesNoServerIsRefused(_ entry: String) {
        #expect(throws: CertificateScopeError.self) { try CertificateScope(["idp.example", entry]) }
    }

    @Test(arguments: [
        ("login.example", true), ("*.login.example", true), ("*.example", true), ("a.login.example", false),
        ("other.example", false), ("10.1.2.3", true), ("11.1.2.3", false),
    ])
    func patternOverlapsOrNot(_ row: (pattern: String, overlaps: Bool)) throws {
        let scope = try CertificateScope(["login.example", "10.0.0.0/8"])
        #expect(scope.overlaps(HostPattern(row.pattern)) == row.overlaps)
    }

    // MARK: What its certificates are worth

    /// A server's certificate for a host that its authority was not made for: whoever has the key can make it.
    private func server(
        _ host: String,
        of authority: CertificateAuthority
    ) throws -> (leaf: Certificate, key: PrivateKey) {
        let key = try PrivateKey.generate(.elliptic(.p256))
        return (
            try authority.leaf(for: LeafCertificates.name(of: host), key: key, now: ProxyRig.now()), key
        )
    }

    static let verdicts: [(entries: [String], host: String, isAccepted: Bool)] = [
        (["idp.example"], "idp.example", true), (["idp.example"], "evil.example", false),
        (["idp.example"], "notidp.example", false), (["idp.example"], "127.0.0.1", false),
        (["idp.example"], "::1", false), (["*.idp.example"], "login.idp.example", true),
        (["127.0.0.1"], "127.0.0.1", true), (["127.0.0.1"], "127.0.0.2", false),
        (["127.0.0.1"], "::1", false), (["127.0.0.1"], "idp.example", false), (["::1"], "::1", true),
        (["::1"], "127.0.0.1", false), (["10.0.0.0/8"], "10.200.1.1", true),
        (["10.0.0.0/8"], "11.0.0.1", false), (["fd00::/8"], "fd12::1", true),
        (["fd00::/8"], "fe80::1", false), (["idp.example", "10.0.0.0/8", "::1"], "idp.example", true),
        (["idp.example", "10.0.0.0/8", "::1"], "10.0.0.1", true),
        (["idp.example", "10.0.0.0/8", "::1"], "::2", false), (["127.0.0.1"], "authreel.proxy", true),
        (["localhost"], "localhost", true),
        // A name of 65 characters and more is no common name.
        (["*.idp.example"], String(repeating: "a", count: 60) + ".idp.example", true),
    ]

    /// OpenSSL's own verification, with the names that a client would ask for.
    @Test(arguments: verdicts)
    func openSSLAcceptsWhatIsInsideOnly(
        _ row: (entries: [String], host: String, isAccepted: Bool)
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try CertificateAuthority(scope: CertificateScope(row.entries), now: ProxyRig.now())
        let leaf = try server(row.host, of: authority).leaf
        let files = [
            "root": authority.certificate.pem, "below": authority.chain.map(\.pem).joined(), "leaf": leaf.pem,
        ]
        for (name, text) in files {
            try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        let isAddress = if case .address = LeafCertificates.name(of: row.host) { true } else { false }
        let output = try await ProxyRig.run([
            "/usr/bin/openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-no-CApath",
            "-no-CAstore",
            "-CAfile", folder.file("root"), "-untrusted", folder.file("below"),
            isAddress ? "-verify_ip" : "-verify_hostname", row.host, folder.file("leaf"),
        ])
        #expect((output.status == 0) == row.isAccepted, "\(output.error)\(output.text)")
        if !row.isAccepted { #expect(output.error.contains("subtree violation"), "\(output.error)") }
    }

    /// Whoever has the key that signs can sign for no other purpose, and make no further authority.
    @Test func keyIsWorthNothingElsewhere() async throws {
        let authority = try CertificateAuthority(
            scope: CertificateScope(["idp.example"]),
            now: ProxyRig.now()
        )
        for certificate in [authority.certificate] + authority.chain {
            let text = try await ProxyRig.text(of: certificate)
            #expect(text.contains("X509v3 Name Constraints: critical"))
            #expect(
                text.contains("X509v3 Extended Key Usage: \n                TLS Web Server Authentication")
            )
            #expect(text.contains("email:nobody.invalid") && text.contains("URI:nobody.invalid"))
            #expect(
                text.contains("IP:0.0.0.0/0.0.0.0") && text.contains("IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0")
            )
        }
        let mixed = try CertificateAuthority(scope: CertificateScope(["10.0.0.0/8"]), now: ProxyRig.now())
        let addresses = try await ProxyRig.text(of: mixed.certificate)
        #expect(addresses.contains("IP:10.0.0.0/255.0.0.0") && !addresses.contains("Excluded"))
        #expect(addresses.contains("IP:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF/FFFF"))
        #expect(try await ProxyRig.text(of: authority.chain[0]).contains("CA:TRUE, pathlen:0"))
        // The lasting one is not narrowed by any of this.
        let (lasting, _) = try CertificateAuthority.make(now: ProxyRig.now())
        let text = try await ProxyRig.text(of: lasting.certificate)
        #expect(text.contains("CA:TRUE, pathlen:0") && !text.contains("Name Constraints"))
        #expect(lasting.chain.isEmpty && lasting.signs(for: "any.example"))
    }

    /// Real clients' handshakes, with a server that shows a certificate of the authority's.
    @Test(arguments: [
        (["localhost"], "localhost", true), (["127.0.0.1"], "127.0.0.1", true),
        (["127.0.0.0/8"], "127.0.0.1", true), (["idp.example"], "localhost", false),
        (["idp.example"], "127.0.0.1", false), (["localhost", "10.0.0.0/8"], "127.0.0.1", false),
        (["127.0.0.1", "idp.example"], "localhost", false),
    ])
    func curlAndPythonAcceptWhatIsInsideOnly(
        _ row: (entries: [String], host: String, isAccepted: Bool)
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try CertificateAuthority(scope: CertificateScope(row.entries), now: ProxyRig.now())
        let (leaf, key) = try server(row.host, of: authority)
        let tls = try TLSContext.server(chain: [leaf] + authority.chain, key: key)
        let origin = try await LoopbackOrigin(tls: tls) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8))
        }
        let root = folder.file("root.pem")
        try authority.certificate.pem.write(toFile: root, atomically: false, encoding: .utf8)
        let url = "https://\(row.host):\(origin.port)/"
        let curl = try await ProxyRig.run([
            "/usr/bin/curl", "-sS", "--max-time", "20", "--noproxy", "*", "--cacert", root, url,
        ])
        #expect((curl.text == "hello") == row.isAccepted, "\(curl.error)")
        let script = """
            import ssl, sys, urllib.request
            context = ssl.create_default_context(cafile=sys.argv[1])
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                                 urllib.request.HTTPSHandler(context=context))
            print(opener.open(sys.argv[2], timeout=20).read().decode(), end="")
            """
        let python = try await ProxyRig.run(["/usr/bin/env", "python3", "-c", script, root, url])
        #expect((python.text == "hello") == row.isAccepted, "\(python.error)")
        if !row.isAccepted {
            #expect(curl.status == 60 && python.error.contains("subtree violation"), "\(python.error)")
        }
        try await origin.stop()
    }

    // MARK: Through the proxy

    private static let hello: LoopbackOrigin.Script = { _ in
        .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8))
    }

    @Test func hostInsideIsOpened() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(scope: CertificateScope(["localhost"]))
        let output = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(output.text == "hello", "\(output.error)")
        #expect(try await rig.exchanges(atLeast: 1).map(\.request.method) == ["GET"])
        #expect(rig.notices.isEmpty)
        await rig.stop()
        try await origin.stop()
    }

    @Test func hostOutsideIsPassedOnUnread() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(scope: CertificateScope(["idp.example", "10.0.0.0/8"]))
        // The server's own certificate is what the client sees.
        let output = try await rig.curl("-k", "https://localhost:\(origin.port)/")
        #expect(output.text == "hello", "\(output.error)")
        let refused = try await rig.curl("https://localhost:\(origin.port)/")
        #expect(refused.status == 60)
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.tunnel.reason) == [.asked, .asked])
        #expect(exchanges.allSatisfy { $0.request.method == "CONNECT" && $0.response?.body == nil })
        #expect(rig.notices == [.outsideScope(host: "localhost"), .outsideScope(host: "localhost")])
        await rig.stop()
        try await origin.stop()
    }

    /// The name in the client's hello decides, since that is whom the certificate would be for.
    @Test func nameOfTheHelloDecides() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(scope: CertificateScope(["localhost"]))
        let connect = "localhost:\(origin.port):127.0.0.1:\(origin.port)"
        let inside = try await rig.curl("--connect-to", connect, "https://localhost:\(origin.port)/")
        #expect(inside.text == "hello", "\(inside.error)")
        let outside = try await rig.curl(
            "-k",
            "--connect-to",
            "evil.example:\(origin.port):localhost:\(origin.port)",
            "https://evil.example:\(origin.port)/"
        )
        #expect(outside.text == "hello", "\(outside.error)")
        let exchanges = try await rig.exchanges(atLeast: 2)
        #expect(exchanges.map(\.tunnel.reason) == [nil, .asked])
        #expect(rig.notices == [.outsideScope(host: "evil.example")])
        await rig.stop()
        try await origin.stop()
    }

    /// What is in clear needs no certificate.
    @Test func plainHTTPOutsideIsRecorded() async throws {
        let origin = try await LoopbackOrigin(tls: nil, script: Self.hello)
        let rig = try await ProxyRig(scope: CertificateScope(["idp.example"]))
        #expect(try await rig.curl("http://localhost:\(origin.port)/").text == "hello")
        #expect(try await rig.curl("-p", "http://localhost:\(origin.port)/").text == "hello")
        #expect(try await rig.exchanges(atLeast: 2).map(\.request.method) == ["GET", "GET"])
        #expect(rig.notices.isEmpty)
        await rig.stop()
        try await origin.stop()
    }

    @Test func onlyNarrowsItFurther() async throws {
        let origin = try await LoopbackOrigin(tls: ProxyRig.originTLS(), script: Self.hello)
        let rig = try await ProxyRig(
            scope: CertificateScope(["localhost", "127.0.0.1"]),
            adjust: { $0.onlyHosts = [HostPattern("127.0.0.1")] }
        )
        #expect(try await rig.curl("-k", "https://localhost:\(origin.port)/").text == "hello")
        #expect(try await rig.exchanges(atLeast: 1).map(\.tunnel.reason) == [.asked])
        #expect(rig.notices.isEmpty)
        await rig.stop()
        try await origin.stop()
    }

    @Test func setUpPageGivesItsCertificateAndSaysWhatItIsGoodFor() async throws {
        let rig = try await ProxyRig(scope: CertificateScope(["idp.example", "10.0.0.0/8"]))
        let pem = try await rig.curl("http://authreel.proxy/ca.pem").text
        #expect(try pem == String(contentsOfFile: rig.authorityFile, encoding: .utf8))
        let page = try await rig.curl("https://authreel.proxy/")
        #expect(page.text.contains("no servers but <code>idp.example, 10.0.0.0/8</code>"), "\(page.error)")
        await rig.stop()
        let lasting = try await ProxyRig()
        let other = try await lasting.curl("http://authreel.proxy/")
        #expect(other.status == 0 && !other.text.contains("no servers but"))
        await lasting.stop()
    }
}

extension ProxyRig {
    /// What `openssl x509 -text` says of a certificate.
    fileprivate static func text(of certificate: Certificate) async throws -> String {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try certificate.pem.write(toFile: folder.file("a.pem"), atomically: false, encoding: .utf8)
        return try await run(["/usr/bin/openssl", "x509", "-noout", "-text", "-in", folder.file("a.pem")])
            .text
    }
}
