import Captures
import Packets
import TestSupport
import Testing
import Wire

/// Packets inside of packets.
struct PacketsInPacketsTests {
    /// A packet of a tunnel: the protocol of the outer IP header, and what stands behind that.
    struct Carrier: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var protocolNumber: UInt8
        var bytes: [UInt8]
    }

    private static let version4 = PacketBuilder.version4([10, 0, 0, 1], [10, 0, 0, 2], 6, ask)
    private static let version6 = PacketBuilder.version6(
        [UInt8](repeating: 0xfd, count: 15) + [1],
        [UInt8](repeating: 0xfd, count: 15) + [2],
        6,
        ask
    )
    private static let ask = PacketBuilder.segment(from: 50_000, to: 443, "PA", 1001, 5001, Array("ask".utf8))
    private static let frame = PacketBuilder.ethernet(version4)
    private static let frame6 = PacketBuilder.ethernet(version6)

    private static func generic(_ name: String, _ header: [UInt8], _ carried: [UInt8]) -> Carrier {
        Carrier(testDescription: name, protocolNumber: 47, bytes: header + carried)
    }

    private static func datagram(_ name: String, _ port: UInt16, _ header: [UInt8], _ carried: [UInt8])
        -> Carrier
    {
        let length = UInt16(8 + header.count + carried.count)
        return Carrier(
            testDescription: name,
            protocolNumber: 17,
            bytes: [0x11, 0x11] + port.bigEndianBytes + length.bigEndianBytes + [0, 0] + header + carried
        )
    }

    private static let wireless =
        [0x08, 0x01] + [UInt8](repeating: 0, count: 22) + [0xaa, 0xaa, 3, 0, 0, 0, 8, 0] + version4

    static let carriers = [
        Carrier(testDescription: "IP in IP", protocolNumber: 4, bytes: version4),
        Carrier(testDescription: "6in4", protocolNumber: 41, bytes: version6),
        Carrier(testDescription: "MPLS in IP", protocolNumber: 137, bytes: [0, 1, 1, 9] + version4),
        Carrier(testDescription: "EtherIP", protocolNumber: 97, bytes: [0x30, 0] + frame),
        Carrier(testDescription: "authenticated", protocolNumber: 51, bytes: [6, 4, 0, 0] + zeros(20) + ask),
        Carrier(
            testDescription: "authenticated, IP in IP",
            protocolNumber: 51,
            bytes: [4, 4, 0, 0] + zeros(20) + version4
        ),
        generic("GRE with a key", [0x20, 0, 8, 0, 1, 2, 3, 4], version4),
        generic("GRE around Ethernet", [0, 0, 0x65, 0x58], frame6),
        generic("GRE around MPLS", [0, 0, 0x88, 0x47, 0, 1, 1, 9], version4),
        generic("ERSPAN 1", [0, 0, 0x88, 0xbe], frame),
        generic("ERSPAN 2", [0x10, 0, 0x88, 0xbe, 0, 0, 0, 7, 0x10, 5, 0, 1, 0, 0, 0, 0], frame),
        generic("ERSPAN 3", [0x10, 0, 0x22, 0xeb, 0, 0, 0, 7, 0x20, 5, 0, 1] + zeros(8), frame),
        generic(
            "ERSPAN 3 with more",
            [0x10, 0, 0x22, 0xeb, 0, 0, 0, 7, 0x20, 5, 0, 1] + zeros(7) + [1] + zeros(8),
            frame6
        ),
        generic(
            "ERSPAN 3 around IP",
            [0x10, 0, 0x22, 0xeb, 0, 0, 0, 7, 0x20, 5, 0, 1, 0, 0, 0, 0, 0, 0, 8, 0],
            version4
        ),
        generic("PPTP", [0x30, 1, 0x88, 0x0b, 0, 46, 0, 9, 0, 0, 0, 1, 0xff, 3, 0, 0x21], version4),
        generic(
            "PPTP that acknowledges",
            [0x30, 0x81, 0x88, 0x0b, 0, 46, 0, 9] + zeros(8) + [0x21],
            version4
        ),
        generic("GRE around NSH", [0, 0, 0x89, 0x4f, 0x0f, 0xc2, 2, 1, 0, 0, 1, 0xff], version4),
        datagram(
            "VXLAN-GPE around NSH",
            4790,
            [0x0c, 0, 0, 4, 0, 0, 5, 0, 0x0f, 0xc6, 1, 3] + zeros(20),
            frame
        ),
        datagram("L2TP", 1701, [0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21], version4),
        datagram(
            "L2TP with all fields",
            1701,
            [0x4a, 2] + UInt16(18 + version6.count).bigEndianBytes + [
                0, 1, 0, 2, 0, 3, 0, 4, 0, 2, 9, 9, 0, 0x57,
            ],
            version6
        ),
        datagram("Teredo", 3544, [], version6),
        datagram("Teredo, seen from outside", 3544, [0, 0, 0xee, 0xee, 1, 2, 3, 4], version6),
        datagram(
            "Teredo, authenticated",
            3544,
            [0, 1, 1, 2, 7, 8, 8] + zeros(9) + [0, 0, 0xee, 0xee, 1, 2, 3, 4],
            version6
        ),
        datagram("VXLAN", 4789, [8, 0, 0, 0, 0, 0, 5, 0], frame),
        datagram("VXLAN at its old port", 8472, [8, 0, 0, 0, 0, 0, 5, 0], frame),
        datagram("VXLAN with a group", 4789, [0x88, 0, 0, 9, 0, 0, 5, 0], frame),
        datagram("VXLAN-GPE around Ethernet", 4790, [0x0c, 0, 0, 3, 0, 0, 5, 0], frame),
        datagram("VXLAN-GPE at the port of VXLAN", 4789, [0x0c, 0, 0, 3, 0, 0, 5, 0], frame),
        datagram("VXLAN-GPE around IP", 4790, [0x0c, 0, 0, 2, 0, 0, 5, 0], version6),
        datagram("Geneve", 6081, [1, 0, 0x65, 0x58, 0, 0, 5, 0, 1, 2, 3, 4], frame),
        datagram("Geneve around IP", 6081, [1, 0, 0x86, 0xdd, 0, 0, 5, 0, 1, 2, 3, 4], version6),
        datagram("GTP-U", 2152, [0x30, 0xff, 0, 43, 0, 0, 0, 1], version4),
        datagram("GTP-U with a number", 2152, [0x32, 0xff, 0, 47, 0, 0, 0, 1, 0, 9, 0, 0], version4),
        datagram(
            "GTP-U with two extension headers",
            2152,
            [0x34, 0xff, 0, 75, 0, 0, 0, 1, 0, 9, 0, 0x85, 1, 0, 9, 0xc0, 2] + zeros(7),
            version6
        ),
        Carrier(testDescription: "L2TP 3", protocolNumber: 115, bytes: [0, 0, 0, 7] + frame),
        Carrier(
            testDescription: "L2TP 3 with a cookie and a sublayer",
            protocolNumber: 115,
            bytes: [0, 0, 0, 7, 9, 9, 9, 9, 8, 8, 8, 8, 0x40, 0, 0, 1] + frame6
        ),
        Carrier(
            testDescription: "L2TP 3 around a VLAN",
            protocolNumber: 115,
            bytes: [0, 0, 0, 7] + PacketBuilder.ethernet([0, 5, 8, 0] + version4, type: 0x8100)
        ),
        datagram("L2TP 3 over UDP", 1701, [0, 3, 0, 0, 0, 0, 0, 7, 9, 9, 9, 9], frame),
        datagram("GUE", 6080, [0, 4, 0, 0], version4),
        datagram("GUE with fields", 6080, [2, 41, 0x80, 0] + zeros(8), version6),
        datagram("GUE around GRE", 6080, [0, 47, 0, 0, 0, 0, 0x65, 0x58], frame),
        datagram("GUE without a header", 6080, [], version4),
        datagram("GUE without a header around IPv6", 6080, [], version6),
        datagram("FOU", 5555, [], checked(version4)),
        datagram("MPLS in UDP", 6635, [0, 1, 1, 9], version4),
        datagram("TZSP", 37008, [1, 0, 0, 1, 0, 10, 1, 200, 1], frame),
        datagram("TZSP around 802.11", 37008, [1, 0, 0, 18, 1], wireless),
    ]

    /// With the checksum of its header.
    private static func checked(_ packet: [UInt8]) -> [UInt8] {
        let words = stride(from: 0, to: 20, by: 2).map { UInt32(packet[$0]) << 8 | UInt32(packet[$0 + 1]) }
        let sum = words.reduce(0, +)
        var packet = packet
        packet.replaceSubrange(10..<12, with: (~UInt16((sum & 0xffff) + sum >> 16)).bigEndianBytes)
        return packet
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private func outer(_ carrier: Carrier) -> MadePacket {
        MadePacket(
            bytes: PacketBuilder.version4(
                [9, 9, 9, 1],
                [9, 9, 9, 2],
                carrier.protocolNumber,
                carrier.bytes
            ),
            time: PacketBuilder.start
        )
    }

    @Test(arguments: carriers) func packetsInPacketsAreFound(_ carrier: Carrier) {
        #expect(StreamLog.of([outer(carrier)]).text(.client) == "ask")
    }

    @Test func packetsInPacketsOfVersion6AreFound() {
        let (client, server) = ([UInt8](repeating: 0xfc, count: 16), [UInt8](repeating: 0xfb, count: 16))
        let packet = MadePacket(
            bytes: PacketBuilder.version6(client, server, 4, Self.version4),
            time: PacketBuilder.start
        )
        #expect(StreamLog.of([packet]).text(.client) == "ask")
    }

    /// The outer packet is what is too large for the network, and is cut.
    @Test func fragmentsOfATunnelMakeAPacket() {
        let bytes = Self.datagram("VXLAN", 4789, [8, 0, 0, 0, 0, 0, 5, 0], Self.frame).bytes
        let parts = stride(from: 0, to: bytes.count, by: 32).map { offset in
            MadePacket(
                bytes: PacketBuilder.version4(
                    [9, 9, 9, 1],
                    [9, 9, 9, 2],
                    17,
                    Array(bytes[offset..<min(offset + 32, bytes.count)]),
                    offset: offset,
                    hasMore: offset + 32 < bytes.count
                ),
                time: PacketBuilder.start
            )
        }
        #expect(parts.count > 2)
        #expect(StreamLog.of(parts).text(.client) == "ask")
    }

    @Test func whatTheCaptureCutIsMissing() {
        for carrier in Self.carriers {
            let packet = outer(carrier)
            let log = StreamLog.of([packet.cut(to: packet.bytes.count - 1)])
            #expect(log.text(.client) == "as_", "\(carrier.testDescription)")
            #expect(log.events.contains("0 client: 1 lost"), "\(carrier.testDescription)")
        }
    }

    /// Another port, another message of the tunnel's, a version that is not known.
    @Test(
        arguments: [
            datagram("another port", 4791, [8, 0, 0, 0, 0, 0, 5, 0], frame),
            datagram("no number of a network", 4789, [0, 0, 0, 0, 0, 0, 5, 0], frame),
            datagram("VXLAN-GPE's own message", 4790, [0x0d, 0, 0, 3, 0, 0, 5, 0], frame),
            datagram("VXLAN-GPE's own message", 4789, [0x0d, 0, 0, 3, 0, 0, 5, 0], frame),
            datagram("GTP-U's echo", 2152, [0x32, 1, 0, 47, 0, 0, 0, 1, 0, 9, 0, 0], version4),
            datagram("GTP-U's header without a length", 2152, [0x34, 0xff] + zeros(9) + [1, 0], version4),
            datagram("L2TP's own message", 1701, [0xc8, 2, 0, 60, 0, 1, 0, 2], version4),
            datagram("another version of L2TP", 1701, [0, 3, 0, 1, 0, 2, 0xff, 3, 0, 0x21], version4),
            datagram("L2TP of another length", 1701, [0x40, 2, 0, 9, 0, 1, 0, 2, 0, 0x21], version4),
            datagram("Teredo of another length", 3544, [], version6 + [0]),
            datagram("Teredo around nothing", 3544, [0, 0, 0xee, 0xee, 1, 2, 3, 4], [0x45, 0]),
            generic("PPTP without data", [0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 9, 0, 0, 0, 1], version4),
            generic("NSH's own message", [0, 0, 0x89, 0x4f, 0x2f, 0xc2, 2, 1, 0, 0, 1, 0xff], version4),
            datagram("L2TP 3's own message", 1701, [0xc8, 3, 0, 0, 0, 0, 0, 7], frame),
            datagram("L2TP 3 around something else", 1701, [0, 3, 0, 0, 0, 0, 0, 7], version4),
            Carrier(
                testDescription: "L2TP 3 of another length",
                protocolNumber: 115,
                bytes: [0, 0, 0, 7] + frame + zeros(20)
            ),
            datagram("GUE's own message", 6080, [0x20, 4, 0, 0], version4),
            datagram("another protocol in GUE", 6080, [0, 1, 0, 0], version4),
            datagram("another version of GUE", 6080, [0x80, 4, 0, 0], version4),
            datagram("GUE without a header, of another length", 6080, [], version4 + [0]),
            datagram("GUE without a header, of another length", 6080, [], version6 + [0]),
            datagram("FOU of another length", 5555, [], checked(version4) + [0]),
            datagram("FOU without a checksum", 5555, [], version4),
            datagram("TZSP's keep-alive", 37008, [1, 4, 0, 1, 1], frame),
            generic("version 1 of GRE", [0x20, 1, 8, 0, 1, 2, 3, 4], version4),
            generic("another type of ERSPAN 3", [0, 0, 0x22, 0xeb] + zeros(10) + [4, 0], frame),
        ]
    )
    func whatIsNoTunnelCarriesNothing(_ carrier: Carrier) {
        #expect(StreamLog.of([outer(carrier)]).events == [])
    }

    @Test func anyBytesAreReadWithoutATrap() {
        var generator = SeededGenerator(seed: 12)
        let interesting: [UInt8] = [0, 1, 2, 4, 8, 0x10, 0x30, 0x34, 0x45, 0x60, 0x80, 0x88, 0xff]
        var decoder = PacketDecoder(into: StreamLog())
        var number = 0
        for carrier in Self.carriers {
            for count in 0...carrier.bytes.count {
                var changed = carrier
                changed.bytes = Array(carrier.bytes.prefix(count))
                decoder.give(outer(changed), number: number)
                for _ in 0..<4 where count > 4 {
                    // Ports and the protocol of GRE stay.
                    changed.bytes[Int.random(in: 4..<count, using: &generator)] =
                        interesting.randomElement(using: &generator) ?? 0
                    decoder.give(outer(changed), number: number)
                }
                number += 1
            }
        }
        decoder.finish()
        #expect(decoder.sink.faults == [])
    }
}
