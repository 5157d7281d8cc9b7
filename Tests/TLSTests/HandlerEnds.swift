import Foundation
import LibCrypto
import NIOCore
import NIOEmbedded
import TLS
import Testing

/// A client and a server, handler to handler, without sockets.
struct HandlerEnds {
    /// In seconds since the epoch.
    static let now = Int64(Date().timeIntervalSince1970)

    /// What a channel's tail saw.
    final class Tail: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var outcomes: [HandshakeOutcome] = []
        var bytes: [UInt8] = []
        var reads = 0
        var isInputClosed = false
        var endsUnannounced = false
        var errors: [any Error] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            reads += 1
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let outcome = event as? HandshakeOutcome { outcomes.append(outcome) }
            if event as? ChannelEvent == .inputClosed { isInputClosed = true }
            if event as? TLSEnd == .unannounced { endsUnannounced = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors.append(error) }

        /// What the handshake agreed on, where it was one.
        func facts() throws -> HandshakeFacts {
            guard case .completed(let facts) = try #require(outcomes.first) else {
                throw TLSError.invalidConfiguration("\(outcomes)")
            }
            return facts
        }
    }

    let client = EmbeddedChannel()
    let server = EmbeddedChannel()
    let clientTail = Tail()
    let serverTail = Tail()

    init(
        client clientContext: TLSContext,
        name: String? = "login.example",
        offering alpn: [String] = ["http/1.1"],
        showing certificate: CertifiedKey? = nil,
        endpoint: String? = nil,
        server serverContext: TLSContext,
        protocols: ServerProtocols = ServerProtocols(accepted: "http/1.1")
    ) throws {
        try client.pipeline.syncOperations.addHandlers([
            TLSHandler(
                context: clientContext,
                configuration: .client(
                    serverName: name,
                    alpn: alpn,
                    certificate: certificate,
                    endpoint: endpoint
                )
            ),
            clientTail,
        ])
        try server.pipeline.syncOperations.addHandlers([
            TLSHandler(context: serverContext, configuration: .server(alpn: protocols)), serverTail,
        ])
        client.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        server.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 2), promise: nil)
    }

    /// Carries bytes across until both are silent, in pieces of at most `size`.
    func exchange(inPiecesOf size: Int = .max) throws {
        var isBusy = true
        while isBusy {
            isBusy = false
            for (from, to) in [(client, server), (server, client)] {
                while var bytes = try from.readOutbound(as: ByteBuffer.self) {
                    isBusy = true
                    while let piece = bytes.readSlice(length: min(size, bytes.readableBytes)),
                        piece.readableBytes > 0
                    {
                        try to.writeInbound(piece)
                    }
                }
            }
        }
    }

    func finish() {
        _ = try? client.finish(acceptAlreadyClosed: true)
        _ = try? server.finish(acceptAlreadyClosed: true)
    }

    // MARK: - Whom they are and whom they trust

    static func authority() throws -> CertificateIssuer {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let certificate = try CertificateIssuer.authority(
            commonName: "test authority",
            key: key,
            validity: .init(notBefore: now - 60, notAfter: now + 3600)
        )
        return try CertificateIssuer(certificate: certificate, key: key)
    }

    static func server(
        _ authority: CertificateIssuer,
        name: CertificateIssuer.Name = .host("login.example"),
        notAfter: Int64 = now + 3600,
        keyLog: KeyLog? = nil
    ) throws -> TLSContext {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try authority.leaf(
            for: name,
            key: key,
            validity: .init(notBefore: now - 7200, notAfter: notAfter)
        )
        return try .server(chain: [leaf], key: key, keyLog: keyLog)
    }

    static func client(
        trusting roots: [Certificate],
        verifies: Bool = true,
        keyLog: KeyLog? = nil
    ) throws -> TLSContext {
        try .client(
            .init(trustsSystemRoots: false, furtherRoots: roots, verifiesServer: verifies, keyLog: keyLog)
        )
    }
}
