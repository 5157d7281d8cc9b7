import Captures
import Packets
import Wire

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}

/// A packet as a capture has it.
struct MadePacket {
    var bytes: [UInt8]
    var time: Timestamp
    var linkType = LinkType.raw
    /// Nil for as long as `bytes`.
    var originalLength: Int?

    /// Only the first so many bytes of it.
    func cut(to count: Int) -> MadePacket {
        var packet = self
        packet.originalLength = originalLength ?? bytes.count
        packet.bytes = Array(bytes.prefix(count))
        return packet
    }
}

/// Makes the packets of a TCP connection.
struct PacketBuilder {
    static let start = Timestamp(seconds: 1_780_000_000)

    var client = Endpoint(address: [10, 0, 0, 1], port: 50_000)
    var server = Endpoint(address: [10, 0, 0, 2], port: 443)
    var time = PacketBuilder.start
    var packets: [MadePacket] = []

    /// Adds a segment; flags are `S`, `A`, `F`, `R` and `P`.
    ///
    /// `milliseconds`: since the packet before.
    mutating func send(
        _ side: Side,
        _ flags: String,
        _ sequence: UInt32,
        _ acknowledgment: UInt32 = 0,
        _ data: some Collection<UInt8> = [],
        after milliseconds: Int64 = 1
    ) {
        time = time + .milliseconds(milliseconds)
        let segment = Self.segment(
            from: side == .client ? client.port : server.port,
            to: side == .client ? server.port : client.port,
            flags,
            sequence,
            acknowledgment,
            data
        )
        packets.append(MadePacket(bytes: internet(segment, from: side), time: time))
    }

    mutating func send(
        _ side: Side,
        _ flags: String,
        _ sequence: UInt32,
        _ acknowledgment: UInt32,
        _ text: String
    ) {
        send(side, flags, sequence, acknowledgment, Array(text.utf8))
    }

    /// The three segments that begin a connection; the first bytes are 1001 of the client, 5001 of the server.
    mutating func handshake() {
        send(.client, "S", 1000)
        send(.server, "SA", 5000, 1001)
        send(.client, "A", 1001, 5001)
    }

    /// A TCP segment; `options` in units of four bytes.
    static func segment(
        from source: UInt16,
        to destination: UInt16,
        _ flags: String,
        _ sequence: UInt32,
        _ acknowledgment: UInt32,
        _ data: some Collection<UInt8>,
        options: Int = 0
    ) -> [UInt8] {
        let bits: [Character: UInt8] = ["F": 1, "S": 2, "R": 4, "P": 8, "A": 16]
        return source.bigEndianBytes + destination.bigEndianBytes + sequence.bigEndianBytes
            + acknowledgment.bigEndianBytes + [
                UInt8(5 + options) << 4, flags.reduce(0) { $0 | (bits[$1] ?? 0) },
            ]
            + [0xff, 0xff, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 4 * options) + data
    }

    func internet(_ payload: [UInt8], from side: Side, protocolNumber: UInt8 = 6) -> [UInt8] {
        let source = side == .client ? client.address : server.address
        let destination = side == .client ? server.address : client.address
        return source.count == 4
            ? Self.version4(source, destination, protocolNumber, payload)
            : Self.version6(source, destination, protocolNumber, payload)
    }

    /// An IPv4 packet; `offset` in bytes, `length` where the header is to say another than is true.
    static func version4(
        _ source: [UInt8],
        _ destination: [UInt8],
        _ protocolNumber: UInt8,
        _ payload: [UInt8],
        options: Int = 0,
        identification: UInt16 = 7,
        offset: Int = 0,
        hasMore: Bool = false,
        length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? 20 + 4 * options + payload.count
        let place = UInt16(offset / 8) | (hasMore ? 0x2000 : 0)
        return [0x45 + UInt8(options), 0] + UInt16(truncatingIfNeeded: length).bigEndianBytes
            + identification.bigEndianBytes + place.bigEndianBytes + [64, protocolNumber, 0, 0] + source
            + destination + [UInt8](repeating: 1, count: 4 * options) + payload
    }

    static func version6(
        _ source: [UInt8],
        _ destination: [UInt8],
        _ nextHeader: UInt8,
        _ payload: [UInt8],
        length: Int? = nil
    ) -> [UInt8] {
        [0x60, 0, 0, 0] + UInt16(truncatingIfNeeded: length ?? payload.count).bigEndianBytes
            + [nextHeader, 64] + source + destination + payload
    }

    static func ethernet(_ packet: [UInt8], type: UInt16? = nil) -> [UInt8] {
        [UInt8](repeating: 2, count: 12) + (type ?? (packet[0] >> 4 == 6 ? 0x86dd : 0x0800)).bigEndianBytes
            + packet
    }
}

/// Makes capture files.
enum CaptureFileBuilder {
    static func integer<Value: FixedWidthInteger>(_ value: Value, _ isBig: Bool) -> [UInt8] {
        isBig ? value.bigEndianBytes : value.littleEndianBytes
    }

    static func pcap(
        _ packets: [MadePacket],
        isBig: Bool = false,
        magic: UInt32 = 0xa1b2_c3d4,
        headerBytes: Int? = nil,
        snapLength: UInt32 = 262_144
    ) -> [UInt8] {
        let linkType = packets.first?.linkType ?? .raw
        var file = integer(magic, isBig) + integer(UInt16(2), isBig) + integer(UInt16(4), isBig)
        file +=
            [UInt8](repeating: 0, count: 8) + integer(snapLength, isBig) + integer(linkType.rawValue, isBig)
        for packet in packets {
            let rest = packet.time.nanoseconds - packet.time.seconds * 1_000_000_000
            file += integer(UInt32(packet.time.seconds), isBig)
            file += integer(UInt32(magic == 0xa1b2_3c4d ? rest : rest / 1000), isBig)
            file += integer(UInt32(packet.bytes.count), isBig)
            file += integer(UInt32(packet.originalLength ?? packet.bytes.count), isBig)
            file += [UInt8](repeating: 9, count: headerBytes ?? (magic == 0xa1b2_cd34 ? 8 : 0))
            file += packet.bytes
        }
        return file
    }

    static func block(_ type: UInt32, _ body: [UInt8], isBig: Bool = false) -> [UInt8] {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let length = integer(UInt32(padded.count + 12), isBig)
        return integer(type, isBig) + length + padded + length
    }

    static func section(isBig: Bool = false) -> [UInt8] {
        block(
            0x0a0d_0d0a,
            integer(0x1a2b_3c4d as UInt32, isBig) + integer(UInt16(1), isBig) + integer(UInt16(0), isBig)
                + [UInt8](repeating: 0xff, count: 8),
            isBig: isBig
        )
    }

    static func option(_ code: UInt16, _ value: [UInt8], isBig: Bool = false) -> [UInt8] {
        integer(code, isBig) + integer(UInt16(value.count), isBig) + value
            + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    static func interface(
        _ linkType: LinkType = .raw,
        snapLength: UInt32 = 0,
        options: [UInt8] = [],
        isBig: Bool = false
    ) -> [UInt8] {
        block(
            1,
            integer(UInt16(linkType.rawValue), isBig) + [0, 0] + integer(snapLength, isBig) + options,
            isBig: isBig
        )
    }

    /// An enhanced packet block; `ticks` where they are to be others than microseconds.
    static func packet(
        _ packet: MadePacket,
        interface: UInt32 = 0,
        ticks: UInt64? = nil,
        isBig: Bool = false
    ) -> [UInt8] {
        let ticks = ticks ?? UInt64(packet.time.nanoseconds / 1000)
        let body =
            integer(interface, isBig) + integer(UInt32(ticks >> 32), isBig)
            + integer(UInt32(truncatingIfNeeded: ticks), isBig) + integer(UInt32(packet.bytes.count), isBig)
            + integer(UInt32(packet.originalLength ?? packet.bytes.count), isBig) + packet.bytes
        return block(6, body, isBig: isBig)
    }

    static func secrets(_ text: String, type: UInt32 = 0x544c_534b, isBig: Bool = false) -> [UInt8] {
        block(10, integer(type, isBig) + integer(UInt32(text.utf8.count), isBig) + text.utf8, isBig: isBig)
    }

    /// A section, an interface, the packets.
    static func pcapng(_ packets: [MadePacket], isBig: Bool = false) -> [UInt8] {
        section(isBig: isBig) + interface(packets.first?.linkType ?? .raw, isBig: isBig)
            + packets.flatMap { packet($0, isBig: isBig) }
    }
}
