package import Captures

/// One packet as a capture file or an interface gives it.
package struct Packet {
    /// From 1, in the order of the capture, over all its interfaces.
    package var number: Int
    package var time: Timestamp
    package var linkType: LinkType
    /// What was kept of it, from the link layer's header on; there during the call only.
    package var bytes: UnsafeRawBufferPointer
    /// How long it was on the wire; more than `bytes` where the capture cut it (snaplen).
    package var originalLength: Int

    package init(
        number: Int,
        time: Timestamp,
        linkType: LinkType,
        bytes: UnsafeRawBufferPointer,
        originalLength: Int
    ) {
        self.number = number
        self.time = time
        self.linkType = linkType
        self.bytes = bytes
        self.originalLength = originalLength
    }
}

/// What stands before the network layer's header: the `LINKTYPE_` numbers of pcap files.
package struct LinkType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// BSD loopback: the address family in the byte order of the machine that captured.
    package static let null = LinkType(rawValue: 0)
    package static let ethernet = LinkType(rawValue: 1)
    package static let ppp = LinkType(rawValue: 9)
    /// An IP header at once; version 4 or 6 by its first bits.
    package static let raw = LinkType(rawValue: 101)
    /// OpenBSD loopback: the address family in network byte order.
    package static let loop = LinkType(rawValue: 108)
    /// IEEE 802.11, captured in monitor mode.
    package static let wireless = LinkType(rawValue: 105)
    /// The log of BSD's packet filter, which firewalls write.
    package static let packetFilterLog = LinkType(rawValue: 117)
    /// IEEE 802.11 behind radiotap's fields.
    package static let wirelessRadiotap = LinkType(rawValue: 127)
    /// Anybody's; Apple's tcpdump means ``tap``.
    package static let userDefined2 = LinkType(rawValue: 149)
    /// Apple's packets with the process they belong to (PKTAP).
    package static let tap = LinkType(rawValue: 258)
    /// Linux cooked capture.
    package static let linuxSLL = LinkType(rawValue: 113)
    /// Linux's netfilter log.
    package static let nflog = LinkType(rawValue: 239)
    /// Fields of CACE's, and a packet of a link type that they name (PPI).
    package static let perPacketInformation = LinkType(rawValue: 192)
    package static let ipv4 = LinkType(rawValue: 228)
    package static let ipv6 = LinkType(rawValue: 229)
    /// Linux cooked capture, version 2: with the interface's number.
    package static let linuxSLL2 = LinkType(rawValue: 276)
}

/// Takes what a capture holds, in its order.
package protocol PacketSink {
    mutating func receive(_ packet: Packet)
    /// The lines of a TLS key log that stand in the capture itself (the decryption secrets block of pcapng); there during the
    /// call only.
    mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer)
}
