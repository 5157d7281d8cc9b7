import Captures

/// Puts IP packets together from their fragments.
///
/// Where fragments overlap, the bytes that came first are kept. What is not whole after half a minute of the capture's time,
/// or when too much is held, is given up and counted.
struct FragmentReassembler {
    /// What fragments of one packet have in common; those of IPv4 the protocol as well.
    private struct Key: Hashable {
        var source: InternetAddress
        var destination: InternetAddress
        var identification: UInt32
        var isVersion6: Bool
        var protocolNumber: UInt8
    }

    fileprivate struct Parts {
        /// Tells it from a later packet with the same key.
        var serial: Int
        var startedAt: Timestamp
        var bytes: [UInt8] = []
        /// A bit for each eight bytes that are there.
        var units: [UInt64] = []
        var unitCount = 0
        /// Known with the last fragment.
        var total: Int?
        /// Of the fragment at the beginning: what comes behind its header in IPv6.
        var firstProtocol: UInt8?
    }

    /// A packet that was put together.
    private struct Whole {
        var bytes: [UInt8]
        var at: Timestamp
    }

    /// No packet that is sent in fragments is longer.
    private static let maximumLength = 65_535
    static let maximumHeld = 8 << 20
    static let patience = Duration.seconds(30)
    /// Where a capture has each packet twice, of two interfaces, the second comes at once.
    private static let nearness = Duration.seconds(1)
    private static let mostRecent = 64

    /// Packets that were given up because of missing fragments.
    private(set) var abandoned = 0
    private var parts: [Key: Parts] = [:]
    /// In the order in which they began; those that are whole meanwhile stay until they are first.
    private var order: [(key: Key, serial: Int)] = []
    private var orderBegin = 0
    private var held = 0
    private var nextSerial = 0
    /// The packets that were put together last, and their keys in that order.
    private var recent: [Key: Whole] = [:]
    private var recentKeys: [Key] = []

    /// Takes a fragment.
    ///
    /// - Returns: what the whole packet carries and its protocol, once all of it is there.
    mutating func add(
        _ header: InternetHeader,
        _ fragment: InternetHeader.Fragment,
        at time: Timestamp
    ) -> (bytes: [UInt8], protocolNumber: UInt8)? {
        giveUp(before: time)
        let bytes = header.payload
        let end = fragment.offset + bytes.count
        // What the capture cut off leaves a hole; all but the last are in units of eight bytes.
        guard end <= Self.maximumLength, bytes.count > 0 else { return nil }
        guard fragment.isLast || header.missing > 0 || bytes.count % 8 == 0 else { return nil }
        let key = Key(
            source: header.source,
            destination: header.destination,
            identification: fragment.identification,
            isVersion6: header.isVersion6,
            protocolNumber: header.isVersion6 ? 0 : header.protocolNumber
        )
        if parts[key] == nil {
            if isRepeated(bytes, fragment, of: key, at: time) { return nil }
            begin(key, at: time)
        }
        held += parts[key]?.take(bytes, fragment, header) ?? 0
        guard let total = parts[key]?.wholeLength, let whole = parts.removeValue(forKey: key) else {
            while held > Self.maximumHeld { giveUpOldest() }
            return nil
        }
        held -= whole.weight
        let packet = Array(whole.bytes.prefix(total))
        remember(Whole(bytes: packet, at: time), as: key)
        return (packet, whole.firstProtocol ?? header.protocolNumber)
    }

    /// Whether a fragment is of a packet that was whole just now, with the same bytes.
    private func isRepeated(
        _ bytes: UnsafeRawBufferPointer,
        _ fragment: InternetHeader.Fragment,
        of key: Key,
        at time: Timestamp
    ) -> Bool {
        guard let whole = recent[key], time - whole.at <= Self.nearness else { return false }
        return whole.bytes.dropFirst(fragment.offset).prefix(bytes.count).elementsEqual(bytes)
    }

    private mutating func remember(_ whole: Whole, as key: Key) {
        if recent.updateValue(whole, forKey: key) == nil { recentKeys.append(key) }
        guard recentKeys.count > Self.mostRecent * 2 else { return }
        for key in recentKeys.prefix(Self.mostRecent) { recent[key] = nil }
        recentKeys.removeFirst(Self.mostRecent)
    }

    /// Gives up all that is not whole; to be called at the end.
    mutating func finish() {
        abandoned += parts.count
        parts = [:]
        order = []
        orderBegin = 0
        held = 0
    }

    private mutating func begin(_ key: Key, at time: Timestamp) {
        let begun = Parts(serial: nextSerial, startedAt: time)
        parts[key] = begun
        held += begun.weight
        order.append((key, nextSerial))
        nextSerial += 1
    }

    private mutating func giveUp(before time: Timestamp) {
        while orderBegin < order.count {
            let (key, serial) = order[orderBegin]
            if let oldest = parts[key], oldest.serial == serial {
                guard time - oldest.startedAt > Self.patience else { return }
            }
            giveUpOldest()
        }
    }

    private mutating func giveUpOldest() {
        guard orderBegin < order.count else { return }
        let (key, serial) = order[orderBegin]
        orderBegin += 1
        if orderBegin > 1024, orderBegin * 2 > order.count {
            order.removeFirst(orderBegin)
            orderBegin = 0
        }
        guard let oldest = parts[key], oldest.serial == serial else { return }
        parts[key] = nil
        held -= oldest.weight
        abandoned += 1
    }
}

extension FragmentReassembler.Parts {
    /// What it costs to hold, more or less.
    fileprivate var weight: Int { 256 + bytes.count + units.count * 8 }

    /// How long the packet is, once all of it is there.
    fileprivate var wholeLength: Int? {
        guard let total else { return nil }
        let count = (total + 7) / 8
        // Fragments behind the last one count as well, and are nobody's.
        guard unitCount >= count else { return nil }
        return (0..<count).allSatisfy { units[$0 / 64] & 1 << ($0 % 64) != 0 } ? total : nil
    }

    /// - Returns: by how much it has grown.
    fileprivate mutating func take(
        _ piece: UnsafeRawBufferPointer,
        _ fragment: InternetHeader.Fragment,
        _ header: InternetHeader
    ) -> Int {
        let before = weight
        let end = fragment.offset + piece.count
        let reachesItsEnd = fragment.isLast && header.missing == 0
        if reachesItsEnd, total == nil { total = end }
        if fragment.offset == 0, firstProtocol == nil { firstProtocol = header.protocolNumber }
        if bytes.count < end {
            bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
            units.append(contentsOf: repeatElement(0, count: (end + 511) / 512 - units.count))
        }
        var position = fragment.offset
        // Eight bytes that the capture cut are not there; only the last fragment may end within them.
        while position < end, position + 8 <= end || reachesItsEnd {
            let unit = position / 8
            let next = min(position + 8, end)
            if units[unit / 64] & 1 << (unit % 64) == 0 {
                units[unit / 64] |= 1 << (unit % 64)
                unitCount += 1
                for index in position..<next { bytes[index] = piece[index - fragment.offset] }
            }
            position = next
        }
        return weight - before
    }
}
