import Captures

/// Reads pcapng: sections of blocks, each with a type and its length before and behind it.
///
/// draft-ietf-opsawg-pcapng. Blocks of no interest are passed over. Of the two lengths of a block either may be wrong, where the next
/// block is found by the other. Where a block cannot be one, the next block of a known type is looked for whose two lengths agree.
struct PcapngReader {
    private enum BlockType {
        static let section: UInt32 = 0x0a0d_0d0a
        static let interface: UInt32 = 1
        /// Obsolete, but old files have it.
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let nameResolution: UInt32 = 4
        static let interfaceStatistics: UInt32 = 5
        static let enhancedPacket: UInt32 = 6
        static let decryptionSecrets: UInt32 = 10

        static func isKnown(_ type: UInt32) -> Bool {
            switch type {
            case section, interface, packet, simplePacket, nameResolution, interfaceStatistics,
                enhancedPacket,
                decryptionSecrets:
                true
            default: false
            }
        }
    }

    /// `TLSK`, the only secrets that are read.
    private static let tlsKeyLog: UInt32 = 0x544c_534b
    private static let maximumInterfaces = 65_536
    /// Of a block whose end is sought by its last length.
    private static let maximumMended = 256 << 10

    private(set) var losses = PacketLossList()
    /// False for a pass that is after the keys only.
    var readsPackets = true
    private let window: PacketFileWindow
    private var order = ByteOrder(isSwapped: false)
    private var interfaces: [CaptureInterface] = []
    /// What each interface of the section says last of packets that were dropped.
    private var dropped: [Int: Int] = [:]
    private var droppedBefore = 0
    private var number = 0
    /// Places that may still be looked at for a last length: a file in which most first ones are wrong is none.
    private var soughtEnds = 4 << 20
    /// Of the packet before: simple packets have none of their own.
    private var lastTime = Timestamp(nanoseconds: 0)

    static func isSectionHeader(_ head: UnsafeRawBufferPointer) -> Bool {
        // The same in either byte order.
        head.count >= 4 && head.field(0, as: UInt32.self) == BlockType.section
    }

    init(_ window: PacketFileWindow) { self.window = window }

    /// Reads the next block, and gives the packet to a sink that it may hold.
    ///
    /// - Returns: false where there is none, or nothing behind it can be read.
    @inline(__always)
    mutating func step<Sink: PacketSink>(into sink: inout Sink) throws(PacketError) -> Bool {
        if try window.need(12) { return try readBlock(into: &sink) }
        let rest = window.bytes.count
        if rest > 0 { lose("the capture breaks off \(rest.counted("byte")) into the header of a block") }
        return false
    }

    private mutating func lose(_ what: @autoclosure () -> String) {
        losses.append(PacketLoss(offset: window.offset, packet: number + 1, what: what()))
    }

    private mutating func readBlock<Sink: PacketSink>(into sink: inout Sink) throws(PacketError) -> Bool {
        let head = window.bytes
        var type = order.integer(head, 0, as: UInt32.self)
        if Self.isSectionHeader(head) {
            type = BlockType.section
            guard readByteOrder(head) else { return try findNext("this section says no byte order") }
        }
        let length = Int(order.integer(head, 4, as: UInt32.self))
        guard length >= 12, length % 4 == 0 else {
            return try mend(type, "no block has \(length) bytes", into: &sink)
        }
        guard length <= PacketFile.maximumBlock + 64 else {
            guard !BlockType.isKnown(type), window.has(length) else {
                return try mend(type, "no block of type \(type) has \(length) bytes", into: &sink)
            }
            return try pass(length)
        }
        guard try window.need(length) else {
            // A block that says too much hides others; one at the end of the file is just cut.
            let what = "the capture breaks off \(window.bytes.count) bytes into a block of \(length)"
            return try mend(type, what, orElse: "", into: &sink)
        }
        guard try isEnd(length) else {
            return try mend(type, "the two lengths of a block are not the same", into: &sink)
        }
        take(type, of: length, into: &sink)
        return true
    }

    /// Takes the block that begins the window, which has so many bytes, and goes on behind it.
    @inline(__always)
    private mutating func take<Sink: PacketSink>(_ type: UInt32, of length: Int, into sink: inout Sink) {
        take(type, UnsafeRawBufferPointer(rebasing: window.bytes[8..<(length - 4)]), into: &sink)
        window.advance(length)
    }

    /// Takes the block whose first length is wrong, where the last one says how long it is; else the next one is looked for.
    @inline(never)
    private mutating func mend<Sink: PacketSink>(
        _ type: UInt32,
        _ what: String,
        orElse ending: String = Self.unreadable,
        into sink: inout Sink
    ) throws(PacketError) -> Bool {
        guard BlockType.isKnown(type), let length = try lastLength() else {
            return try findNext(what, orElse: ending)
        }
        take(type, of: length, into: &sink)
        return true
    }

    /// How long the block that begins the window is by its last length, behind which another one begins that is whole, or the file ends.
    private mutating func lastLength() throws(PacketError) -> Int? {
        var length = 12
        while length <= Self.maximumMended, soughtEnds > 0, try window.need(length) {
            soughtEnds -= 1
            if order.integer(window.bytes, length - 4, as: UInt32.self) == UInt32(length) {
                guard try window.need(length + 1) else { return length }
                if try window.need(length + 12), try isWhole(at: length) { return length }
            }
            length += 4
        }
        return nil
    }

    /// Whether the block that begins the window ends behind so many bytes, which are there: it says so once more, or another one
    /// begins there, or the file ends.
    @inline(__always)
    private func isEnd(_ length: Int) throws(PacketError) -> Bool {
        if order.integer(window.bytes, length - 4, as: UInt32.self) == UInt32(length) { return true }
        guard try window.need(length + 12) else { return window.bytes.count == length }
        let next = window.bytes.behind(length)
        // The next section may have the other byte order.
        return Self.isSectionHeader(next)
            || BlockType.isKnown(order.integer(next, 0, as: UInt32.self))
                && Self.mayBeLength(Int(order.integer(next, 4, as: UInt32.self)))
    }

    /// Whether a block that is looked for may have so many bytes.
    private static func mayBeLength(_ length: Int) -> Bool {
        length >= 12 && length % 4 == 0 && length <= 1 << 20
    }

    private mutating func take<Sink: PacketSink>(
        _ type: UInt32,
        _ body: UnsafeRawBufferPointer,
        into sink: inout Sink
    ) {
        switch type {
        case BlockType.enhancedPacket, BlockType.packet, BlockType.simplePacket:
            number += 1
            guard readsPackets else { return }
            if type == BlockType.simplePacket {
                takeSimplePacket(body, into: &sink)
            } else {
                takePacket(body, isObsolete: type == BlockType.packet, into: &sink)
            }
        case BlockType.section:
            interfaces = []
            droppedBefore = droppedPackets
            dropped = [:]
        case BlockType.interfaceStatistics: takeStatistics(body)
        case BlockType.interface:
            guard let interface = CaptureInterface(body, order), interfaces.count < Self.maximumInterfaces
            else {
                return lose("an interface that cannot be read")
            }
            interfaces.append(interface)
        case BlockType.decryptionSecrets: takeSecrets(body, into: &sink)
        default: break
        }
    }

    // MARK: - Blocks

    /// Whether the section header says one of the two byte orders.
    private mutating func readByteOrder(_ head: UnsafeRawBufferPointer) -> Bool {
        switch head.field(8, as: UInt32.self) {
        case 0x1a2b_3c4d: order = ByteOrder(isSwapped: UInt32(1).bigEndian != 1)
        case 0x4d3c_2b1a: order = ByteOrder(isSwapped: UInt32(1).littleEndian != 1)
        default: return false
        }
        return true
    }

    private mutating func takePacket<Sink: PacketSink>(
        _ body: UnsafeRawBufferPointer,
        isObsolete: Bool,
        into sink: inout Sink
    ) {
        guard body.count >= 20 else { return unreadable("has no room for its own header") }
        let index =
            isObsolete
            ? Int(order.integer(body, 0, as: UInt16.self)) : Int(order.integer(body, 0, as: UInt32.self))
        guard index < interfaces.count else {
            return unreadable("is of interface \(index), which is not named")
        }
        let captured = Int(order.integer(body, 12, as: UInt32.self))
        guard captured <= body.count - 20 else {
            return unreadable("says it has \(captured) bytes in a block with room for \(body.count - 20)")
        }
        let ticks =
            UInt64(order.integer(body, 4, as: UInt32.self)) << 32
            | UInt64(order.integer(body, 8, as: UInt32.self))
        lastTime = interfaces[index].time(ofTicks: ticks)
        sink.receive(
            Packet(
                number: number,
                time: lastTime,
                linkType: interfaces[index].linkType,
                bytes: UnsafeRawBufferPointer(rebasing: body[20..<(20 + captured)]),
                originalLength: max(captured, Int(order.integer(body, 16, as: UInt32.self)))
            )
        )
    }

    private mutating func takeSimplePacket<Sink: PacketSink>(
        _ body: UnsafeRawBufferPointer,
        into sink: inout Sink
    ) {
        guard body.count >= 4 else { return unreadable("has no room for its own header") }
        guard let interface = interfaces.first else {
            return unreadable("is of the section's first interface, but it names none")
        }
        let original = Int(order.integer(body, 0, as: UInt32.self))
        let kept = interface.snapLength == 0 ? original : min(original, interface.snapLength)
        let captured = min(kept, body.count - 4)
        sink.receive(
            Packet(
                number: number,
                time: lastTime,
                linkType: interface.linkType,
                bytes: UnsafeRawBufferPointer(rebasing: body[4..<(4 + captured)]),
                originalLength: max(original, captured)
            )
        )
    }

    private mutating func unreadable(_ why: @autoclosure () -> String) {
        losses.append(PacketLoss(offset: window.offset, packet: number, what: "this packet \(why())"))
    }

    /// Packets that are not there, by the capture's own count.
    var droppedPackets: Int { dropped.values.reduce(droppedBefore, Self.sum) }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    private mutating func takeStatistics(_ body: UnsafeRawBufferPointer) {
        guard body.count >= 12 else { return }
        let index = Int(order.integer(body, 0, as: UInt32.self))
        guard index < interfaces.count else { return }
        let order = order
        var count: Int?
        PcapngOptions(bytes: body.behind(12), order: order).forEach { code, value in
            // isb_ifdrop and isb_osdrop
            guard code == 5 || code == 7, value.count >= 8 else { return }
            count = Self.sum(count ?? 0, Int(clamping: order.integer(value, 0, as: UInt64.self)))
        }
        if let count { dropped[index] = count }
    }

    private mutating func takeSecrets<Sink: PacketSink>(
        _ body: UnsafeRawBufferPointer,
        into sink: inout Sink
    ) {
        guard body.count >= 8 else { return lose("a block of secrets without its header") }
        guard order.integer(body, 0, as: UInt32.self) == Self.tlsKeyLog else { return }
        let count = Int(order.integer(body, 4, as: UInt32.self))
        if count > body.count - 8 {
            lose("a key log says it has \(count) bytes in a block with room for \(body.count - 8)")
        }
        sink.receiveKeyLog(body.behind(8).first(count))
    }

    // MARK: - Moving on

    /// Goes on behind a block of an unknown type, however large.
    private mutating func pass(_ length: Int) throws(PacketError) -> Bool {
        let start = window.offset
        let missing = try window.skip(length)
        guard missing > 0 else { return true }
        losses.append(
            PacketLoss(
                offset: start,
                packet: number + 1,
                what: "the capture breaks off \(length - missing) bytes into a block of \(length)"
            )
        )
        return false
    }

    /// Goes to the next block whose two lengths agree.
    ///
    /// - Returns: false where there is none.
    private mutating func findNext(
        _ what: String,
        orElse ending: String = Self.unreadable
    ) throws(PacketError) -> Bool {
        let start = window.offset
        window.advance(4)
        var isFound = false
        while try window.need(12) {
            isFound = try isWhole()
            if isFound { break }
            window.advance(4)
        }
        let passed = window.offset - start
        losses.append(
            PacketLoss(
                offset: start,
                packet: number + 1,
                what: what + (isFound ? "; \(passed) bytes are passed over" : ending)
            )
        )
        return isFound
    }

    private static let unreadable = "; nothing behind it can be read"

    /// Whether a block of a known type begins at a place in the window and ends with its length; at least its head is there.
    private func isWhole(at place: Int = 0) throws(PacketError) -> Bool {
        let isSection = Self.isSectionHeader(window.bytes.behind(place))
        guard isSection || BlockType.isKnown(order.integer(window.bytes, place, as: UInt32.self)) else {
            return false
        }
        for order in isSection ? [ByteOrder(isSwapped: false), ByteOrder(isSwapped: true)] : [order] {
            // Asking for more may move the window: its bytes are looked at anew each time.
            let length = Int(order.integer(window.bytes, place + 4, as: UInt32.self))
            guard Self.mayBeLength(length), try window.need(place + length) else { continue }
            let last = order.integer(window.bytes, place + length - 4, as: UInt32.self)
            if last == UInt32(length) { return true }
        }
        return false
    }
}
