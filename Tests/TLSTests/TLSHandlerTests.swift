import Foundation
import LibCrypto
import NIOCore
import NIOEmbedded
import TLS
import Testing

/// Two handlers, back to back, without sockets.
struct TLSHandlerTests {
    private typealias Ends = HandlerEnds

    @Test(arguments: [Int.max, 1000, 1])
    func bothEndsAgreeAndBytesCross(_ size: Int) throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            offering: ["x", "http/1.1"],
            server: Ends.server(authority)
        )
        try ends.exchange(inPiecesOf: size)
        for tail in [ends.clientTail, ends.serverTail] {
            #expect(tail.outcomes.count == 1)
            let facts = try tail.facts()
            #expect(facts.version == "TLSv1.3")
            #expect(facts.alpn == "http/1.1")
            #expect(facts.cipher.hasPrefix("TLS_AES_"))
        }
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            offering: [name],
            server: Ends.server(authority),
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
        )
        let promise = ends.client.eventLoop.makePromise(of: Void.self)
        ends.client.writeAndFlush(ByteBuffer(string: "early"), promise: promise)
        try ends.exchange()
        #expect(ends.serverTail.bytes == Array("early".utf8))
        try promise.futureResult.wait()
        ends.finish()
    }

    @Test func endOfOneDirectionIsTold() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
        )
        try ends.exchange()
        ends.client.close(mode: .all, promise: nil)
        try ends.exchange()
        #expect(ends.serverTail.isInputClosed && !ends.serverTail.endsUnannounced)
        #expect(ends.serverTail.errors.isEmpty)
        ends.finish()
    }

    @Test func endThatIsNotAnnouncedIsTold() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
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

    @Test func clientWithOtherProtocolsOnlyGetsAnAlert() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            offering: ["h2"],
            server: Ends.server(authority),
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            offering: ["imap"],
            server: Ends.server(authority),
            protocols: ServerProtocols(accepted: nil)
        )
        try ends.exchange()
        #expect(try ends.clientTail.facts().alpn == nil)
        ends.finish()
    }

    @Test func whatIsNotTLSFailsWithWords() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
        )
        try ends.client.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
        guard case .failed(.protocolError("wrong version number"))? = ends.clientTail.outcomes.first else {
            Issue.record("\(ends.clientTail.outcomes)")
            return
        }
        ends.finish()
    }

    @Test func garbageAfterTheHandshakeIsAnError() throws {
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate]),
            server: Ends.server(authority)
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
        let authority = try Ends.authority()
        let ends = try Ends(
            client: Ends.client(trusting: [authority.certificate], keyLog: keyLog),
            server: Ends.server(authority, keyLog: keyLog)
        )
        try ends.exchange()
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") }.count == 2)
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        ends.finish()
    }

    /// Somebody's program or capture, named by mistake, gets no lines of keys.
    @Test(arguments: [
        ("", true), ("# keys\n", true), ("CLIENT_RANDOM 0a1B ff00\n", true),
        ("# keys\nRSA 0a1b ff00\n", true), ("RSA Session-ID:0a Master-Key:ff\n", true),
        (" \r\n\t# keys\n", true),
        ("import http\n", false), ("# notes\nRemember the milk\n", false), ("{\"log\":{\"entries\":[", false),
    ])
    func onlyAKeyLogIsAppendedTo(contents: String, isTaken: Bool) throws {
        let path = NSTemporaryDirectory() + "authreel-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
        let error: KeyLogError?
        do throws(KeyLogError) {
            _ = try KeyLog(path: path)
            error = nil
        } catch let refusal { error = refusal }
        #expect((error == nil) == isTaken)
        #expect(isTaken || error?.description.hasSuffix("which is not appended to") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
    }

    @Test func keyLogThatCannotBeWrittenIsNamed() {
        let error = #expect(throws: KeyLogError.self) { try KeyLog(path: "/no/such/folder/keys") }
        #expect(
            error?.description == "cannot write the key log /no/such/folder/keys: No such file or directory"
        )
    }
}
