/// Frame Relay: an address of two to four bytes, then what Cisco's routers put there, an EtherType, or a protocol's number (RFC 2427).
enum FrameRelay {
    static func content(of bytes: UnsafeRawBufferPointer) -> LinkLayer.Content {
        // The last byte of the address has its first bit set (Q.922, section 3.3).
        guard let last = bytes.prefix(4).firstIndex(where: { $0 & 1 == 1 }) else {
            return bytes.count < 4 ? .cutOff : .other
        }
        var rest = bytes.behind(last + 1)
        guard rest.count >= 2 else { return .cutOff }
        // Unnumbered information.
        guard rest[0] == 3 else {
            return LinkLayer.content(of: rest.behind(2), etherType: rest.field(0, as: UInt16.self))
        }
        rest = rest.behind(rest[1] == 0 ? 2 : 1)
        guard let number = rest.first else { return .cutOff }
        return switch number {
        case 0xcc, 0x8e: LinkLayer.content(ofInternet: rest.behind(1))
        case 0xcf: LinkLayer.content(ofPointToPoint: rest.behind(1))
        case 0x80: behindSNAP(rest.behind(1))
        default: .other
        }
    }

    /// An EtherType, or a frame of Ethernet (RFC 2427, section 4).
    private static func behindSNAP(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content {
        guard bytes.count >= 5 else { return .cutOff }
        let (content, type) = (bytes.behind(5), bytes.field(3, as: UInt16.self))
        if bytes.starts(with: [0, 0, 0]) { return LinkLayer.content(of: content, etherType: type) }
        // With the frame's checksum, and without.
        let isFrame = bytes.starts(with: [0, 0x80, 0xc2]) && (type == 1 || type == 7)
        return isFrame ? LinkLayer.content(ofFrame: content) : .other
    }
}
