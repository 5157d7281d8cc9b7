/// Takes the headers off that networks put in front of packets to carry them through other ones, or to whoever mirrors them.
///
/// Nothing is looked for: what is no tunnel of its kind carries no packet.
enum Tunnel {
    /// More packets inside of each other than that are nobody's network.
    static let maximumDepth = 4

    /// What an IP packet carries besides TCP; nil where that is no other packet.
    static func content(of header: InternetHeader) -> LinkLayer.Content? {
        let bytes = header.payload
        return switch header.protocolNumber {
        case 17: bytes.count >= 16 ? content(ofDatagram: bytes) : nil
        case 115: pseudowire(bytes, count: bytes.count + header.missing)
        case let number: content(ofProtocol: number, bytes)
        }
    }

    /// What stands behind the number of a protocol that carries packets.
    private static func content(ofProtocol number: UInt8, _ bytes: UnsafeRawBufferPointer) -> LinkLayer
        .Content?
    {
        switch number {
        case 4, 41: .internet(bytes)
        case 47: genericEncapsulation(bytes)
        // EtherIP (RFC 3378): a version, and a frame.
        case 97: frame(bytes.behind(2))
        // MPLS in IP (RFC 4023).
        case 137: LinkLayer.content(of: bytes, etherType: 0x8847)
        default: nil
        }
    }

    /// What a datagram to a port of tunnels carries; nil where it is none.
    ///
    /// `bytes`: from the header of UDP on, 16 at least.
    private static func content(ofDatagram bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        let carried = bytes.behind(8)
        let (source, destination) = (bytes.field(0, as: UInt16.self), bytes.field(2, as: UInt16.self))
        let count = Int(bytes.field(4, as: UInt16.self)) - 8
        switch destination {
        case 4789, 8472: return virtualNetwork(carried)
        case 4790: return virtualNetworkOfAnyProtocol(carried)
        case 6081: return genericVirtualNetwork(carried)
        case 2152: return mobileNetwork(carried)
        case 37008: return mirroredByAccessPoint(carried)
        case 6080: return genericInDatagrams(carried, count: count)
        // MPLS in UDP (RFC 7510).
        case 6635: return LinkLayer.content(of: carried, etherType: 0x8847)
        // Their servers answer from it.
        case _ where source == 1701 || destination == 1701:
            return carried.starts(with: [0, 3, 0, 0])
                ? pseudowire(carried.behind(4), count: count - 4) : dialled(carried, count: count)
        case _ where source == 3544 || destination == 3544: return behindTranslation(carried, count: count)
        default: return packetAlone(carried, count: count)
        }
    }

    // MARK: - Over IP

    /// L2TP of version 3 (RFC 3931, section 4.1): a session's number, a cookie, a header of its kind, and a frame.
    ///
    /// Whether there are a cookie and a header know the two ends only: the frame behind them is as long as the packet is.
    private static func pseudowire(_ bytes: UnsafeRawBufferPointer, count: Int) -> LinkLayer.Content? {
        guard bytes.count >= 4, bytes.field(0, as: UInt32.self) != 0 else { return nil }
        for size in stride(from: 4, through: 16, by: 4)
        where isFrame(bytes.behind(size), count: count - size) {
            return frame(bytes.behind(size))
        }
        return nil
    }

    /// Whether a frame of so many bytes begins here, by the length of the packet in it.
    private static func isFrame(_ bytes: UnsafeRawBufferPointer, count: Int) -> Bool {
        guard bytes.count >= 38 else { return false }
        // A VLAN's tag may be in it.
        let size = bytes.field(12, as: UInt16.self) == 0x8100 ? 18 : 14
        let packet = bytes.behind(size)
        switch (bytes.field(size - 2, as: UInt16.self), packet[0] >> 4) {
        case (0x0800, 4), (0x86dd, 6): break
        default: return false
        }
        guard let length = lengthOfPacket(packet) else { return false }
        // What is shorter than a frame may be is filled up.
        return size + length == count || size + length < count && count <= 60
    }

    /// How long the packet that begins here says it is; nil where none does.
    private static func lengthOfPacket(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 6 else { return nil }
        return switch bytes[0] >> 4 {
        case 4: Int(bytes.field(2, as: UInt16.self))
        case 6: 40 + Int(bytes.field(4, as: UInt16.self))
        default: nil
        }
    }

    /// RFC 2784 and 2890: version 0, with the fields that its flags announce.
    private static func genericEncapsulation(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes.count >= 4, bytes[0] & 0x40 == 0 else { return nil }
        if bytes[1] & 7 == 1, bytes.field(2, as: UInt16.self) == 0x880b { return dialledByCall(bytes) }
        guard bytes[1] & 7 == 0 else { return nil }
        let fields = [0x80, 0x20, 0x10].filter { bytes[0] & $0 != 0 }.count
        let content = bytes.behind(4 + 4 * fields)
        let hasNumber = bytes[0] & 0x10 != 0
        switch bytes.field(2, as: UInt16.self) {
        case 0x6558: return frame(content)
        // ERSPAN, a switch's mirror: without a header of its own, or with eight bytes where packets are numbered.
        case 0x88be: return frame(content.behind(hasNumber ? 8 : 0))
        case 0x22eb: return mirrored(content)
        case let etherType: return LinkLayer.content(of: content, etherType: etherType)
        }
    }

    /// ERSPAN's third version: twelve bytes, eight more where the last bit announces them; Ethernet or IP.
    private static func mirrored(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes.count >= 12 else { return .cutOff }
        let content = bytes.behind(bytes[11] & 1 == 0 ? 12 : 20)
        return switch bytes[10] >> 2 & 0x1f {
        case 0: frame(content)
        case 2: LinkLayer.content(ofInternet: content)
        default: nil
        }
    }

    /// PPTP (RFC 2637, section 4.1): GRE's version 1, with length and call; data is numbered, an acknowledgment may come with it.
    private static func dialledByCall(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes[0] & 0x30 == 0x30 else { return nil }
        return LinkLayer.content(ofPointToPoint: bytes.behind(bytes[1] & 0x80 == 0 ? 12 : 16))
    }

    // MARK: - Over UDP

    /// GUE: a packet by itself, or behind a header that says its protocol, and in words how long its own fields are.
    ///
    /// `count`: of the datagram's bytes, which a packet by itself has to fill: those of QUIC begin like that, too.
    private static func genericInDatagrams(_ bytes: UnsafeRawBufferPointer, count: Int) -> LinkLayer.Content?
    {
        if bytes[0] & 0xc0 == 0x40 { return lengthOfPacket(bytes) == count ? .internet(bytes) : nil }
        // Of the other form data only: control messages have a bit for it.
        guard bytes[0] & 0xe0 == 0 else { return nil }
        return content(ofProtocol: bytes[1], bytes.behind(4 + 4 * Int(bytes[0] & 0x1f)))
    }

    /// A packet of IPv4 with nothing in front, at a port of somebody's choice (Linux's FOU): it fills the datagram, and the checksum of
    /// its header is right.
    private static func packetAlone(_ bytes: UnsafeRawBufferPointer, count: Int) -> LinkLayer.Content? {
        guard bytes.count >= 20, bytes[0] == 0x45, Int(bytes.field(2, as: UInt16.self)) == count,
            OnesComplement.sum(of: bytes.first(20)) == 0xffff
        else { return nil }
        return .internet(bytes)
    }

    /// VXLAN (RFC 7348), on Linux also at its old port: flags that say there is a network's number, a group's policy perhaps,
    /// and an Ethernet frame; VXLAN-GPE may be told to use the same port.
    private static func virtualNetwork(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        bytes[0] & 0x7f == 8 ? frame(bytes.behind(8)) : virtualNetworkOfAnyProtocol(bytes)
    }

    /// VXLAN-GPE: a version of 0, and what follows in a number of its own.
    private static func virtualNetworkOfAnyProtocol(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        // The next protocol is said (P), and no message of the tunnel's own (O) follows.
        guard bytes[0] & 0xf5 == 4 else { return nil }
        let content = bytes.behind(8)
        return switch bytes[3] {
        case 1, 2: LinkLayer.content(ofInternet: content)
        case 3: frame(content)
        case 4: LinkLayer.content(of: content, etherType: LinkLayer.serviceHeader)
        default: nil
        }
    }

    /// Geneve (RFC 8926): version 0, options in units of four bytes, an EtherType.
    private static func genericVirtualNetwork(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes[0] & 0xc0 == 0 else { return nil }
        let content = bytes.behind(8 + 4 * Int(bytes[0] & 0x3f))
        let type = bytes.field(2, as: UInt16.self)
        return type == 0x6558 ? frame(content) : LinkLayer.content(of: content, etherType: type)
    }

    /// A user's packets in a mobile network (GTP-U, 3GPP TS 29.281, section 5): version 1, message 255, with extension headers.
    private static func mobileNetwork(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes[0] & 0xf0 == 0x30, bytes[1] == 0xff else { return nil }
        guard bytes[0] & 7 != 0 else { return LinkLayer.content(ofInternet: bytes.behind(8)) }
        guard bytes.count >= 12 else { return .cutOff }
        var content = bytes.behind(12)
        var next = bytes[0] & 4 == 0 ? 0 : bytes[11]
        while next != 0 {
            // In units of four bytes; the last one says what follows.
            guard let units = content.first, units > 0 else { return .cutOff }
            let size = 4 * Int(units)
            guard content.count >= size else { return .cutOff }
            next = content[size - 1]
            content = content.behind(size)
        }
        return LinkLayer.content(ofInternet: content)
    }

    /// L2TP (RFC 2661, section 3.1): version 2, data and no message of its own; length, numbers and an offset are announced by flags.
    ///
    /// `count`: of the datagram's bytes, which the length has to fit: somebody else's port may be the same.
    private static func dialled(_ bytes: UnsafeRawBufferPointer, count: Int) -> LinkLayer.Content? {
        guard bytes.count >= 8, bytes[0] & 0xb4 == 0, bytes[1] == 2 else { return nil }
        var size = 6
        if bytes[0] & 0x40 != 0 {
            guard bytes.field(2, as: UInt16.self) == count else { return nil }
            size += 2
        }
        if bytes[0] & 0x08 != 0 { size += 4 }
        if bytes[0] & 0x02 != 0 {
            guard bytes.count >= size + 2 else { return .cutOff }
            size += 2 + Int(bytes.field(size, as: UInt16.self))
        }
        return LinkLayer.content(ofPointToPoint: bytes.behind(size))
    }

    /// Teredo (RFC 4380, section 5.1.1): a packet of IPv6, behind what says who sent it and from where, if anything does.
    ///
    /// `count`: of the datagram's bytes, which the packet has to fill: somebody else's port may be the same.
    private static func behindTranslation(_ bytes: UnsafeRawBufferPointer, count: Int) -> LinkLayer.Content? {
        var packet = bytes
        // Lengths of the client's name and of what authenticates it, eight bytes against replays, and one that confirms.
        if packet.count >= 4, packet.starts(with: [0, 1]) {
            packet = packet.behind(13 + Int(packet[2]) + Int(packet[3]))
        }
        if packet.starts(with: [0, 0]) { packet = packet.behind(8) }
        guard packet.count >= 40, packet[0] >> 4 == 6 else { return nil }
        let size = 40 + Int(packet.field(4, as: UInt16.self))
        return bytes.count - packet.count + size == count ? .internet(packet) : nil
    }

    /// TZSP, the mirror of routers and access points: version 1, a packet, of which network, then fields up to their end.
    private static func mirroredByAccessPoint(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes[0] == 1, bytes[1] <= 1 else { return nil }
        let network = bytes.field(2, as: UInt16.self)
        var rest = bytes.behind(4)
        while let tag = rest.first {
            switch tag {
            case 0: rest = rest.behind(1)
            case 1:
                return switch network {
                case 1: frame(rest.behind(1))
                case 18: WirelessFrame.content(of: rest.behind(1))
                default: nil
                }
            default:
                guard rest.count >= 2 else { return .cutOff }
                rest = rest.behind(2 + Int(rest[1]))
            }
        }
        return .cutOff
    }

    private static func frame(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content {
        LinkLayer.content(ofFrame: bytes)
    }
}
