import Captures
import Packets
import TestSupport
import Testing
import Wire

/// From the link layer's header to TCP.
struct LayersTests {
    let ask = PacketBuilder.segment(from: 50_000, to: 443, "PA", 1001, 5001, Array("ask".utf8))
    let client: [UInt8] = [10, 0, 0, 1]
    let server: [UInt8] = [10, 0, 0, 2]
    let client6 = [UInt8](repeating: 0xfd, count: 15) + [1]
    let server6 = [UInt8](repeating: 0xfd, count: 15) + [2]

    private var version4: [UInt8] { PacketBuilder.version4(client, server, 6, ask) }
    private var version6: [UInt8] { PacketBuilder.version6(client6, server6, 6, ask) }

    func packet(_ bytes: [UInt8], _ type: LinkType = .raw, after: Duration = .zero) -> MadePacket {
        MadePacket(bytes: bytes, time: PacketBuilder.start + after, linkType: type)
    }

    private func text(_ packets: MadePacket...) -> String { StreamLog.of(packets).text(.client) }

    // MARK: - Link layers

    @Test func everyLinkLayerIsTakenOff() {
        for inner in [version4, version6].map({ Carried($0) }) {
            let frames =
                Self.frames(of: inner) + Self.wirelessFrames(of: inner) + Self.taggedFrames(of: inner)
                + Self.nestedFrames(of: inner)
            for (index, (type, frame)) in frames.enumerated() {
                #expect(text(packet(frame, type)) == "ask", "frame \(index)")
            }
        }
    }

    /// A packet of IP, with the numbers by which link layers say what it is.
    private struct Carried {
        let bytes: [UInt8]
        /// The EtherType.
        let type: [UInt8]
        /// The family of addresses, as loopback interfaces have it.
        let family: [UInt8]
        /// The protocol of PPP.
        let protocolNumber: UInt8

        init(_ bytes: [UInt8]) {
            let isVersion4 = bytes[0] >> 4 == 4
            self.bytes = bytes
            type = isVersion4 ? [8, 0] : [0x86, 0xdd]
            family = [isVersion4 ? 2 : 30, 0, 0, 0]
            protocolNumber = isVersion4 ? 0x21 : 0x57
        }
    }

    private static func frames(of carried: Carried) -> [(LinkType, [UInt8])] {
        let (inner, type, family) = (carried.bytes, carried.type, carried.family)
        return [
            (.raw, inner), (.ipv4, inner), (.ipv6, inner), (LinkType(rawValue: 12), inner),
            (.ethernet, PacketBuilder.ethernet(inner)),
            (.null, family + inner), (.null, family.reversed() + inner),
            (.loop, family.reversed() + inner),
            (.linuxSLL, [UInt8](repeating: 0, count: 14) + type + inner),
            (.linuxSLL2, type + [UInt8](repeating: 0, count: 18) + inner),
            (.ppp, [0xff, 3, 0, carried.protocolNumber] + inner),
            (.ppp, [carried.protocolNumber] + inner),
            (LinkType(rawValue: 50), [0xff, 3, 0, carried.protocolNumber] + inner),
            (LinkType(rawValue: 51), [0x11, 0, 0, 1, 0, 60, 0, carried.protocolNumber] + inner),
            (LinkType(rawValue: 104), [0x0f, 0] + type + inner),
            (LinkType(rawValue: 242), type + [0, 0] + inner),
            (.nflog, logged(inner) { $0.littleEndianBytes }),
            (.nflog, logged(inner) { $0.bigEndianBytes }),
            (.packetFilterLog, [61, 2] + [UInt8](repeating: 0, count: 62) + inner),
            (.tap, tapped(inner, 12)), (.userDefined2, tapped(inner, 101)),
            (.tap, tapped(PacketBuilder.ethernet(inner), 1, length: 156)),
            (.tap, tapped(family + inner, 0)),
            (.perPacketInformation, [0, 0, 8, 0, 1, 0, 0, 0] + PacketBuilder.ethernet(inner)),
            (
                .perPacketInformation,
                [0, 0, 12, 0, 105, 0, 0, 0, 9, 9, 9, 9] + wireless([0x08, 0x01], 24, type + inner)
            ),
            // Frame Relay as Cisco has it, with the number of a protocol, with SNAP, around PPP and around Ethernet.
            (LinkType(rawValue: 107), [0x18, 0x41] + type + inner),
            (LinkType(rawValue: 107), [0x18, 0x40, 0x41, 3, type == [8, 0] ? 0xcc : 0x8e] + inner),
            (LinkType(rawValue: 107), [0x18, 0x41, 3, 0, 0x80, 0, 0, 0] + type + inner),
            (LinkType(rawValue: 107), [0x18, 0x41, 3, 0xcf, carried.protocolNumber] + inner),
            (
                LinkType(rawValue: 107),
                [0x18, 0x41, 3, 0, 0x80, 0, 0x80, 0xc2, 0, 7] + PacketBuilder.ethernet(inner)
            ),
            (LinkType(rawValue: 109), family + [UInt8](repeating: 0, count: 8) + inner),
        ]
    }

    private static func wirelessFrames(of carried: Carried) -> [(LinkType, [UInt8])] {
        let inner = carried.type + carried.bytes
        return [
            (.wireless, wireless([0x08, 0x01], 24, inner)),
            (.wireless, wireless([0x08, 0x03], 30, inner)),
            (.wireless, wireless([0x88, 0x02], 26, inner)),
            (.wireless, wireless([0x88, 0x83], 36, inner)),
            (.wirelessRadiotap, radio + wireless([0x88, 0x01], 26, inner)),
            // The header filled up to 28 bytes.
            (.wirelessRadiotap, radio + wireless([0x88, 0x01], 28, inner)),
            (.wireless, aggregate([inner], 26)),
            (.wireless, aggregate([inner], 28)),
        ]
    }

    /// What stands between Ethernet's header and the packet.
    private static func taggedFrames(of carried: Carried) -> [(LinkType, [UInt8])] {
        let (inner, type) = (carried.bytes, carried.type)
        let (addresses, address) = ([UInt8](repeating: 2, count: 12), [UInt8](repeating: 2, count: 8))
        let mark = [UInt8](repeating: 7, count: 16)
        return [
            // VLAN, QinQ, MPLS, PPPoE, SNAP.
            (.ethernet, PacketBuilder.ethernet([0, 5] + type + inner, type: 0x8100)),
            (.ethernet, PacketBuilder.ethernet([0, 5, 0x81, 0, 0, 7] + type + inner, type: 0x88a8)),
            (.ethernet, PacketBuilder.ethernet([0, 1, 0, 9, 0, 1, 1, 9] + inner, type: 0x8847)),
            // MACsec that only authenticates, also with the sender's name.
            (
                .ethernet,
                PacketBuilder.ethernet([0, 0, 0, 0, 0, 1] + type + inner + mark, type: 0x88e5)
            ),
            (
                .ethernet,
                PacketBuilder.ethernet([0x22, 0, 0, 0, 0, 1] + address + type + inner + mark, type: 0x88e5)
            ),
            // The tags of switches that a host drives.
            (LinkType(rawValue: 281), addresses + [0, 0, 0, 1] + type + inner),
            (LinkType(rawValue: 282), [0, 0, 0, 1] + addresses + type + inner),
            (LinkType(rawValue: 283), addresses + [0, 1, 0, 0] + type + inner),
            (LinkType(rawValue: 283), addresses + [0, 1, 0, 0, 0x81, 0, 0, 5] + type + inner),
            (LinkType(rawValue: 284), addresses + [0xda, 0xda, 0, 0, 0x40, 0, 0, 1] + type + inner),
            (.ethernet, addresses + [0xda, 0xda, 0, 0, 0x40, 0, 0, 1] + type + inner),
            // VN-Tag, and TrustSec's tag behind that of a VLAN.
            (.ethernet, PacketBuilder.ethernet([0xc0, 1, 0, 2] + type + inner, type: 0x8926)),
            (
                .ethernet,
                PacketBuilder.ethernet(
                    [0, 5, 0x89, 9, 1, 1, 0, 1, 0, 100] + type + inner,
                    type: 0x8100
                )
            ),
        ]
    }

    /// The same, where a whole frame or PPP stands between.
    private static func nestedFrames(of carried: Carried) -> [(LinkType, [UInt8])] {
        let (inner, type) = (carried.bytes, carried.type)
        return [
            // Labels before a frame, with and without a word of zeros between.
            (
                .ethernet,
                PacketBuilder.ethernet(
                    [0, 1, 1, 9, 0, 0, 0, 0] + PacketBuilder.ethernet(inner),
                    type: 0x8847
                )
            ),
            (
                .ethernet,
                PacketBuilder.ethernet([0, 1, 1, 9] + PacketBuilder.ethernet(inner), type: 0x8848)
            ),
            (
                .ethernet,
                PacketBuilder.ethernet(
                    [0x11, 0, 0, 1, 0, 60, 0, carried.protocolNumber] + inner,
                    type: 0x8864
                )
            ),
            (.ethernet, PacketBuilder.ethernet([0xaa, 0xaa, 3, 0, 0, 0] + type + inner, type: 60)),
        ]
    }

    /// What Linux's netfilter hands out: a prefix, then the packet.
    private static func logged(_ inner: [UInt8], _ bytes: (UInt16) -> [UInt8]) -> [UInt8] {
        [2, 0, 0, 5] + bytes(7) + bytes(10) + Array("ab\u{0}\u{0}".utf8) + bytes(UInt16(4 + inner.count))
            + bytes(9)
            + inner
    }

    /// Apple's header: length, 1 for a packet, link type, then names and numbers.
    private static func tapped(_ inner: [UInt8], _ type: UInt32, length: UInt32 = 108, kind: UInt32 = 1)
        -> [UInt8]
    {
        length.littleEndianBytes + kind.littleEndianBytes + type.littleEndianBytes
            + [UInt8](repeating: 0x65, count: Int(length) - 12) + inner
    }

    /// Frame control, the rest of the header, then SNAP with the EtherType.
    private static func wireless(_ control: [UInt8], _ length: Int, _ inner: [UInt8]) -> [UInt8] {
        control + [UInt8](repeating: 0, count: length - 2) + [0xaa, 0xaa, 3, 0, 0, 0] + inner
    }

    /// Several packets in one frame, each filled up to four bytes but the last.
    private static func aggregate(_ inner: [[UInt8]], _ length: Int) -> [UInt8] {
        var frame = [0x88, 1] + [UInt8](repeating: 0, count: 22) + [0x80, 0]
        frame += [UInt8](repeating: 0, count: length - 26)
        for (index, packet) in inner.enumerated() {
            let carried = [0xaa, 0xaa, 3, 0, 0, 0] + packet
            frame += [UInt8](repeating: 2, count: 12) + UInt16(carried.count).bigEndianBytes + carried
            let filling = (4 - (14 + carried.count) % 4) % 4
            if index < inner.count - 1 { frame += [UInt8](repeating: 0, count: filling) }
        }
        return frame
    }

    @Test func packetsThatShareAWirelessFrameAreAllRead() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "a")
        made.send(.client, "PA", 1002, 5001, "sk")
        let frame = Self.aggregate(made.packets.map { [8, 0] + $0.bytes }, 26)
        #expect(StreamLog.of([packet(frame, .wireless)]).text(.client) == "ask")
        // One that the capture cut off in the last packet.
        #expect(StreamLog.of([packet(Array(frame.dropLast(2)), .wireless)]).text(.client) == "a_")
    }

    private static let radio: [UInt8] = [0, 0, 13, 0, 4, 0x80, 2, 0, 2, 0, 0, 0, 0]

    /// A packet as it stands behind a header of SNAP.
    private var typed: [UInt8] { [8, 0] + version4 }

    @Test func framesWithoutAPacketAreNoPackets() {
        let inner = typed
        let frames: [(LinkType, [UInt8])] = [
            // A beacon; without data; several packets in one, of which none is one.
            (.wireless, Self.wireless([0x80, 0], 24, inner)),
            (.wireless, Self.wireless([0x48, 1], 24, inner)),
            (
                .wireless,
                [0x88, 1] + [UInt8](repeating: 0, count: 22) + [0x80, 0, 0xaa, 0xaa, 3, 0, 0, 0] + inner
            ),
            (.tap, Self.tapped(version4, 12, kind: 0)),
        ]
        for (index, (type, frame)) in frames.enumerated() {
            #expect(text(packet(frame, type)).isEmpty, "frame \(index)")
            #expect(
                StreamLog.decoded([packet(frame, type)]).losses.map(\.description) == [
                    "no packet carries TCP or QUIC, which HTTP runs over"
                ],
                "frame \(index)"
            )
        }
    }

    @Test func encryptedFramesAreToldWithWhatTakesThatOff() {
        let encrypted = packet(Self.wireless([0x08, 0x41], 24, typed), .wireless)
        #expect(text(encrypted).isEmpty)
        #expect(
            StreamLog.decoded([encrypted]).losses.map(\.what) == [
                "1 packet that a wireless network encrypts: airdecap-ng takes that off, with the network's password and"
                    + " the handshake of each device in the capture"
            ]
        )
    }

    /// In itself, too short, of a kind that is not known, and another user's link type.
    @Test func linkTypesThatCannotBeReadAreTold() {
        for (type, frame) in [
            (.perPacketInformation, [0, 0, 8, 0, 192, 0, 0, 0, 0, 0, 8, 0, 12, 0, 0, 0] + version4),
            (.perPacketInformation, [0, 0, 8, 0, 2, 1, 0, 0] + Self.tapped(version4, 12)),
            (LinkType.tap, Self.tapped(Self.tapped(version4, 12), 258)), (.tap, Self.tapped(version4, 999)),
            (.userDefined2, version4), (.userDefined2, [1, 2]),
        ] {
            #expect(
                StreamLog.decoded([packet(frame, type)]).losses.map(\.description).first?.contains(
                    "link type"
                ) == true
            )
        }
    }

    @Test func framesThatBreakOffInTheirHeaderAreNoPackets() {
        for length in 0..<120 {
            let frame = Array(Self.tapped(version4, 12).prefix(length))
            #expect(text(packet(frame, .tap)).isEmpty)
            #expect(
                text(
                    packet(
                        Array((Self.radio + Self.wireless([0x88, 1], 26, typed)).prefix(length / 2)),
                        .wirelessRadiotap
                    )
                ).isEmpty
            )
        }
    }

    @Test func whatCannotBeReadIsCountedOnceForItsKind() {
        let radio = LinkType(rawValue: 119)
        let packets = [
            packet(PacketBuilder.ethernet([0, 1, 8, 0], type: 0x0806), .ethernet), packet([1, 2, 3], radio),
            packet([1, 2, 3], radio), packet(Array(version4.prefix(12))),
            packet([0x41] + version4.dropFirst()),
            packet([1], LinkType(rawValue: 999)),
        ]
        #expect(
            StreamLog.decoded(packets).losses.map(\.description) == [
                "packet 2: 2 packets of link type 119 (802.11 with Prism headers), which is not read here: with radiotap's headers"
                    + " they are (tcpdump -y IEEE802_11_RADIO)",
                "packet 4: 1 packet cut off within the headers: the capture kept too little of each (tcpdump -s 0 keeps all)",
                "packet 5: 1 packet with IP or TCP headers that cannot be",
                "packet 6: 1 packet of link type 999, which is not read here",
            ]
        )
    }

    @Test func dataThatTheCaptureCutIsToldOf() {
        let frame = packet(PacketBuilder.ethernet(version4), .ethernet)
        let decoder = StreamLog.decoded([frame, frame.cut(to: 55)])
        #expect(
            decoder.losses.map(\.description) == [
                "packet 2: 1 packet whose data is not whole: the capture kept too little of each (tcpdump -s 0 keeps all)"
            ]
        )
        let whole = MadePacket.datagram(.client, [UInt8](repeating: 0x40, count: 100))
        #expect(
            StreamLog.decoded([whole.cut(to: 60)]).losses.map(\.description) == [
                "packet 1: 1 packet whose data is not whole: the capture kept too little of each (tcpdump -s 0 keeps all)"
            ]
        )
    }

    @Test func whatIsThereInsteadOfTCPIsToldOf() {
        func losses(_ payload: [UInt8], port: UInt16) -> [String] {
            let datagram =
                [0x11, 0x11] + port.bigEndianBytes + UInt16(8 + payload.count).bigEndianBytes + [0, 0]
            let made = packet(PacketBuilder.version4(client, server, 17, datagram + payload))
            return StreamLog.decoded([made, made]).losses.map(\.description)
        }
        #expect(
            losses([0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6], port: 443) == [
                "packet 1: 2 packets to or from UDP port 443 are of no connection whose beginning is in the capture: HTTP/3"
                    + " is read from its first packet on, in versions 1 and 2 of QUIC"
            ]
        )
        #expect(
            losses([0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6], port: 53) == [
                "no packet carries TCP or QUIC, which HTTP runs over: 2 of UDP"
            ]
        )
        // DTLS.
        #expect(
            losses([0x16, 0xfe, 0xfd, 0, 1, 8, 1, 2, 3, 4, 5, 6], port: 443) == [
                "no packet carries TCP or QUIC, which HTTP runs over: 2 of UDP"
            ]
        )
        let datagram: [UInt8] = [0x11, 0x11, 0, 53, 0, 8, 0, 0]
        let both = [packet(PacketBuilder.version4(client, server, 17, datagram)), packet(version4)]
        #expect(StreamLog.decoded(both).losses.isEmpty)
    }

    // MARK: - IP

    @Test func paddingBehindAPacketIsNotItsData() {
        #expect(text(packet(PacketBuilder.ethernet(version4 + [0, 0, 0, 0]), .ethernet)) == "ask")
        #expect(text(packet(version6 + [0, 0, 0, 0])) == "ask")
    }

    @Test func optionsArePassed() {
        let options = PacketBuilder.segment(
            from: 50_000,
            to: 443,
            "PA",
            1001,
            5001,
            Array("ask".utf8),
            options: 8
        )
        #expect(text(packet(PacketBuilder.version4(client, server, 6, options, options: 10))) == "ask")
    }

    @Test func aLengthOfZeroIsThatOfTheFrame() {
        #expect(text(packet(PacketBuilder.version4(client, server, 6, ask, length: 0))) == "ask")
        #expect(text(packet(PacketBuilder.version6(client6, server6, 6, ask, length: 0))) == "ask")
        let cut = packet(
            PacketBuilder.ethernet(PacketBuilder.version4(client, server, 6, ask, length: 0)),
            .ethernet
        )
        .cut(to: 14 + 40 + 1)
        #expect(StreamLog.of([cut]).events.dropFirst().prefix(2) == ["0 client: a", "0 client: 2 lost"])
    }

    /// A frame's check sequence, where an interface hands it on, is none of its data (RFC 2675, section 2).
    @Test func aJumbogramIsAsLongAsItSays() {
        let data = [UInt8](repeating: 0x61, count: 70_000)
        let segment = PacketBuilder.segment(from: 50_000, to: 443, "PA", 1001, 5001, data)
        for filling in [[], [1, 4, 0, 0, 0, 0, 0, 0], [0, 0, 1, 4, 0, 0, 0, 0]] as [[UInt8]] {
            let length = UInt32(8 + filling.count + segment.count).bigEndianBytes
            let header: [UInt8] = [6, UInt8(filling.count / 8)] + filling + [0xc2, 4] + length
            let jumbo = PacketBuilder.version6(client6, server6, 0, header + segment, length: 0)
            let frame = PacketBuilder.ethernet(jumbo) + [1, 2, 3, 4]
            #expect(text(packet(frame, .ethernet)).utf8.count == 70_000)
        }
    }

    @Test func extensionHeadersArePassed() {
        func chain(_ headers: [(UInt8, [UInt8])], last: UInt8 = 6) -> [UInt8] {
            var payload = ask
            var next = last
            for (type, body) in headers.reversed() {
                payload = [next] + body + payload
                next = type
            }
            return PacketBuilder.version6(client6, server6, next, payload)
        }
        let options = [1] + [UInt8](repeating: 0, count: 14)
        let authentication: [UInt8] = [4] + [UInt8](repeating: 0, count: 22)
        let whole: [UInt8] = [0, 0, 0, 0, 0, 0, 9]
        #expect(
            text(
                packet(
                    chain([(0, options), (43, options), (60, options), (51, authentication), (44, whole)])
                )
            ) == "ask"
        )
        let endless = packet(PacketBuilder.version6(client6, server6, 0, [0, 0, 0, 0, 0, 0, 0, 0]))
        #expect(StreamLog.decoded([endless]).losses.count == 1)
    }

    /// Frames behind labels behind frames: there is an end to looking, however long the packet.
    @Test func labelsWithoutEndAreNoPacket() {
        let level = [UInt8](repeating: 2, count: 12) + [0x88, 0x47, 0, 1, 1, 9, 0, 0, 0, 0]
        let bytes = [UInt8](Array(repeating: level, count: 200_000).joined())
        #expect(text(packet(bytes, .ethernet)).isEmpty)
        #expect(text(packet(level + level + PacketBuilder.ethernet(version4), .ethernet)) == "ask")
    }

    // MARK: - Anything

    @Test func anyBytesAreReadWithoutATrap() {
        var generator = SeededGenerator(seed: 11)
        let types: [UInt32] = [
            0, 1, 9, 12, 50, 51, 101, 104, 105, 108, 109, 113, 127, 192, 228, 229, 239, 242, 258, 276,
        ]
        let interesting: [UInt8] = [0, 4, 6, 8, 17, 41, 44, 47, 51, 0x45, 0x60, 0x81, 0x86, 0x88, 0xdd, 0xff]
        let frames = [version4, version6, PacketBuilder.ethernet(version4), fragments()[0].bytes]
        var decoder = PacketDecoder(into: StreamLog())
        for number in 1...40_000 {
            var bytes = generator.hostileBytes(Int.random(in: 0...90, using: &generator), among: interesting)
            if Bool.random(using: &generator), let frame = frames.randomElement(using: &generator) {
                bytes = frame
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                        interesting.randomElement(using: &generator) ?? 0
                }
                bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
            }
            var made = packet(bytes, LinkType(rawValue: types.randomElement(using: &generator) ?? 1))
            made.originalLength = Int.random(in: 0...70_000, using: &generator)
            decoder.give(made, number: number)
        }
        decoder.finish()
        #expect(decoder.sink.faults == [])
        #expect(!decoder.losses.isEmpty)
    }
}
