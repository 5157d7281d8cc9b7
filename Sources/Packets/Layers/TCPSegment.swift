/// A TCP segment: RFC 9293, section 3.1.
struct TCPSegment {
    struct Flags: OptionSet, Sendable {
        var rawValue: UInt8

        static let finish = Flags(rawValue: 0x01)
        static let synchronize = Flags(rawValue: 0x02)
        static let reset = Flags(rawValue: 0x04)
        static let acknowledge = Flags(rawValue: 0x10)
    }

    /// What the checksum says (RFC 9293, section 3.1).
    enum Checksum {
        /// The segment is whole, or was when it went to the interface that fills the checksum in: the sum of the pseudo header
        /// stands there then, with or without the length.
        case fits
        /// It is not there, or the capture cut the segment.
        case saysNothing
        /// The segment is damaged, or systems put another number there: who joins segments that it has received may keep that of
        /// the first.
        case isWrong
    }

    var isVersion6: Bool
    var source: InternetAddress
    var destination: InternetAddress
    var sourcePort: UInt16
    var destinationPort: UInt16
    var sequence: UInt32
    /// Says something with ``Flags/acknowledge`` only.
    var acknowledgment: UInt32
    var flags: Flags
    /// What of its data was captured.
    var payload: UnsafeRawBufferPointer
    /// Bytes of its data behind those that were on the wire and are not in the capture.
    var missing: Int
    var checksum: Checksum

    /// Bytes of its data, those that are not in the capture included.
    var dataCount: Int { payload.count + missing }

    /// Nil where the header is not whole or says what cannot be.
    ///
    /// Of the options none is needed: window scales, timestamps and selective acknowledgments change no byte's place.
    @inline(__always)
    init?(_ header: InternetHeader) {
        let bytes = header.payload
        guard bytes.count >= 20 else { return nil }
        let headerLength = Int(bytes[12] >> 4) * 4
        let length = bytes.count + header.missing
        guard headerLength >= 20, headerLength <= length else { return nil }
        isVersion6 = header.isVersion6
        source = header.source
        destination = header.destination
        sourcePort = bytes.field(0, as: UInt16.self)
        destinationPort = bytes.field(2, as: UInt16.self)
        sequence = bytes.field(4, as: UInt32.self)
        acknowledgment = bytes.field(8, as: UInt32.self)
        flags = Flags(rawValue: bytes[13])
        payload = bytes.behind(headerLength)
        missing = length - headerLength - payload.count
        checksum = header.missing > 0 ? .saysNothing : Self.checksum(of: header)
    }

    @inline(__always)
    private static func checksum(of header: InternetHeader) -> Checksum {
        let bytes = header.payload
        let written = bytes.field(16, as: UInt16.self)
        guard written != 0 else { return .saysNothing }
        // The addresses and the protocol's number; the length comes on top.
        let ends = header.source.sum + header.destination.sum + 6
        let pseudoHeader = ends + UInt64(bytes.count)
        let sum = OnesComplement.fold(pseudoHeader + UInt64(OnesComplement.sum(of: bytes)))
        return sum == 0xffff || written == OnesComplement.fold(pseudoHeader)
            || written == OnesComplement.fold(ends) ? .fits : .isWrong
    }
}
