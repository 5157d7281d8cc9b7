import Foundation
import LibCrypto
import NIOCore
import NIOEmbedded
import TLS
import Testing

/// Two handlers, back to back, without sockets.
struct TLSHandlerTests {
    private static let now = Int64(Date().timeIntervalSince1970)

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
    }

    struct Ends {
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
    }

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

    private func facts(_ tail: Tail) throws -> HandshakeFacts {
        #expect(tail.outcomes.count == 1)
        guard case .completed(let facts) = try #require(tail.outcomes.first) else {
            throw TLSError.invalidConfiguration("\(tail.outcomes)")
        }
        return facts
    }

    @Test(arguments: [Int.max, 1000, 1])
    func bothEndsAgreeAndBytesCross(_ size: Int) throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            offering: ["x", "http/1.1"],
            server: Self.server(authority)
        )
        try ends.exchange(inPiecesOf: size)
        for tail in [ends.clientTail, ends.serverTail] {
            let facts = try facts(tail)
            #expect(facts.version == "TLSv1.3")
            #expect(facts.alpn == "http/1.1")
            #expect(facts.cipher.hasPrefix("TLS_AES_"))
        }
        #expect(try facts(ends.clientTail).peerCertificates.first?.subject == "CN=login.example")
        let request = [UInt8](repeating: 0x61, count: 100_000)
        try ends.client.writeOutbound(ByteBuffer(bytes: request))
        try ends.exchange(inPiecesOf: size)
        #expect(ends.serverTail.bytes == request)
        try ends.server.writeOutbound(ByteBuffer(bytes: request.prefix(10)))
        try ends.exchange(inPiecesOf: size)
        #expect(ends.clientTail.bytes == Array(request.prefix(10)))
        ends.finish()
    }

    /// What came in one piece: an end and a reset of HTTP/2 in one record are more than some clients understand.
    @Test(arguments: [("h2", 3), ("http/1.1", 1)]) func recordsOfHTTP2StayApart(name: String, reads: Int)
        throws
    {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            offering: [name],
            server: Self.server(authority),
            protocols: ServerProtocols(accepted: name)
        )
        try ends.exchange()
        for piece in ["one", "two", "three"] { ends.server.write(ByteBuffer(string: piece), promise: nil) }
        ends.server.flush()
        try ends.exchange()
        #expect(ends.clientTail.reads == reads && ends.clientTail.bytes == Array("onetwothree".utf8))
        ends.finish()
    }

    @Test func whatIsWrittenBeforeTheHandshakeComesAfterIt() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        let promise = ends.client.eventLoop.makePromise(of: Void.self)
        ends.client.writeAndFlush(ByteBuffer(string: "early"), promise: promise)
        try ends.exchange()
        #expect(ends.serverTail.bytes == Array("early".utf8))
        try promise.futureResult.wait()
        ends.finish()
    }

    @Test func endOfOneDirectionIsTold() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        ends.client.close(mode: .all, promise: nil)
        try ends.exchange()
        #expect(ends.serverTail.isInputClosed && !ends.serverTail.endsUnannounced)
        #expect(ends.serverTail.errors.isEmpty)
        ends.finish()
    }

    @Test func endThatIsNotAnnouncedIsTold() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        ends.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(ends.serverTail.endsUnannounced && ends.serverTail.isInputClosed)
        // Handed on: nothing of TLS's goes out with the end.
        ends.server.triggerUserOutboundEvent(TLSEnd.unannounced, promise: nil)
        ends.server.close(mode: .all, promise: nil)
        #expect(try ends.server.readOutbound(as: ByteBuffer.self) == nil)
        ends.finish()
    }

    @Test func clientThatDoesNotTrustSendsAnAlertThatIsUnderstood() throws {
        let authority = try Self.authority()
        let stranger = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [stranger.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        guard case .failed(.certificate(let problem))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        #expect(problem.kind == .untrusted)
        #expect(problem.words == "unable to get local issuer certificate")
        #expect(problem.subject == "CN=login.example")
        #expect(problem.issuer == "CN=test authority")
        guard case .clientRejectedCertificate(.unknownCA?)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
    }

    struct Verification: Sendable {
        var name: CertificateIssuer.Name
        var asked: String
        var notAfter: Int64
        var kind: CertificateProblem.Kind?
    }

    static let verifications: [Verification] = [
        .init(name: .host("a.example"), asked: "a.example", notAfter: now + 3600, kind: nil),
        .init(name: .host("a.example"), asked: "A.EXAMPLE", notAfter: now + 3600, kind: nil),
        .init(name: .host("*.login.example"), asked: "b.login.example", notAfter: now + 3600, kind: nil),
        .init(name: .host("a.example"), asked: "b.example", notAfter: now + 3600, kind: .wrongName),
        .init(name: .host("a.example"), asked: "a.example", notAfter: now - 60, kind: .outsideValidity),
        .init(name: .address([10, 0, 0, 1]), asked: "10.0.0.1", notAfter: now + 3600, kind: nil),
        .init(name: .address([10, 0, 0, 1]), asked: "10.0.0.2", notAfter: now + 3600, kind: .wrongName),
        .init(name: .host("10.0.0.1"), asked: "10.0.0.1", notAfter: now + 3600, kind: .wrongName),
    ]

    @Test(arguments: verifications)
    func certificateIsHeldAgainstTheName(_ row: Verification) throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            name: row.asked,
            server: Self.server(authority, name: row.name, notAfter: row.notAfter)
        )
        try ends.exchange()
        switch try #require(ends.clientTail.outcomes.first) {
        case .completed: #expect(row.kind == nil)
        case .failed(.certificate(let problem)): #expect(problem.kind == row.kind)
        case let outcome: Issue.record("\(outcome)")
        }
        ends.finish()
    }

    @Test func withoutVerificationTheProblemIsReportedAndTolerated() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [], verifies: false),
            name: "other.example",
            server: Self.server(authority)
        )
        try ends.exchange()
        #expect(try facts(ends.clientTail).tolerated?.kind == .untrusted)
        ends.finish()
    }

    @Test func aTrustedLeafNeedsNoAuthority() throws {
        let authority = try Self.authority()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try authority.leaf(
            for: .host("login.example"),
            key: key,
            validity: .init(notBefore: Self.now - 60, notAfter: Self.now + 3600)
        )
        let ends = try Ends(
            client: Self.client(trusting: [leaf]),
            server: TLSContext.server(chain: [leaf], key: key)
        )
        try ends.exchange()
        _ = try facts(ends.clientTail)
        ends.finish()
    }

    @Test func breakingOffAfterTheCertificateIsARejection() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        let hello = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        try ends.server.writeInbound(hello)
        ends.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        guard case .clientRejectedCertificate(nil)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
        #expect(ends.serverTail.outcomes.count == 1)
    }

    @Test func breakingOffBeforeTheCertificateIsNone() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        var hello = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        try ends.server.writeInbound(hello.readSlice(length: 20) ?? hello)
        ends.server.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        guard case .failed(.closed)? = ends.serverTail.outcomes.first else {
            Issue.record("\(ends.serverTail.outcomes)")
            return
        }
        ends.finish()
    }

    @Test func clientWithOtherProtocolsOnlyGetsAnAlert() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            offering: ["h2"],
            server: Self.server(authority),
            protocols: ServerProtocols(accepted: "http/1.1", refusesOthers: true)
        )
        try ends.exchange()
        guard case .failed(.alertReceived(.noApplicationProtocol))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        ends.finish()
    }

    @Test func protocolsThatAreNotRefusedAreJustNotAgreed() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            offering: ["imap"],
            server: Self.server(authority),
            protocols: ServerProtocols(accepted: nil)
        )
        try ends.exchange()
        #expect(try facts(ends.clientTail).alpn == nil)
        ends.finish()
    }

    @Test func whatIsNotTLSFailsWithWords() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.client.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
        guard case .failed(.protocolError("wrong version number"))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        ends.finish()
    }

    @Test func garbageAfterTheHandshakeIsAnError() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        try ends.server.writeInbound(ByteBuffer(bytes: [23, 3, 3, 0, 32] + [UInt8](repeating: 1, count: 32)))
        #expect(ends.serverTail.errors.count == 1)
        #expect(ends.serverTail.errors.first is TLSError)
        // The other end is told; writing is over.
        #expect(throws: TLSError.self) { try ends.server.writeOutbound(ByteBuffer(string: "x")) }
        ends.finish()
    }

    /// A connection's memory, as the allocator counts it, before and after it has idled; then it goes on.
    @Test func idleConnectionGivesItsBuffersBackAndGoesOn() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        // Far less than the 16 KB that a record may hold: what was said is short.
        let held = 4096..<12_288
        func exchange() throws {
            for number in 0..<3 {
                try ends.client.writeOutbound(ByteBuffer(string: "request \(number)"))
                try ends.server.writeOutbound(ByteBuffer(string: "answer \(number)"))
                try ends.exchange()
            }
        }
        try ends.exchange()
        try exchange()
        let handlers = try [ends.client, ends.server].map {
            try $0.pipeline.syncOperations.handler(type: TLSHandler.self)
        }
        #expect(handlers.allSatisfy { held.contains($0.heldBytes) })
        for channel in [ends.client, ends.server] {
            channel.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime)
        }
        // Something came within the first second.
        try exchange()
        #expect(handlers.allSatisfy { held.contains($0.heldBytes) })
        for channel in [ends.client, ends.server] {
            channel.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime)
            channel.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime)
        }
        #expect(handlers.map(\.heldBytes) == [0, 0])
        try exchange()
        #expect(String(decoding: ends.serverTail.bytes, as: UTF8.self).hasSuffix("request 2"))
        #expect(String(decoding: ends.clientTail.bytes, as: UTF8.self).hasSuffix("answer 2"))
        #expect(ends.clientTail.errors.isEmpty && ends.serverTail.errors.isEmpty)
        ends.finish()
    }

    /// Half a record has come: nothing of it is lost.
    @Test func idlingWithinARecordLosesNothing() throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        try ends.client.writeOutbound(ByteBuffer(string: "in two pieces"))
        var record = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        let start = record.readSlice(length: 9)
        let first = try #require(start)
        try ends.server.writeInbound(first)
        ends.server.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime)
        ends.server.embeddedEventLoop.advanceTime(by: TLSHandler.idleTime)
        try ends.server.writeInbound(record)
        #expect(String(decoding: ends.serverTail.bytes, as: UTF8.self) == "in two pieces")
        ends.finish()
    }

    /// What is read into is made for what has come, and with the last bytes of a record all of it has.
    @Test(arguments: [1, 9, 1000, 16_000])
    func recordThatCameInPiecesIsReadToItsEnd(last: Int) throws {
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate]),
            server: Self.server(authority)
        )
        try ends.exchange()
        let sent = [UInt8](repeating: 65, count: 16_384)
        try ends.client.writeOutbound(ByteBuffer(bytes: sent))
        var record = try #require(try ends.client.readOutbound(as: ByteBuffer.self))
        let start = record.readSlice(length: record.readableBytes - last)
        let first = try #require(start)
        try ends.server.writeInbound(first)
        #expect(ends.serverTail.bytes.isEmpty)
        try ends.server.writeInbound(record)
        #expect(ends.serverTail.bytes.elementsEqual(sent))
        ends.finish()
    }

    @Test func keyLogHasTheSecretsOfBothEnds() throws {
        let path = NSTemporaryDirectory() + "authreel-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let keyLog = try KeyLog(path: path)
        let authority = try Self.authority()
        let ends = try Ends(
            client: Self.client(trusting: [authority.certificate], keyLog: keyLog),
            server: Self.server(authority, keyLog: keyLog)
        )
        try ends.exchange()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") }.count == 2)
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        ends.finish()
    }

    @Test func keyLogThatCannotBeWrittenIsNamed() {
        let error = #expect(throws: KeyLogError.self) { try KeyLog(path: "/no/such/folder/keys") }
        #expect(
            error?.description == "cannot write the key log /no/such/folder/keys: No such file or directory"
        )
    }
}
