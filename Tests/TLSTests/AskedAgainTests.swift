import COpenSSL
import Foundation
import LibCrypto
import NIOCore
import NIOEmbedded
import Testing

@testable import TLS

/// A server that wants a certificate once it has seen what is asked for, as Apache and IIS do for a part of a site: by another
/// handshake within the connection (TLS 1.2), or by asking behind it (TLS 1.3).
struct AskedAgainTests {
    /// OpenSSL itself, as a server on two buffers.
    private final class Server {
        private let context: OpaquePointer
        private let ssl: OpaquePointer
        private let input = BIO_new(BIO_s_mem())
        private let output = BIO_new(BIO_s_mem())

        init(key: PrivateKey, certificate: Certificate, version: CInt) throws {
            context = try #require(SSL_CTX_new(TLS_server_method()))
            ssl = try #require(SSL_new(context))
            #expect(SSL_use_certificate(ssl, certificate.pointer) == 1)
            #expect(SSL_use_PrivateKey(ssl, key.pointer) == 1)
            // SSL_set_max_proto_version is a macro.
            #expect(SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil) == 1)
            SSL_set_session_id_context(ssl, [1], 1)
            // As Apache has it: a session that is taken up again shows nothing (SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION).
            SSL_set_options(ssl, 1 << 16)
            SSL_set_bio(ssl, input, output)
            SSL_set_accept_state(ssl)
        }

        deinit {
            SSL_free(ssl)
            SSL_CTX_free(context)
        }

        func take(_ bytes: ByteBuffer) {
            let view = Array(bytes.readableBytesView)
            BIO_write(input, view, Int32(view.count))
        }

        var outgoing: ByteBuffer? {
            var bytes = [UInt8](repeating: 0, count: 100_000)
            let count = BIO_read(output, &bytes, Int32(bytes.count))
            return count > 0 ? ByteBuffer(bytes: bytes.prefix(Int(count))) : nil
        }

        func handshake() { SSL_do_handshake(ssl) }

        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 100_000)
            let count = SSL_read(ssl, &bytes, Int32(bytes.count))
            return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
        }

        func write(_ text: String) { #expect(SSL_write(ssl, text, Int32(text.utf8.count)) > 0) }

        func askForCertificate() {
            SSL_set_verify(ssl, SSL_VERIFY_PEER) { _, _ in 1 }
            if SSL_version(ssl) == TLS1_3_VERSION {
                #expect(SSL_verify_client_post_handshake(ssl) == 1)
            } else {
                #expect(SSL_renegotiate(ssl) == 1)
            }
            SSL_do_handshake(ssl)
        }

        var shown: String? {
            guard let pointer = ar_tls_peer_certificate(ssl) else { return nil }
            return Certificate(owning: pointer).subject
        }
    }

    /// What is told behind the handshake.
    private final class Late: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var shown: [String?] = []
        private(set) var writing: [TLSWriting] = []

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event {
            case let late as LateClientCertificate: shown.append(late.shown?.subject)
            case let writing as TLSWriting: self.writing.append(writing)
            default: context.fireUserInboundEventTriggered(event)
            }
        }
    }

    private struct Pair {
        let client = EmbeddedChannel()
        let tail = HandlerEnds.Tail()
        let late = Late()
        let server: Server

        init(version: CInt, showing certificate: CertifiedKey?) throws {
            let authority = try HandlerEnds.authority()
            let key = try PrivateKey.generate(.elliptic(.p256))
            let now = Int64(Date().timeIntervalSince1970)
            let leaf = try authority.leaf(
                for: .host("login.example"),
                key: key,
                validity: .init(notBefore: now - 60, notAfter: now + 3600)
            )
            server = try Server(key: key, certificate: leaf, version: version)
            try client.pipeline.syncOperations.addHandlers([
                TLSHandler(
                    context: HandlerEnds.client(trusting: [authority.certificate]),
                    configuration: .client(
                        serverName: "login.example",
                        alpn: [],
                        certificate: certificate,
                        endpoint: nil
                    )
                ),
                late,
                tail,
            ])
            client.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            for _ in 0..<3 {
                try carry()
                server.handshake()
            }
            try carry()
            guard case .completed? = tail.outcomes.first else {
                throw TLSError.invalidConfiguration("\(tail.outcomes)")
            }
        }

        func carry() throws {
            while let bytes = try client.readOutbound(as: ByteBuffer.self) { server.take(bytes) }
            while let bytes = server.outgoing { try client.writeInbound(bytes) }
        }
    }

    private static func clientCertificate() throws -> CertifiedKey {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let now = Int64(Date().timeIntervalSince1970)
        let certificate = try CertificateIssuer.authority(
            commonName: "a client",
            key: key,
            validity: .init(notBefore: now - 60, notAfter: now + 3600)
        )
        return try CertifiedKey(key: key, certificates: [certificate])
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func certificateIsShownOnceItIsAskedFor(version: CInt) throws {
        let pair = try Pair(version: version, showing: Self.clientCertificate())
        try pair.client.writeOutbound(ByteBuffer(string: "GET /private"))
        try pair.carry()
        #expect(pair.server.read() == "GET /private" && pair.server.shown == nil)
        pair.server.askForCertificate()
        try pair.carry()
        // Sent in the middle of the handshake, and part of nothing that is lost.
        try pair.client.writeOutbound(ByteBuffer(string: "more"))
        var read = ""
        for _ in 0..<8 {
            try pair.carry()
            read += pair.server.read()
        }
        #expect(pair.server.shown == "CN=a client" && read == "more")
        #expect(pair.late.shown == ["CN=a client"])
        pair.server.write("200 OK")
        try pair.carry()
        #expect(String(decoding: pair.tail.bytes, as: UTF8.self) == "200 OK" && pair.tail.errors.isEmpty)
        _ = try? pair.client.finish(acceptAlreadyClosed: true)
    }

    /// A server that would do without one goes on.
    @Test func nothingIsShownWhereThereIsNothing() throws {
        let pair = try Pair(version: TLS1_2_VERSION, showing: nil)
        pair.server.askForCertificate()
        for _ in 0..<4 {
            try pair.carry()
            _ = pair.server.read()
        }
        pair.server.write("200 OK")
        try pair.carry()
        #expect(String(decoding: pair.tail.bytes, as: UTF8.self) == "200 OK" && pair.server.shown == nil)
        #expect(pair.late.shown == [nil])
        _ = try? pair.client.finish(acceptAlreadyClosed: true)
    }

    /// While the server's other handshake is under way what is written waits: its writer is told to, and who goes on all the
    /// same is not waited for without end.
    @Test func whatWaitsForAHandshakeIsBounded() throws {
        let pair = try Pair(version: TLS1_2_VERSION, showing: nil)
        pair.server.askForCertificate()
        // The client's answer does not arrive.
        while let bytes = pair.server.outgoing { try pair.client.writeInbound(bytes) }
        let piece = ByteBuffer(repeating: 0x78, count: 1 << 20)
        for _ in 0..<16 { pair.client.write(piece, promise: nil) }
        #expect(pair.late.writing == [.waits] && pair.tail.errors.isEmpty)
        pair.client.write(piece, promise: nil)
        #expect(pair.tail.errors.count == 1)
        _ = try? pair.client.finish(acceptAlreadyClosed: true)
    }
}
