import COpenSSL
import Captures
import Packets
import Testing
import Wire

/// Who is the server of a connection whose beginning is not in the capture, where the ports say the wrong one.
struct MidStreamRolesTests {
    private static func builder(clientPort: UInt16) -> PacketBuilder {
        var made = PacketBuilder()
        made.client.port = clientPort
        made.server.port = 50_000
        return made
    }

    /// A connection to the same server from its SYN to its end.
    private static let whole: [MadePacket] = {
        var made = builder(clientPort: 40_000)
        made.converse([
            (.client, Array("GET /whole HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)),
            (.server, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)),
        ])
        return made.packets
    }()

    @Test func theEndThatAnotherConnectionWasOpenedToIsTheServer() {
        var made = Self.builder(clientPort: 40_001)
        made.send(.server, "PA", 5001, 1001, "the end of an answer")
        made.send(.client, "PA", 1001, 5021, "GET /late HTTP/1.1\r\nHost: op.example\r\n\r\n")
        made.send(.server, "PA", 5021, 1041, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let read = PacketImport(Self.whole + made.packets)
        #expect(read.exchanges.map(\.request.url.path) == ["/whole", "/late"])
        #expect(read.exchanges.map(\.connection.serverAddress) == ["10.0.0.2:50000", "10.0.0.2:50000"])
        #expect(read.report.counts.lateConnections == 0)
    }

    /// What it asks next tells, where no other connection does.
    @Test func whoAsksIsTheClientWhateverWasSaidBefore() {
        var made = Self.builder(clientPort: 40_001)
        made.send(.server, "PA", 5001, 1001, "the end of an answer")
        made.send(.client, "PA", 1001, 5021, "GET /late HTTP/1.1\r\nHost: op.example\r\n\r\n")
        made.send(.server, "PA", 5021, 1041, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        made.send(.client, "RA", 1041, 5061)
        let read = PacketImport(made.packets)
        #expect(read.exchanges.map(\.request.url.path) == ["/late"])
        #expect(read.exchanges.map(\.response?.body?.text) == ["ok"])
        #expect(read.exchanges.map(\.connection.serverAddress) == ["10.0.0.2:50000"])
        #expect(read.exchanges.map(\.client.address) == ["10.0.0.1:40001"])
        #expect(read.report.counts.lateConnections == 0)
    }

    /// Records look the same on both sides: under whose keys they are tells.
    @Test(arguments: 6...9) func keysTellWhoIsTheServer(packets: Int) throws {
        var options = TLSPair.Options()
        options.versions = TLS1_3_VERSION...TLS1_3_VERSION
        let pair = try TLSPair(options)
        try pair.handshake()
        try pair.exchange(["a", "b", "c"])
        var made = Self.builder(clientPort: 40_001)
        made.converse(pair.wire)
        // From an answer on, or a request; behind the last one are the three packets of the end.
        let read = PacketImport(Array(made.packets.suffix(packets)), keyLog: pair.keyLog)
        let paths = ["a", "b", "c"].suffix((packets - 3) / 2)
        #expect(read.exchanges.map(\.request.url.path) == paths.map { "/\($0)" })
        #expect(read.exchanges.map(\.response?.body?.text) == Array(paths))
        #expect(read.exchanges.allSatisfy { $0.connection.serverAddress == "10.0.0.2:50000" })
        #expect(read.exchanges.allSatisfy { $0.client.address == "10.0.0.1:40001" && $0.failure == nil })
        #expect(read.report.counts.unreadConnections == 0 && read.report.losses.isEmpty)
    }

    /// Whichever of the two is there first, with the head of a request or of an answer.
    @Test(arguments: [Side.client, .server]) func headsOfHTTP2TellWhoIsTheServer(first: Side) {
        func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
        }
        // 200; `GET` with `http`, a host and a path; each ends its stream.
        let earlier = frame(1, 5, 1, [0x88])
        let fields: [UInt8] = [0x82, 0x86, 0x01, 2] + Array("op".utf8) + [0x04, 5] + Array("/late".utf8)
        let asked = frame(1, 5, 3, fields)
        var made = Self.builder(clientPort: 40_001)
        if first == .server { made.send(.server, "PA", 5001 - UInt32(earlier.count), 1001, earlier) }
        made.send(.client, "PA", 1001, 5001, asked)
        made.send(.server, "PA", 5001, 1001 + UInt32(asked.count), frame(1, 5, 3, [0x88]))
        let read = PacketImport(made.packets)
        #expect(read.exchanges.map(\.request.url.text) == ["http://op/late"])
        #expect(read.exchanges.map(\.response?.status) == [200])
        #expect(read.exchanges.map(\.connection.serverAddress) == ["10.0.0.2:50000"])
    }

    /// Nothing of it can be read, so that what comes behind it may tell as well.
    @Test(arguments: ["before", "after", "never"]) func anUnreadConnectionHasItsEndsInPlace(other: String)
        throws
    {
        var made = Self.builder(clientPort: 40_001)
        let record = [0x17, 3, 3, 0, 20] + [UInt8](repeating: 7, count: 20)
        made.send(.server, "PA", 5001, 1001, record + record)
        made.send(.client, "PA", 1001, 5051, record)
        let read =
            switch other {
            case "before": PacketImport(Self.whole + made.packets)
            case "after": PacketImport(made.packets + Self.whole)
            default: PacketImport(made.packets)
            }
        let ends = ["10.0.0.1:40001", "10.0.0.2:50000"]
        let (client, server) = other == "never" ? (ends[1], ends[0]) : (ends[0], ends[1])
        let exchange = try #require(read.exchanges.first { $0.tunnel.reason == .notWhole })
        #expect(exchange.client.address == client)
        #expect(exchange.connection.serverAddress == server)
        #expect(exchange.request.url.text == "https://\(server)/")
        #expect(exchange.tunnel.sentBytes == (other == "never" ? 50 : 25))
        #expect(exchange.tunnel.receivedBytes == (other == "never" ? 25 : 50))
        #expect(read.report.losses.map(\.what).allSatisfy { $0.contains("\(client) to \(server): ") })
        #expect(read.report.losses.count == 1)
    }
}
