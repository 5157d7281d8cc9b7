import Captures
import Packets
import Testing
import Wire

/// What clients say through a proxy that speaks HTTP/2: each stream that becomes a tunnel (CONNECT, RFC 9113, section 8.5) is a connection
/// of its own.
struct StreamTunnelTests {
    private static func frame(_ type: UInt8, flags: UInt8 = 0, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8]
    {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream] + payload
    }

    private static func data(_ stream: UInt8, _ text: String, ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream, Array(text.utf8))
    }

    private static func connect(_ stream: UInt8, _ authority: String) -> [UInt8] {
        let fields = [0x02, 7] + Array("CONNECT".utf8) + [0x01, UInt8(authority.utf8.count)]
        return frame(1, flags: 4, stream, fields + Array(authority.utf8))
    }

    /// `:status` 200, by the static table.
    private static func connected(_ stream: UInt8) -> [UInt8] { frame(1, flags: 4, stream, [0x88]) }

    private static let settings = frame(4, 0, [])
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings

    private static func request(_ path: String, _ host: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }

    /// A connection with a proxy that has connected its client with these, on streams 1, 3 and so on.
    private static func script(_ authorities: [String]) -> ConnectionScript {
        var script = ConnectionScript()
        script.open(port: 3128)
        script.send(preface, .client)
        script.send(settings, .server)
        for (index, authority) in authorities.enumerated() {
            script.send(connect(UInt8(2 * index + 1), authority), .client)
            script.send(connected(UInt8(2 * index + 1)), .server)
        }
        return script
    }

    @Test func severalAtATimeAreRead() {
        var script = Self.script(["op.example:80", "app.example:8080"])
        script.send(
            Self.data(1, Self.request("/one", "op.example"))
                + Self.data(3, Self.request("/two", "app.example:8080")),
            .client
        )
        script.send(Self.data(3, ConnectionScript.answer), .server)
        script.send(Self.data(1, ConnectionScript.answer), .server)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(
            exchanges.map(\.request.url.text) == ["http://app.example:8080/two", "http://op.example/one"]
        )
        #expect(exchanges.map(\.connection.id) == ["1.3", "1.1"])
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })
        #expect(script.exchanges.report.losses.isEmpty)
    }

    @Test func tlsInThemIsDeciphered() throws {
        let pair = try TLSPair(TLSPair.Options())
        try pair.handshake()
        try pair.send(Array(Self.request("/authorize", "op.example").utf8), from: .client)
        try pair.send(Array(ConnectionScript.answer.utf8), from: .server)
        for hasKeys in [true, false] {
            var script = Self.script(["op.example:443"])
            if hasKeys { script.exchanges.add(keyLog: pair.keyLog) }
            for (side, bytes) in pair.wire { script.send(Self.frame(0, 1, bytes), side) }
            script.close()
            let exchanges = script.exchanges.takeFinished()
            #expect(exchanges.map(\.request.method) == [hasKeys ? "GET" : "CONNECT"])
            #expect(exchanges.map(\.request.url.host) == ["op.example"])
            #expect(exchanges.map(\.tunnel.reason) == [hasKeys ? nil : .noKeys])
        }
    }

    @Test func endsWithItsStream() {
        var script = Self.script(["op.example:80", "op.example:80"])
        script.send(Self.data(1, Self.request("/one", "op.example")), .client)
        script.send(Self.data(1, "HTTP/1.1 200 OK\r\n\r\nok", ends: true), .server)
        #expect(script.exchanges.takeFinished().map(\.response?.body?.text) == ["ok"])
        script.send(Self.data(3, Self.request("/two", "op.example")), .client)
        // RST_STREAM with CONNECT_ERROR.
        script.send(Self.frame(3, 3, [0, 0, 0, 10]), .server)
        #expect(script.exchanges.takeFinished().map(\.failure) == ["connection reset by the server"])
        script.close()
        #expect(script.exchanges.takeFinished().isEmpty)
    }

    @Test func missingBytesCostNoMoreThanTheyHaveTo() {
        var script = Self.script(["op.example:80"])
        script.send(Self.data(1, Self.request("/one", "op.example")), .client)
        let answer = Self.data(
            1,
            "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n" + String(repeating: "x", count: 50)
        )
        script.send(Array(answer.dropLast(30)), .server)
        script.lost(30, .server)
        script.send(Self.data(1, Self.request("/two", "op.example")), .client)
        script.send(Self.data(1, ConnectionScript.answer), .server)
        #expect(script.exchanges.takeFinished().map(\.response?.status) == [200, 200])
        // Of which stream these are is not known.
        script.send(Self.data(1, Self.request("/three", "op.example")), .client)
        script.lost(500, .server)
        script.send(Self.data(1, ConnectionScript.answer), .server)
        script.close()
        let failed = script.exchanges.takeFinished()
        #expect(failed.map(\.request.url.path) == ["/three"] && failed.allSatisfy { $0.response == nil })
    }

    @Test func oneThatNothingIsSaidInIsAFailedExchange() {
        var script = Self.script(["op.example:443"])
        script.close()
        #expect(
            script.exchanges.takeFinished().map(\.failure) == [
                "connection closed by the server before anything was said in the proxy's tunnel"
            ]
        )
    }

    /// More than servers allow are not followed, which is told.
    @Test func areFollowedUpToANumber() {
        var script = Self.script([])
        for number in 0..<300 {
            let (high, low) = (UInt8((2 * number + 1) >> 8), UInt8((2 * number + 1) & 0xff))
            for (frame, side) in [
                (Self.connect(0, "op.example:80"), Side.client), (Self.connected(0), .server),
            ] {
                script.send(Array(frame[..<7]) + [high, low] + frame[9...], side)
            }
        }
        #expect(script.exchanges.takeFinished().map(\.upgradedTo) == Array(repeating: "tunnel", count: 44))
        #expect(
            script.exchanges.report.losses.map(\.what) == [
                "connection 1, 10.0.0.1:50000 to 10.0.0.2:3128: what goes through a tunnel in it (CONNECT) is not read"
            ]
        )
    }
}
