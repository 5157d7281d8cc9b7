import Captures
import Foundation
import LibCrypto
import Proxy
import TestSupport
import Testing

/// Providers that ask for a client certificate (mutual TLS), against OpenSSL's own server.
@Suite(.timeLimit(.minutes(2)))
struct ClientCertificateTests {
    private static let elliptic = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

    /// A provider that asks for a certificate of the authority's, and a recorder that trusts it.
    private struct Stage {
        let made: OpenSSLCertificates
        let server: OpenSSLServer
        let rig: ProxyRig
        let host: String

        init(_ version: String, insists: Bool = true, shows certificate: CertifiedKey? = nil) async throws {
            made = try OpenSSLCertificates()
            let leaf = try made.leaf("localhost")
            server = try OpenSSLServer(
                chain: leaf.chain,
                key: leaf.key,
                clientAuthority: made.authority,
                insists: insists,
                options: [version, "-cipher", "ALL:@SECLEVEL=0"]
            )
            let port = server.port
            let trust = try Certificate.all(pem: Array(made.authority.utf8))
            let shown = try certificate ?? ClientCertificateTests.client(made)
            rig = try await ProxyRig(adjust: {
                $0.upstreamTrust = trust
                $0.clientCertificate = { $0 == "localhost" && $1 == port ? shown : nil }
            })
            host = "localhost:\(port)"
        }

        /// With a recorder that has no certificate for this provider.
        init(withoutFor version: String, insists: Bool = true) async throws {
            made = try OpenSSLCertificates()
            let leaf = try made.leaf("localhost")
            server = try OpenSSLServer(
                chain: leaf.chain,
                key: leaf.key,
                clientAuthority: made.authority,
                insists: insists,
                options: [version]
            )
            let trust = try Certificate.all(pem: Array(made.authority.utf8))
            let other = try ClientCertificateTests.client(made)
            rig = try await ProxyRig(adjust: {
                $0.upstreamTrust = trust
                $0.clientCertificate = { host, _ in host == "other.example" ? other : nil }
            })
            host = "localhost:\(server.port)"
        }

        func end() async {
            await rig.stop()
            server.stop()
            made.remove()
        }
    }

    private static func client(_ made: OpenSSLCertificates) throws -> CertifiedKey {
        let leaf = try made.leaf("client-7", key: elliptic)
        return try CertifiedKey(file: Array((leaf.key + leaf.chain).utf8), passphrase: nil)
    }

    @Test(arguments: ["-tls1", "-tls1_2", "-tls1_3"])
    func providerIsShownTheCertificateThatIsForIt(_ version: String) async throws {
        let stage = try await Stage(version)
        // The second goes on with the session of the first.
        for _ in 0..<2 {
            let output = try await stage.rig.curl("https://\(stage.host)/")
            #expect(output.text.contains("client-7"), "\(output.text)\(output.error)")
        }
        let exchanges = try await stage.rig.exchanges(atLeast: 2)
        let shown = exchanges.map(\.connection.clientCertificate)
        #expect(shown.count == 2 && shown[0]?.count == 43 && shown[0] == shown[1], "\(shown)")
        #expect(
            stage.rig.notices.contains(.clientCertificateShown(host: stage.host, subject: "CN=client-7"))
        )
        #expect(!stage.rig.notices.contains(.clientCertificateMissing(host: stage.host)))
        await stage.end()
    }

    @Test(arguments: [
        ("-tls1_2", "asked for a client certificate and was shown none: it sent TLS alert handshake_failure"),
        ("-tls1_3", "TLS alert certificate_required"),
    ])
    func whatIsMissingIsTold(_ version: String, _ words: String) async throws {
        let stage = try await Stage(withoutFor: version)
        _ = try await stage.rig.curl("https://\(stage.host)/")
        let failure = try #require(try await stage.rig.exchanges(atLeast: 1).first).failure
        #expect(failure?.hasPrefix("ERR_BAD_SSL_CLIENT_AUTH_CERT: ") == true, "\(failure ?? "none")")
        #expect(failure?.contains(words) == true, "\(failure ?? "none")")
        #expect(stage.rig.notices.contains(.clientCertificateMissing(host: stage.host)))
        await stage.end()
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func providerThatCanDoWithoutIsToldOfToo(_ version: String) async throws {
        let stage = try await Stage(withoutFor: version, insists: false)
        let output = try await stage.rig.curl("https://\(stage.host)/")
        #expect(output.text.contains("no client certificate available"), "\(output.text)\(output.error)")
        let exchange = try #require(try await stage.rig.exchanges(atLeast: 1).first)
        #expect(exchange.response?.status == 200 && exchange.connection.clientCertificate?.isEmpty == true)
        #expect(stage.rig.notices.contains(.clientCertificateMissing(host: stage.host)))
        await stage.end()
    }

    @Test func certificateThatIsNotAcceptedIsNamed() async throws {
        let others = try OpenSSLCertificates()
        let stage = try await Stage("-tls1_2", shows: try Self.client(others))
        _ = try await stage.rig.curl("https://\(stage.host)/")
        let failure = try #require(try await stage.rig.exchanges(atLeast: 1).first).failure ?? "none"
        #expect(failure.contains("did not accept the client certificate CN=client-7"), "\(failure)")
        #expect(!stage.rig.notices.contains(.clientCertificateMissing(host: stage.host)))
        await stage.end()
        others.remove()
    }

    @Test func providerThatDoesNotAskIsShownNothing() async throws {
        let made = try OpenSSLCertificates()
        let leaf = try made.leaf("localhost")
        let server = try OpenSSLServer(chain: leaf.chain, key: leaf.key)
        let trust = try Certificate.all(pem: Array(made.authority.utf8))
        let own = try Self.client(made)
        let rig = try await ProxyRig(adjust: {
            $0.upstreamTrust = trust
            $0.clientCertificate = { _, _ in own }
        })
        let output = try await rig.curl("https://localhost:\(server.port)/")
        #expect(output.text.contains("no client certificate available"))
        #expect(try await rig.exchanges(atLeast: 1).first?.connection.clientCertificate == nil)
        await rig.stop()
        server.stop()
        made.remove()
    }
}
