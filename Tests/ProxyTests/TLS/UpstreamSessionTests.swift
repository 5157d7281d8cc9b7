import Captures
import Foundation
import LibCrypto
import Proxy
import TLS
import TestSupport
import Testing

/// Sessions with a provider that further connections go on with, and the secrets of both legs, as others tell of them.
@Suite(.timeLimit(.minutes(2)))
struct UpstreamSessionTests {
    /// OpenSSL's server as a provider on localhost.
    private func provider(_ options: String...) throws -> OpenSSLServer {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let now = ProxyRig.now().seconds
        let leaf = try ProxyRig.originAuthority().leaf(
            for: .host("localhost"),
            key: key,
            validity: .init(notBefore: now - 60, notAfter: now + 3600)
        )
        return try OpenSSLServer(chain: leaf.pem, key: key.pem, options: options)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func secondConnectionGoesOnWithTheSessionOfTheFirst(_ version: String) async throws {
        let server = try provider(version)
        let rig = try await ProxyRig()
        var starts: [String] = []
        for _ in 0..<4 {
            let output = try await rig.curl("https://localhost:\(server.port)/")
            starts += output.text.split(separator: "\n").filter {
                $0.hasPrefix("New, ") || $0.hasPrefix("Reused, ")
            }
            .map { String($0.prefix { $0 != "," }) }
        }
        #expect(starts == ["New", "Reused", "Reused", "Reused"])
        let exchanges = try await rig.exchanges(atLeast: 4)
        #expect(exchanges.allSatisfy { $0.response?.status == 200 })
        await rig.stop()
        server.stop()
    }

    @Test func sessionsWithoutTicketsAreTakenUpByTheirNumber() async throws {
        let server = try provider("-tls1_2", "-no_ticket")
        let rig = try await ProxyRig()
        _ = try await rig.curl("https://localhost:\(server.port)/")
        let output = try await rig.curl("https://localhost:\(server.port)/")
        #expect(output.text.contains("Reused, TLSv1.2"))
        await rig.stop()
        server.stop()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func clientGoesOnWithItsSessionWithTheRecorder(_ version: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await LoopbackOrigin(tls: try ProxyRig.originTLS()) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = """
            printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' | openssl s_client -ign_eof \(version) -proxy \
            127.0.0.1:\(rig.port) -connect localhost:\(origin.port) -servername localhost -CAfile \
            \(rig.authorityFile)
            """
        let session = folder.file("session")
        let first = try await ProxyRig.run(["/bin/sh", "-c", client + " -sess_out \(session)"])
        let second = try await ProxyRig.run(["/bin/sh", "-c", client + " -sess_in \(session)"])
        #expect(first.text.contains("\nNew, TLSv1."), "\(first.text)\(first.error)")
        #expect(second.text.contains("\nReused, TLSv1."), "\(second.text)\(second.error)")
        #expect(try await rig.exchanges(atLeast: 2).allSatisfy { $0.response?.status == 200 })
        await rig.stop()
        try await origin.stop()
    }

    /// Chromium sends the one of `https://idp.example./` along, and leaves it out when it compares the certificate.
    @Test func finalDotOfAServerNameIsNotForCertificates() async throws {
        let origin = try await LoopbackOrigin(tls: try ProxyRig.originTLS()) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        let client = """
            printf 'GET / HTTP/1.1\\r\\nHost: localhost.\\r\\n\\r\\n' | openssl s_client -quiet -proxy \
            127.0.0.1:\(rig.port) -connect localhost.:\(origin.port) -servername localhost. -CAfile \
            \(rig.authorityFile) -verify_hostname localhost -verify_return_error
            """
        let output = try await ProxyRig.run(["/bin/sh", "-c", client])
        #expect(output.text.contains("200 OK"), "\(output.text)\(output.error)")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == nil && exchange.response?.status == 200)
        #expect(exchange.connection.serverName == "localhost.")
        await rig.stop()
        try await origin.stop()
    }

    @Test func toleratedCertificateIsToldOfEachConnection() async throws {
        let server = try provider("-tls1_3")
        let rig = try await ProxyRig(adjust: {
            $0.upstreamTrust = []
            $0.insecureUpstream = true
        })
        for _ in 0..<2 { _ = try await rig.curl("https://localhost:\(server.port)/") }
        let reasons = rig.notices.compactMap { notice -> String? in
            if case .toleratedCertificate(_, let reason) = notice { reason } else { nil }
        }
        #expect(reasons.count == 2 && reasons[0] == reasons[1])
        await rig.stop()
        server.stop()
    }

    @Test(arguments: ["1.2", "1.3"]) func keyLogHasTheSecretsOfBothLegs(_ version: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try provider(
            "-tls1_\(version.suffix(1))",
            "-keylogfile",
            folder.file("provider")
        )
        let log = try KeyLog(path: folder.file("both"))
        let rig = try await ProxyRig(adjust: { $0.keyLog = log })
        // The second provider's connection goes on with the session of the first.
        for _ in 0..<2 {
            let output = try await ProxyRig.run([
                "/usr/bin/env", "SSLKEYLOGFILE=\(folder.file("client"))", "/usr/bin/curl", "-sS",
                "--max-time",
                "20", "--proxy", "http://127.0.0.1:\(rig.port)", "--noproxy", "", "--cacert",
                rig.authorityFile,
                "--tls-max", version, "https://localhost:\(server.port)/",
            ])
            #expect(output.status == 0, "\(output.error)")
        }
        await rig.stop()
        server.stop()
        let client = try lines(folder.file("client"))
        let provider = try lines(folder.file("provider"))
        let both = try lines(folder.file("both"))
        #expect(both == client.union(provider) && client.isDisjoint(with: provider))
        let labels = Set(both.map { String($0.prefix { $0 != " " }) })
        if version == "1.2" {
            #expect(labels == ["CLIENT_RANDOM"] && both.count == 4)
        } else {
            #expect(
                labels.isSuperset(of: [
                    "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET",
                    "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0",
                ])
            )
            #expect(both.filter { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") }.count == 4)
        }
    }

    /// Label, client random, secret: the lines of a key log.
    private func lines(_ path: String) throws -> Set<String> {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0) })
    }
}
