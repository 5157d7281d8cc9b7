/// An address of IPv4 or IPv6 as numbers; which of them it is stands with the pair.
struct InternetAddress: Hashable, Sendable {
    /// 0 for IPv4.
    var high: UInt64
    var low: UInt64

    @inline(__always)
    init(version4 address: UInt32) {
        high = 0
        low = UInt64(address)
    }

    @inline(__always)
    init(version6 bytes: UnsafeRawBufferPointer, at offset: Int) {
        high = bytes.field(offset, as: UInt64.self)
        low = bytes.field(offset + 8, as: UInt64.self)
    }

    /// Of its words, for checksums.
    @inline(__always)
    var sum: UInt64 { (high >> 32) + (high & 0xffff_ffff) + (low >> 32) + (low & 0xffff_ffff) }

    func bytes(isVersion6: Bool) -> [UInt8] {
        isVersion6
            ? withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
            : withUnsafeBytes(of: UInt32(truncatingIfNeeded: low).bigEndian) { Array($0) }
    }
}

/// The header of an IP packet, and where what it carries lies.
///
/// RFC 791, RFC 8200. Its checksum is not looked at: on the machine that sends, the interface fills it in after the capture.
struct InternetHeader {
    /// The part of a larger packet that this one is.
    struct Fragment {
        var identification: UInt32
        /// Bytes of the larger packet before this part.
        var offset: Int
        var isLast: Bool
    }

    enum Reading {
        case packet(InternetHeader)
        /// The capture cut it within its headers.
        case cutOff
        /// It says what cannot be.
        case malformed
    }

    var isVersion6: Bool
    var source: InternetAddress
    var destination: InternetAddress
    /// Of what is carried: 6 for TCP.
    var protocolNumber: UInt8
    /// What of it was captured.
    var payload: UnsafeRawBufferPointer
    /// Bytes at its end that were on the wire and are not in the capture.
    var missing: Int
    var fragment: Fragment?

    /// Reads a packet's header, with the extension headers of IPv6 and that of IPsec's authentication.
    ///
    /// - Parameters:
    ///   - bytes: the packet as captured; padding may follow it.
    ///   - original: how long those were on the wire.
    /// - Returns: the header, or why there is none.
    static func read(_ bytes: UnsafeRawBufferPointer, original: Int) -> Reading {
        guard let first = bytes.first else { return .cutOff }
        return switch first >> 4 {
        case 4: readVersion4(bytes, original: max(original, bytes.count))
        case 6: readVersion6(bytes, original: max(original, bytes.count))
        default: .malformed
        }
    }

    private static func readVersion4(_ bytes: UnsafeRawBufferPointer, original: Int) -> Reading {
        guard bytes.count >= 20 else { return .cutOff }
        let headerLength = Int(bytes[0] & 0xf) * 4
        let written = Int(bytes.field(2, as: UInt16.self))
        // 0 where the interface is to cut it into segments, or it is larger than the field can say.
        let length = written == 0 ? original : written
        guard headerLength >= 20, headerLength <= length else { return .malformed }
        guard headerLength <= bytes.count else { return .cutOff }
        let place = bytes.field(6, as: UInt16.self)
        let hasMore = place & 0x2000 != 0
        let offset = Int(place & 0x1fff) * 8
        let packet = bytes.first(length)
        var header = InternetHeader(
            isVersion6: false,
            source: InternetAddress(version4: bytes.field(12, as: UInt32.self)),
            destination: InternetAddress(version4: bytes.field(16, as: UInt32.self)),
            protocolNumber: bytes[9],
            payload: packet.behind(headerLength),
            missing: length - packet.count,
            fragment: hasMore || offset > 0
                ? Fragment(
                    identification: UInt32(bytes.field(4, as: UInt16.self)),
                    offset: offset,
                    isLast: !hasMore
                ) : nil
        )
        // What stands in fragments is read when they are put together.
        guard header.protocolNumber == 51, header.fragment == nil else { return .packet(header) }
        return header.passExtensionHeaders() ? .packet(header) : header.missing > 0 ? .cutOff : .malformed
    }

    private static func readVersion6(_ bytes: UnsafeRawBufferPointer, original: Int) -> Reading {
        guard bytes.count >= 40 else { return .cutOff }
        let written = Int(bytes.field(4, as: UInt16.self))
        // A jumbogram has 0 here and says its length behind that; what the interface is to cut into segments has 0 alone.
        let length = written == 0 ? min(original, 40 + (jumboLength(bytes) ?? original)) : 40 + written
        let packet = bytes.first(length)
        var header = InternetHeader(
            isVersion6: true,
            source: InternetAddress(version6: bytes, at: 8),
            destination: InternetAddress(version6: bytes, at: 24),
            protocolNumber: bytes[6],
            payload: packet.behind(40),
            missing: max(0, length - packet.count),
            fragment: nil
        )
        return header.passExtensionHeaders() ? .packet(header) : header.missing > 0 ? .cutOff : .malformed
    }

    /// How long what follows the header of IPv6 is where it says so in an option, as only what has more than 65,535 bytes does
    /// (RFC 2675, section 2).
    private static func jumboLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes[6] == 0, bytes.count >= 48 else { return nil }
        var options = bytes.first(40 + (Int(bytes[41]) + 1) * 8).behind(42)
        while let type = options.first {
            // A byte of filling has no length.
            guard type != 0 else {
                options = options.behind(1)
                continue
            }
            guard options.count >= 2 else { return nil }
            if type == 0xc2, options[1] == 4, options.count >= 6 {
                let length = Int(options.field(2, as: UInt32.self))
                return length > Int(UInt16.max) ? length : nil
            }
            options = options.behind(2 + Int(options[1]))
        }
        return nil
    }

    /// Goes to the protocol behind the extension headers; also for a packet that was put together from its fragments.
    ///
    /// - Returns: false where they are not whole.
    mutating func passExtensionHeaders() -> Bool {
        while isVersion6 || protocolNumber == 51 {
            let length: Int
            switch protocolNumber {
            // Hop by hop, routing, destination options, mobility, host identity, shim.
            case 0, 43, 60, 135, 139, 140:
                guard payload.count >= 2 else { return false }
                length = (Int(payload[1]) + 1) * 8
            // Authentication: counts other units.
            case 51:
                guard payload.count >= 2 else { return false }
                length = (Int(payload[1]) + 2) * 4
            case 44:
                guard payload.count >= 8 else { return false }
                let place = payload.field(2, as: UInt16.self)
                let part = Fragment(
                    identification: payload.field(4, as: UInt32.self),
                    offset: Int(place & 0xfff8),
                    isLast: place & 1 == 0
                )
                length = 8
                // One that is the whole packet is none (RFC 6946).
                if part.offset > 0 || !part.isLast {
                    protocolNumber = payload[0]
                    payload = payload.behind(8)
                    fragment = part
                    return true
                }
            default: return true
            }
            guard length <= payload.count else { return false }
            protocolNumber = payload[0]
            payload = payload.behind(length)
        }
        return true
    }
}
