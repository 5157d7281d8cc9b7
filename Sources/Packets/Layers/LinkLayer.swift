/// Takes the link layer's header off a packet.
package enum LinkLayer {
    /// What a packet carries.
    enum Content {
        /// An IP packet, from its header on; padding may follow it.
        case internet(UnsafeRawBufferPointer)
        /// Several Ethernet frames that a wireless network sends in one (A-MSDU), each filled up to four bytes.
        case frames(UnsafeRawBufferPointer)
        /// Another protocol: ARP, for example.
        case other
        /// A wireless network's own encryption covers it.
        case encrypted
        /// The header is not whole.
        case cutOff
        /// The link type is none that is read here.
        case unknownLinkType
    }

    /// The EtherType of NSH.
    static let serviceHeader: UInt16 = 0x894f

    /// More tags than that on one frame are nobody's network.
    private static let maximumTags = 8

    /// Takes frames that stand in one apart (``Content/frames(_:)``), each with what it carries.
    ///
    /// Each begins with its addresses and its length (IEEE 802.11, section 9.3.2.2.2), and SNAP says what it carries.
    static func eachFrame(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ frame: UnsafeRawBufferPointer, _ size: Int, Content) -> Void
    ) {
        var rest = bytes
        while rest.count >= 22 {
            let size = 14 + Int(rest.field(12, as: UInt16.self))
            let frame = rest.first(size)
            if size >= 22, frame.field(14, as: UInt32.self) == 0xaaaa_0300 {
                body(frame, size, content(ofFrame: frame))
            }
            rest = rest.behind((size + 3) & ~3)
        }
    }

    static func content(of packet: Packet) -> Content {
        let bytes = packet.bytes
        switch packet.linkType {
        case .ethernet: return content(ofFrame: bytes)
        // 12 and 14 are what some systems call it in files of their own.
        case .raw, .ipv4, .ipv6, LinkType(rawValue: 12), LinkType(rawValue: 14):
            return content(ofInternet: bytes)
        case .null, .loop:
            guard bytes.count >= 4 else { return .cutOff }
            return loopback(bytes)
        case .linuxSLL:
            guard bytes.count >= 16 else { return .cutOff }
            return content(of: bytes.behind(16), etherType: bytes.field(14, as: UInt16.self))
        case .linuxSLL2:
            guard bytes.count >= 20 else { return .cutOff }
            return content(of: bytes.behind(20), etherType: bytes.field(0, as: UInt16.self))
        case .nflog: return logged(bytes)
        // PPP, also on a serial line, and behind a PPPoE header.
        case .ppp, LinkType(rawValue: 50): return content(ofPointToPoint: bytes)
        case LinkType(rawValue: 51): return pointToPoint(bytes.behind(6))
        // Cisco's HDLC: address, control, EtherType.
        case LinkType(rawValue: 104):
            guard bytes.count >= 4 else { return .cutOff }
            return content(of: bytes.behind(4), etherType: bytes.field(2, as: UInt16.self))
        // IP over InfiniBand: EtherType, two reserved bytes.
        case LinkType(rawValue: 242):
            guard bytes.count >= 4 else { return .cutOff }
            return content(of: bytes.behind(4), etherType: bytes.field(0, as: UInt16.self))
        case LinkType(rawValue: 107): return FrameRelay.content(of: bytes)
        case LinkType(rawValue: 281), LinkType(rawValue: 282), LinkType(rawValue: 283),
            LinkType(rawValue: 284):
            return behindSwitchTag(packet)
        case .wireless: return WirelessFrame.content(of: bytes)
        case .wirelessRadiotap: return WirelessFrame.contentBehindRadiotap(bytes)
        case .packetFilterLog:
            // The header's length without what fills it up to four bytes.
            guard let length = bytes.first, bytes.count > Int(length) else { return .cutOff }
            return length >= 4 ? content(ofInternet: bytes.behind((Int(length) + 3) & ~3)) : .other
        case .tap, .userDefined2: return tapped(packet)
        // What IPsec has taken off or is to put on (`enc0` of the BSDs): family, association and flags.
        case LinkType(rawValue: 109):
            guard bytes.count > 12 else { return .cutOff }
            return content(ofInternet: bytes.behind(12))
        case .perPacketInformation: return behindInformation(packet)
        default: return .unknownLinkType
        }
    }

    /// Apple's, which comes of iPhones too (`rvictl`): how long it is, 1 for a packet, the link type of what follows, then
    /// interface and process, in little-endian order.
    private static func tapped(_ packet: Packet) -> Content {
        let bytes = packet.bytes
        guard bytes.count >= 12 else { return packet.linkType == .tap ? .cutOff : .unknownLinkType }
        let order = ByteOrder(isSwapped: UInt16(1).littleEndian != 1)
        let length = order.integer(bytes, 0, as: UInt32.self)
        let kind = order.integer(bytes, 4, as: UInt32.self)
        let inner = LinkType(rawValue: order.integer(bytes, 8, as: UInt32.self))
        guard (108...1024).contains(length), !isWrapper(inner) else { return .unknownLinkType }
        guard kind == 1 else { return .other }
        return content(of: packet, behind: Int(length), inner)
    }

    /// PPI: version, flags, how long it is, the link type of what follows, in little-endian order, and fields.
    private static func behindInformation(_ packet: Packet) -> Content {
        let bytes = packet.bytes
        guard bytes.count >= 8 else { return .cutOff }
        let order = ByteOrder(isSwapped: UInt16(1).littleEndian != 1)
        let length = Int(order.integer(bytes, 2, as: UInt16.self))
        let inner = LinkType(rawValue: order.integer(bytes, 4, as: UInt32.self))
        guard length >= 8, !isWrapper(inner) else { return .unknownLinkType }
        return content(of: packet, behind: length, inner)
    }

    /// Whether packets of this type name the type of another; one is not in another, or there would be no end of them.
    private static func isWrapper(_ type: LinkType) -> Bool {
        type == .tap || type == .userDefined2 || type == .perPacketInformation
    }

    /// Between a host's interface and the chip of a switch behind it (Linux's DSA): a tag that says which port, in front of the frame
    /// or behind its addresses.
    private static func behindSwitchTag(_ packet: Packet) -> Content {
        let bytes = packet.bytes
        // Broadcom's in front.
        if packet.linkType == LinkType(rawValue: 282) { return content(ofFrame: bytes.behind(4)) }
        // Broadcom's and Marvell's have four bytes, Marvell's with an EtherType of its own eight.
        let size = packet.linkType == LinkType(rawValue: 284) ? 8 : 4
        guard bytes.count >= 14 + size else { return .cutOff }
        return content(of: bytes.behind(14 + size), etherType: bytes.field(12 + size, as: UInt16.self))
    }

    private static func content(of packet: Packet, behind length: Int, _ type: LinkType) -> Content {
        guard packet.bytes.count > length else { return .cutOff }
        var carried = packet
        carried.bytes = packet.bytes.behind(length)
        carried.linkType = type
        return content(of: carried)
    }

    /// An Ethernet frame.
    static func content(ofFrame bytes: UnsafeRawBufferPointer) -> Content {
        guard bytes.count >= 14 else { return .cutOff }
        return content(of: bytes.behind(14), etherType: bytes.field(12, as: UInt16.self))
    }

    /// What stands behind an EtherType, through VLAN and other tags, MPLS labels and PPPoE.
    static func content(of bytes: UnsafeRawBufferPointer, etherType: UInt16) -> Content {
        var bytes = bytes
        var etherType = etherType
        for _ in 0...maximumTags {
            switch etherType {
            case 0x0800, 0x86dd: return .internet(bytes)
            case 0x8847, 0x8848:
                guard let labelled = behindLabels(bytes) else { return bytes.count < 4 ? .cutOff : .other }
                let packet = content(ofInternet: labelled)
                guard case .other = packet else { return packet }
                // Labels do not say what they carry: what is not IP is an Ethernet frame.
                bytes = behindControlWord(labelled)
                guard bytes.count >= 14 else { return .cutOff }
                etherType = bytes.field(12, as: UInt16.self)
                bytes = bytes.behind(14)
            case serviceHeader:
                guard bytes.count >= 8 else { return .cutOff }
                guard let next = passServiceHeader(&bytes) else { return .other }
                etherType = next
            // MACsec (IEEE 802.1AE, section 9), where it only authenticates: flags, a length, a number, and who sends it perhaps.
            case 0x88e5:
                guard let flags = bytes.first else { return .cutOff }
                guard flags & 0x8c == 0 else { return .other }
                let size = flags & 0x20 == 0 ? 6 : 14
                guard bytes.count >= size + 2 else { return .cutOff }
                etherType = bytes.field(size, as: UInt16.self)
                bytes = bytes.behind(size + 2)
            // PPPoE, session stage: version, code, session and length.
            case 0x8864: return pointToPoint(bytes.behind(6))
            // An 802.3 length: only SNAP says what follows it.
            case 0..<1536:
                guard bytes.count >= 8 else { return .cutOff }
                guard bytes.field(0, as: UInt32.self) == 0xaaaa_0300 else { return .other }
                etherType = bytes.field(6, as: UInt16.self)
                bytes = bytes.behind(8)
            default:
                guard let size = tagSize(etherType) else { return .other }
                guard bytes.count >= size + 2 else { return .cutOff }
                etherType = bytes.field(size, as: UInt16.self)
                bytes = bytes.behind(size + 2)
            }
        }
        return .other
    }

    /// How many bytes of a tag stand before the next EtherType; nil for what is no tag.
    private static func tagSize(_ etherType: UInt16) -> Int? {
        switch etherType {
        // 802.1Q, 802.1ad and what came before it.
        case 0x8100, 0x88a8, 0x9100, 0x9200, 0x9300: 2
        // VN-Tag, between a server's virtual interfaces and its switch.
        case 0x8926: 4
        // Cisco's MetaData (TrustSec): version, length, and the option with the security group.
        case 0x8909: 6
        // Marvell's, of the port of a switch.
        case 0xdada: 6
        default: nil
        }
    }

    // MARK: - Headers

    /// A frame of PPP, whose address and control may be left out (RFC 1661, section 6.6).
    static func content(ofPointToPoint bytes: UnsafeRawBufferPointer) -> Content {
        pointToPoint(bytes.starts(with: [0xff, 3]) ? bytes.behind(2) : bytes)
    }

    /// Takes off the header of a path of network functions (NSH, RFC 8300): version 0, no message of its own; how long it is in words,
    /// what follows by a number of its own.
    ///
    /// - Returns: the EtherType of what follows; nil where nothing that is read here does.
    private static func passServiceHeader(_ bytes: inout UnsafeRawBufferPointer) -> UInt16? {
        let (flags, size, next) = (bytes[0], 4 * Int(bytes[1] & 0x3f), bytes[3])
        guard flags & 0xe0 == 0, size >= 8 else { return nil }
        bytes = bytes.behind(size)
        switch next {
        case 1: return 0x0800
        case 2: return 0x86dd
        case 3:
            guard bytes.count >= 14 else { return nil }
            defer { bytes = bytes.behind(14) }
            return bytes.field(12, as: UInt16.self)
        case 4: return serviceHeader
        case 5: return 0x8847
        default: return nil
        }
    }

    /// An IP packet, of the version that its first bits say.
    static func content(ofInternet bytes: UnsafeRawBufferPointer) -> Content {
        guard let first = bytes.first else { return .cutOff }
        return first >> 4 == 4 || first >> 4 == 6 ? .internet(bytes) : .other
    }

    /// Linux's netfilter log: family, version, resource, then values with their length and type, in the byte order of the host.
    private static func logged(_ bytes: UnsafeRawBufferPointer) -> Content {
        guard bytes.count >= 8 else { return .cutOff }
        guard bytes[1] == 0 else { return .other }
        // Whose lengths go up to the end tells the byte order.
        for order in [
            ByteOrder(isSwapped: UInt16(1).littleEndian != 1), ByteOrder(isSwapped: UInt16(1).bigEndian != 1),
        ] {
            var rest = bytes.behind(4)
            while rest.count >= 4 {
                let length = Int(order.integer(rest, 0, as: UInt16.self))
                let type = order.integer(rest, 2, as: UInt16.self)
                guard length >= 4, length <= rest.count || type == 9 else { break }
                // NFULA_PAYLOAD
                if type == 9 { return content(ofInternet: rest.first(length).behind(4)) }
                rest = rest.behind((length + 3) & ~3)
            }
        }
        return .other
    }

    /// The address family is in the byte order of who captured; files travel, and the systems have numbers of their own.
    private static func loopback(_ bytes: UnsafeRawBufferPointer) -> Content {
        let family = bytes.field(0, as: UInt32.self)
        return switch min(family, family.byteSwapped) {
        case 2, 10, 24, 28, 30: content(ofInternet: bytes.behind(4))
        default: .other
        }
    }

    private static func pointToPoint(_ bytes: UnsafeRawBufferPointer) -> Content {
        guard bytes.count >= 2 else { return .cutOff }
        // An odd first byte is the whole number (RFC 1661, section 6.5).
        let isShort = bytes[0] & 1 == 1
        let number = isShort ? UInt16(bytes[0]) : bytes.field(0, as: UInt16.self)
        return number == 0x21 || number == 0x57 ? content(ofInternet: bytes.behind(isShort ? 1 : 2)) : .other
    }

    /// Nil where the last label is not there.
    private static func behindLabels(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var bytes = bytes
        for _ in 0..<maximumTags where bytes.count >= 4 {
            let isLast = bytes[2] & 1 == 1
            bytes = bytes.behind(4)
            if isLast { return bytes }
        }
        return nil
    }

    /// A frame, without the word that may stand before it (RFC 4448, section 4.6).
    private static func behindControlWord(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard bytes.count >= 18, bytes[0] >> 4 == 0 else { return bytes }
        return switch bytes.field(16, as: UInt16.self) {
        case 0x0800, 0x86dd, 0x8100, 0x88a8, 0x8847: bytes.behind(4)
        default: bytes
        }
    }

    /// How the packets of a link type that is not read can be had in another one.
    static func remedy(of type: LinkType) -> String? {
        switch type.rawValue {
        case 119, 163: "with radiotap's headers they are (tcpdump -y IEEE802_11_RADIO)"
        case 189, 220, 249: "they are on the network interface that the device is, in place of the bus"
        case 252: "the capture that they were exported from is, with --keylog for the keys"
        default: nil
        }
    }

    /// What a link type that is not read is called.
    static func name(of type: LinkType) -> String? {
        switch type.rawValue {
        case 119: "802.11 with Prism headers"
        case 163: "802.11 with AVS headers"
        case 147...162: "user-defined"
        case 187, 201: "Bluetooth"
        case 189, 220, 249: "USB"
        case 195, 230: "802.15.4"
        case 227: "CAN"
        case 240: "netANALYZER"
        case 251: "Bluetooth Low Energy"
        case 252: "PDUs exported by Wireshark"
        case 253: "netlink"
        case 258: "PKTAP"
        default: nil
        }
    }
}
