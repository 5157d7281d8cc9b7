import Captures

/// One interface of a pcapng section.
struct CaptureInterface: Sendable {
    /// How the count of a packet's time becomes nanoseconds.
    private enum Resolution: Sendable {
        /// Nanoseconds in a tick.
        case coarse(UInt64)
        /// Ticks in a nanosecond.
        case fine(UInt64)
        /// Ticks are 2^-n seconds; n is 63 at most.
        case binary(UInt64)
        /// So fine that the time is that of the epoch.
        case endless
    }

    var linkType: LinkType
    /// 0 where packets are kept whole.
    var snapLength: Int
    private var resolution = Resolution.coarse(1000)
    /// Seconds that are added to each time.
    private var offset: Int64 = 0

    /// Nil where the block is too short.
    ///
    /// `body`: the block's, without its type and lengths.
    init?(_ body: UnsafeRawBufferPointer, _ order: ByteOrder) {
        guard body.count >= 8 else { return nil }
        linkType = LinkType(rawValue: UInt32(order.integer(body, 0, as: UInt16.self)))
        snapLength = Int(order.integer(body, 4, as: UInt32.self))
        var (resolution, offset) = (self.resolution, self.offset)
        PcapngOptions(bytes: body.behind(8), order: order).forEach { code, value in
            switch code {
            // if_tsresol
            case 9 where value.count >= 1: resolution = Self.resolution(value[0])
            // if_tsoffset
            case 14 where value.count >= 8: offset = order.integer(value, 0, as: Int64.self)
            default: break
            }
        }
        (self.resolution, self.offset) = (resolution, offset)
    }

    private static func resolution(_ value: UInt8) -> Resolution {
        let exponent = Int(value & 0x7f)
        guard value & 0x80 == 0 else { return exponent > 63 ? .endless : .binary(UInt64(exponent)) }
        func powerOfTen(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }
        return switch exponent {
        case 0...9: .coarse(powerOfTen(9 - exponent))
        case 10...28: .fine(powerOfTen(exponent - 9))
        default: .endless
        }
    }

    /// The time of a packet; what no nanoseconds since the epoch can say comes out as the first or last that can be said.
    @inline(__always)
    func time(ofTicks ticks: UInt64) -> Timestamp {
        let (count, isTooLarge): (UInt64, Bool) =
            switch resolution {
            case .coarse(let nanoseconds): ticks.multipliedReportingOverflow(by: nanoseconds)
            case .fine(let divisor): (ticks / divisor, false)
            case .endless: (0, false)
            case .binary(let exponent):
                // Below a second nothing overflows: the fraction is less than 2^exponent.
                Self.sum(
                    (ticks >> exponent).multipliedReportingOverflow(by: 1_000_000_000),
                    Self.nanoseconds(ofFraction: ticks & (1 << exponent &- 1), exponent)
                )
            }
        let known = isTooLarge ? Int64.max : Int64(clamping: count)
        guard offset != 0 else { return Timestamp(nanoseconds: known) }
        let (shift, isFar) = offset.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOver) = known.addingReportingOverflow(shift)
        guard isFar || isOver else { return Timestamp(nanoseconds: sum) }
        return Timestamp(nanoseconds: offset < 0 ? .min : .max)
    }

    private static func sum(_ seconds: (UInt64, Bool), _ rest: UInt64) -> (UInt64, Bool) {
        let (sum, isTooLarge) = seconds.0.addingReportingOverflow(rest)
        return (sum, isTooLarge || seconds.1)
    }

    private static func nanoseconds(ofFraction fraction: UInt64, _ exponent: UInt64) -> UInt64 {
        let (high, low) = fraction.multipliedFullWidth(by: 1_000_000_000)
        return exponent == 0 ? 0 : high << (64 - exponent) | low >> exponent
    }
}
