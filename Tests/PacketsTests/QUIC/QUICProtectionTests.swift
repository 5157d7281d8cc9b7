import JSON
@testable import Packets
import TestSupport
import Testing
import Wire

/// The protection of QUIC's packets, by the vectors of RFC 9001 and 9369 (appendices A of both).
struct QUICProtectionTests {
    private struct Opened: Equatable {
        var number: Int
        var payload: [UInt8]
    }

    /// A client's Initial of each version, and the ClientHello in all of them.
    private static func initials() throws -> (id: [UInt8], hello: [UInt8], packets: [(QUICVersion, [UInt8])])
    {
        let vector = try Vectors.named("rfc9001-a.2")
        let packets = try (vector["packets"]?.array ?? []).map { packet in
            let number = try #require(UInt32(packet["version"]?.string ?? "", radix: 16))
            let bytes = [UInt8](hex: try #require(packet["packet"]?.string))
            return (try #require(QUICVersion.of(number)), bytes)
        }
        #expect(packets.count == 2)
        return (
            [UInt8](hex: try #require(vector["connection_id"]?.string)),
            [UInt8](hex: try #require(vector["client_hello"]?.string)), packets
        )
    }

    private static func open(_ keys: QUICProtection?, _ datagram: [UInt8], idSize: Int = 0, largest: Int = -1)
        -> Opened?
    {
        guard let keys, let packet = QUICPacket(datagram, at: 0, idSize: idSize),
            let header = keys.header(of: packet)
        else { return nil }
        let number = QUICProtection.number(header.number, size: header.numberSize, largest: largest)
        return keys.open(packet, header, number: number).map {
            Opened(number: number, payload: $0)
        }
    }

    private static func crypto(_ payload: [UInt8]) -> [UInt8]? {
        var frames = QUICFrameReader(payload)
        while let frame = frames.next() {
            if case .crypto(0, let bytes) = frame { return Array(bytes) }
        }
        return nil
    }

    @Test func initialPacketsOfBothVersionsAreOpened() throws {
        let (id, hello, packets) = try Self.initials()
        for (version, bytes) in packets {
            let packet = try #require(QUICPacket(bytes, at: 0, idSize: 0))
            #expect(packet.kind == .initial && packet.end == 1200 && Array(packet.destination) == id)
            #expect(QUICConnection.begins(with: packet) == version)
            let opened = Self.open(QUICProtection.initial(id[...], version, from: .client), bytes)
            #expect(opened.flatMap { Self.crypto($0.payload) } == hello)
            // The keys of the other side are others.
            #expect(Self.open(QUICProtection.initial(id[...], version, from: .server), bytes) == nil)
        }
    }

    @Test func serversInitialPacketIsOpened() throws {
        let vector = try Vectors.named("rfc9001-a")
        let id = [UInt8](hex: try #require(vector["connection_id"]?.string))
        let bytes = [UInt8](hex: try #require(vector["server_initial"]?.string))
        let opened = Self.open(QUICProtection.initial(id[...], QUICVersion.all[0], from: .server), bytes)
        #expect(opened?.number == vector["server_number"]?.int.map { Int($0) })
        let hello = opened.flatMap { Self.crypto($0.payload) }
        #expect(
            hello?.first == 2 && hello.flatMap { TLSServerHello(Array($0.dropFirst(4))) }?.suite == 0x1301
        )
    }

    @Test func packetWithChaCha20IsOpened() throws {
        let vector = try #require(try Vectors.named("rfc9001-a")["chacha20"])
        func bytes(_ name: String) throws -> [UInt8] { [UInt8](hex: try #require(vector[name]?.string)) }
        let number = Int(try #require(vector["number"]?.int))
        let keys = try #require(
            QUICProtection(TLSCipherSuite(0x1303), secret: bytes("secret"), QUICVersion.all[0])
        )
        let opened = Self.open(keys, try bytes("packet"), largest: number - 1)
        #expect(opened == Opened(number: number, payload: try bytes("payload")))
    }

    @Test func whatWasChangedOrCutIsNotOpened() throws {
        let (id, _, packets) = try Self.initials()
        for (version, bytes) in packets {
            let keys = QUICProtection.initial(id[...], version, from: .client)
            for index in stride(from: 0, to: bytes.count, by: 7) {
                var changed = bytes
                changed[index] ^= 0x10
                #expect(Self.open(keys, changed) == nil, "\(index)")
                #expect(Self.open(keys, Array(bytes[..<index])) == nil)
            }
        }
    }

    /// RFC 9000, appendix A.3, and what surrounds it.
    @Test func numbersAreCompletedByThoseThatCameBefore() {
        #expect(QUICProtection.number(0x9b32, size: 2, largest: 0xa82f_30ea) == 0xa82f_9b32)
        #expect(QUICProtection.number(0, size: 1, largest: -1) == 0)
        #expect(QUICProtection.number(0xff, size: 1, largest: 0x100) == 0xff)
        #expect(QUICProtection.number(0x02, size: 1, largest: 0xfe) == 0x102)
        for largest in [0, 5, 1000, 70_000, 1 << 40] {
            for number in max(0, largest - 60)...(largest + 100) {
                #expect(QUICProtection.number(number & 0xff, size: 1, largest: largest) == number)
            }
        }
    }
}
