/// Takes the headers off that networks put in front of packets to carry them through other ones, or to whoever mirrors them.
///
/// Nothing is looked for: what is no tunnel of its kind carries no packet.
enum Tunnel {
    /// What an IP packet carries besides TCP; nil where that is no other packet.
    ///
    /// `bytes`: behind the IP header. Datagrams go by ``content(ofDatagram:)``.
    static func content(of bytes: UnsafeRawBufferPointer, protocolNumber: UInt8) -> LinkLayer.Content? {
        switch protocolNumber {
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
    static func content(ofDatagram bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        let carried = bytes.behind(8)
        switch bytes.field(2, as: UInt16.self) {
        case 4789, 8472: return virtualNetwork(carried)
        case 4790: return virtualNetworkOfAnyProtocol(carried)
        case 6081: return genericVirtualNetwork(carried)
        case 2152: return mobileNetwork(carried)
        case 37008: return mirroredByAccessPoint(carried)
        // MPLS in UDP (RFC 7510).
        case 6635: return LinkLayer.content(of: carried, etherType: 0x8847)
        default: return nil
        }
    }

    // MARK: - Over IP

    /// RFC 2784 and 2890: version 0, with the fields that its flags announce.
    private static func genericEncapsulation(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        guard bytes.count >= 4, bytes[1] & 7 == 0, bytes[0] & 0x40 == 0 else { return nil }
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

    // MARK: - Over UDP

    /// VXLAN (RFC 7348), on Linux also at its old port: flags that say there is a network's number, a group's policy perhaps,
    /// and an Ethernet frame.
    private static func virtualNetwork(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        bytes[0] & 0x7f == 8 ? frame(bytes.behind(8)) : nil
    }

    /// VXLAN-GPE: a version of 0, and what follows in a number of its own.
    private static func virtualNetworkOfAnyProtocol(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content? {
        // The next protocol is said (P), and no message of the tunnel's own (O) follows.
        guard bytes[0] & 0xf5 == 4 else { return nil }
        let content = bytes.behind(8)
        return switch bytes[3] {
        case 1, 2: LinkLayer.content(ofInternet: content)
        case 3: frame(content)
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
