import Captures
import Packets
import Testing
import Wire

/// Connections that one end breaks off while it shakes hands.
struct RefusedHandshakeTests {
    private struct Refused {
        var packets: [MadePacket]
        var keyLog: [UInt8]

        init(_ options: TLSPair.Options) throws {
            let pair = try TLSPair(options)
            #expect(throws: TLSPair.Failure.self) {
                try pair.handshake()
                // With TLS 1.3 a client is done before the server has looked at its certificate.
                try pair.send(Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
            }
            var made = PacketBuilder()
            made.converse(pair.wire)
            packets = made.packets
            keyLog = pair.keyLog
        }
    }

    @Test(arguments: [0x0303, 0x0304] as [Int32], [true, false])
    func clientThatTrustsNobodyIsAFailedExchange(version: Int32, hasKeys: Bool) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        options.serverName = "op.example"
        options.rejectsServer = true
        let refused = try Refused(options)
        let read = PacketImport(refused.packets, keyLog: hasKeys ? refused.keyLog : [])
        let exchange = try #require(read.exchanges.first)
        #expect(read.exchanges.count == 1)
        // Behind its ServerHello a server of TLS 1.3 is encrypted; its client has no need of that to say that it goes.
        #expect(exchange.failure == "certificate verify failed: the client sent the TLS alert unknown_ca")
        #expect(exchange.request.url.host == "op.example")
        #expect(read.report.losses.isEmpty && read.report.counts.unreadConnections == 0)
    }

    @Test(arguments: [0x0303, 0x0304] as [Int32])
    func serverThatMissesACertificateIsAFailedExchange(version: Int32) throws {
        var options = TLSPair.Options()
        options.versions = version...version
        options.serverName = "op.example"
        options.requiresCertificate = true
        let refused = try Refused(options)
        let read = PacketImport(refused.packets, keyLog: refused.keyLog)
        let failures = read.exchanges.compactMap(\.failure)
        #expect(failures.count == 1 && read.exchanges.count == 1, "\(failures)")
        #expect(
            failures.first?.contains(version == 0x0303 ? "handshake_failure" : "certificate_required")
                == true,
            "\(failures)"
        )
    }

    /// What a client does that has no cipher to offer: its hello is in no capture.
    @Test func clientThatBreaksOffInThePlaceOfItsHelloHasSentNone() {
        var made = PacketBuilder()
        made.converse([(.client, [0x15, 3, 3, 0, 2, 2, 80]), (.server, [0x15, 3, 3, 0, 2, 2, 10])])
        let read = PacketImport(made.packets)
        #expect(
            read.exchanges.map(\.failure) == [
                "TLS handshake failed: the client sent the TLS alert internal_error"
            ]
        )
        #expect(read.report.losses.isEmpty)
    }

    /// An https URL with the port on which the server speaks http, as of a container.
    @Test(arguments: [1000, 1, 5]) func aServerThatAnswersInClearIsAFailedExchange(inPiecesOf size: Int)
        throws
    {
        var options = TLSPair.Options()
        options.serverName = "op.example"
        let pair = try TLSPair(options)
        try pair.handshake()
        let answer = Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8)
        var words: [(side: Side, bytes: [UInt8])] = []
        for (side, bytes) in [pair.wire[0], (side: .server, bytes: answer)] {
            for start in stride(from: 0, to: bytes.count, by: size) {
                words.append((side, Array(bytes[start...].prefix(size))))
            }
        }
        var made = PacketBuilder()
        made.converse(words + [(.client, [0x15, 3, 1, 0, 2, 2, 70])])
        let read = PacketImport(made.packets)
        #expect(
            read.exchanges.map(\.failure) == [
                "server TLS handshake failed: the server answered in clear (HTTP/1.1 400 Bad Request)"
            ]
        )
        #expect(read.exchanges.map(\.request.url.text) == ["https://op.example/"])
        #expect(read.report.losses.isEmpty && read.report.counts.unreadConnections == 0)
    }

    @Test func connectionsBeforeItAreRead() throws {
        let good = try TLSPair(TLSPair.Options())
        try good.handshake()
        try good.send(Array("GET / HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8), from: .client)
        try good.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8), from: .server)
        var options = TLSPair.Options()
        options.rejectsServer = true
        let refused = try TLSPair(options)
        #expect(throws: TLSPair.Failure.self) { try refused.handshake() }
        var made = PacketBuilder()
        made.converse(good.wire)
        made.client.port += 1
        made.converse(refused.wire)
        let read = PacketImport(made.packets, keyLog: good.keyLog + refused.keyLog)
        #expect(read.exchanges.map { $0.response?.status ?? 0 } == [200, 0])
    }
}
