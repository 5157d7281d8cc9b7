/// Takes the header off a frame of a wireless network (IEEE 802.11, section 9.2) that was captured in monitor mode.
///
/// Only what is not encrypted by the network itself can be read.
enum WirelessFrame {
    /// With radiotap's fields before it: version, padding, and how long they are, in little-endian order.
    static func contentBehindRadiotap(_ bytes: UnsafeRawBufferPointer) -> LinkLayer.Content {
        guard bytes.count >= 8 else { return .cutOff }
        let length = Int(UInt16(bytes[2]) | UInt16(bytes[3]) << 8)
        guard bytes[0] == 0, length >= 8 else { return .other }
        guard bytes.count > length else { return .cutOff }
        return content(of: bytes.behind(length))
    }

    static func content(of bytes: UnsafeRawBufferPointer) -> LinkLayer.Content {
        guard bytes.count >= 24 else { return .other }
        let (type, subtype) = (bytes[0] >> 2 & 3, bytes[0] >> 4)
        // Data frames that hold data (bit 2 says that they do not).
        guard bytes[0] & 3 == 0, type == 2, subtype & 4 == 0 else { return .other }
        let (isRelayed, isProtected, hasOrder) = (
            bytes[1] & 3 == 3, bytes[1] & 0x40 != 0, bytes[1] & 0x80 != 0
        )
        guard !isProtected else { return .encrypted }
        var length = 24 + (isRelayed ? 6 : 0)
        var isAggregate = false
        if subtype & 8 != 0 {
            // Quality of service: two bytes, of which one bit says that several packets stand in the frame; then, where
            // the order is kept, high throughput's four.
            guard bytes.count > length + 2 else { return .other }
            isAggregate = bytes[length] & 0x80 != 0
            length += hasOrder ? 6 : 2
        }
        // Some adapters fill the header up to four bytes (radiotap's flag 0x20).
        let filled = (length + 3) & ~3
        // Each packet of several has its addresses and its length before it.
        let place = filled + (isAggregate ? 14 : 0)
        if bytes.count >= place + 8, bytes.field(place, as: UInt32.self) == 0xaaaa_0300 { length = filled }
        guard !isAggregate else { return .frames(bytes.behind(length)) }
        // SNAP, as behind an 802.3 length.
        return LinkLayer.content(of: bytes.behind(length), etherType: 0)
    }
}
