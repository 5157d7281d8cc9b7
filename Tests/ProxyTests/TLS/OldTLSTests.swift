import Captures
import Foundation
import LibCrypto
import Proxy
import TestSupport
import Testing

/// Old versions and ciphers of TLS on either side, against OpenSSL's own ends.
@Suite(.timeLimit(.minutes(2)))
struct OldTLSTests {
    private static func leaf(_ kind: PrivateKey.Kind) throws -> (chain: String, key: String) {
        let key = try PrivateKey.generate(kind)
        let now = ProxyRig.now().seconds
        let leaf = try ProxyRig.originAuthority().leaf(
            for: .host("localhost"),
            key: key,
            validity: .init(notBefore: now - 60, notAfter: now + 3600)
        )
        return (leaf.pem, key.pem)
    }

    /// What a provider agrees to, and what is recorded of it then.
    struct Provider: Sendable, CustomTestStringConvertible {
        var version: String
        var cipher: String
        var signatures: String?
        var recorded: String
        var recordedCipher: String

        var testDescription: String { "\(recorded) \(cipher)" }
    }

    static let providers: [Provider] = [
        .init(
            version: "-tls1",
            cipher: "ECDHE-RSA-AES128-SHA",
            recorded: "TLSv1",
            recordedCipher: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
        ),
        .init(
            version: "-tls1",
            cipher: "AES256-SHA",
            recorded: "TLSv1",
            recordedCipher: "TLS_RSA_WITH_AES_256_CBC_SHA"
        ),
        .init(
            version: "-tls1_1",
            cipher: "ECDHE-RSA-AES256-SHA",
            recorded: "TLSv1.1",
            recordedCipher: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"
        ),
        .init(
            version: "-tls1_2",
            cipher: "AES128-SHA",
            recorded: "TLSv1.2",
            recordedCipher: "TLS_RSA_WITH_AES_128_CBC_SHA"
        ),
        .init(
            version: "-tls1_2",
            cipher: "ECDHE-RSA-AES128-SHA",
            signatures: "RSA+SHA1",
            recorded: "TLSv1.2",
            recordedCipher: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
        ),
    ]

    @Test(arguments: providers) func providerOfOldIsRecorded(_ provider: Provider) async throws {
        let (chain, key) = try Self.leaf(.rsa(bits: 2048))
        let server = try OpenSSLServer(
            chain: chain,
            key: key,
            options: [provider.version, "-cipher", provider.cipher + ":@SECLEVEL=0"]
                + (provider.signatures.map { ["-sigalgs", $0] } ?? [])
        )
        let rig = try await ProxyRig()
        let output = try await rig.curl("https://localhost:\(server.port)/")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(output.status == 0 && exchange.response?.status == 200, "\(output.error)")
        #expect(exchange.connection.serverTLSVersion == provider.recorded)
        #expect(exchange.connection.cipher == provider.recordedCipher)
        await rig.stop()
        server.stop()
    }

    /// Its own side stays as it is: a provider with a key on a curve.
    @Test(arguments: ["ECDHE-RSA-AES128-GCM-SHA256", "AES128-SHA"])
    func clientThatTakesRSAOnlyIsRecorded(cipher: String) async throws {
        let (chain, key) = try Self.leaf(.elliptic(.p256))
        let server = try OpenSSLServer(chain: chain, key: key, options: [])
        let rig = try await ProxyRig()
        let arguments = ["--tls-max", "1.2", "--ciphers", cipher, "https://localhost:\(server.port)/"]
        for count in 1...2 {
            let output = try await rig.curl(arguments)
            #expect(output.status == 0, "\(output.error)")
            #expect(try await rig.exchanges(atLeast: count).last?.response?.status == 200)
        }
        await rig.stop()
        server.stop()
    }

    @Test func certificateOfAnOldProviderIsVerifiedAllTheSame() async throws {
        let (chain, key) = try Self.leaf(.rsa(bits: 2048))
        let server = try OpenSSLServer(
            chain: chain,
            key: key,
            options: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"]
        )
        let rig = try await ProxyRig(adjust: { $0.upstreamTrust = [] })
        let output = try await rig.curl("https://localhost:\(server.port)/")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(output.text.contains("localhost") && exchange.response == nil)
        #expect(
            exchange.failure?.hasPrefix("ERR_CERT_AUTHORITY_INVALID") == true,
            "\(exchange.failure ?? "")"
        )
        await rig.stop()
        server.stop()
    }

    @Test func shortKeyOfAProviderIsNotAccepted() async throws {
        let (chain, key) = try Self.leaf(.rsa(bits: 768))
        let server = try OpenSSLServer(
            chain: chain,
            key: key,
            options: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"]
        )
        let rig = try await ProxyRig()
        _ = try await rig.curl("https://localhost:\(server.port)/")
        let failure = try #require(try await rig.exchanges(atLeast: 1).first).failure
        #expect(failure?.contains("key too weak") == true, "\(failure ?? "none")")
        await rig.stop()
        server.stop()
    }

    @Test(arguments: ["-sha1", "-sha256"])
    func certificateSignedWithSHA1IsNotAccepted(_ digest: String) async throws {
        let made = try OpenSSLCertificates()
        defer { made.remove() }
        let leaf = try made.leaf("localhost", digest: digest)
        let server = try OpenSSLServer(
            chain: leaf.chain,
            key: leaf.key,
            options: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]
        )
        let authority = try Certificate.all(pem: Array(made.authority.utf8))
        let rig = try await ProxyRig(adjust: { $0.upstreamTrust = authority })
        _ = try await rig.curl("https://localhost:\(server.port)/")
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        if digest == "-sha1" {
            #expect(
                exchange.failure?.contains("digest algorithm too weak") == true,
                "\(exchange.failure ?? "")"
            )
        } else {
            #expect(exchange.response?.status == 200, "\(exchange.failure ?? "")")
        }
        await rig.stop()
        server.stop()
    }

    @Test(arguments: [("1.0", "TLSv1"), ("1.1", "TLSv1.1"), ("1.2", "TLSv1.2"), ("1.3", "TLSv1.3")])
    func clientOfOldIsRecorded(_ version: String, _ recorded: String) async throws {
        let origin = try await LoopbackOrigin(tls: try ProxyRig.originTLS()) { _ in
            .send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        }
        let rig = try await ProxyRig()
        let output = try await rig.curl(
            "--tlsv1.0",
            "--tls-max",
            version,
            "--ciphers",
            "DEFAULT:@SECLEVEL=0",
            "https://localhost:\(origin.port)/"
        )
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(output.status == 0 && exchange.response?.status == 204, "\(output.error)")
        #expect(exchange.connection.clientTLSVersion == recorded)
        #expect(exchange.connection.serverTLSVersion == "TLSv1.3")
        await rig.stop()
        try await origin.stop()
    }
}
