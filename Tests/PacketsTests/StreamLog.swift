import Captures
import Packets
import Wire

/// Writes down what is told of connections.
struct StreamLog: TCPStreamSink {
    /// A line for each thing that was told.
    private(set) var events: [String] = []
    private(set) var facts: [TCPStreamFacts] = []
    /// What each direction sent; lost bytes are `nil`, one for all at a place.
    private(set) var bytes: [[Side: [UInt8?]]] = []
    /// Promises of the protocol that were broken.
    private(set) var faults: [String] = []
    private var openStreams: Set<Int> = []
    private var endedSides: [[Side]] = []

    private func at(_ time: Timestamp) -> Int64 {
        (time.nanoseconds - PacketBuilder.start.nanoseconds) / 1_000_000
    }

    private mutating func check(_ stream: Int, _ side: Side? = nil) {
        if !openStreams.contains(stream) { faults.append("\(stream) is not open") }
        if let side, endedSides[stream].contains(side) { faults.append("\(side) of \(stream) has ended") }
    }

    mutating func opened(_ stream: Int, _ facts: TCPStreamFacts) {
        if stream != self.facts.count { faults.append("\(stream) is not the next number") }
        openStreams.insert(stream)
        endedSides.append([])
        self.facts.append(facts)
        bytes.append([:])
        events.append("\(stream) opened by \(facts.client)\(facts.beganMidStream ? " mid-stream" : "")")
    }

    mutating func established(_ stream: Int, at time: Timestamp) {
        check(stream)
        events.append("\(stream) established at \(at(time))")
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        of stream: Int,
        from side: Side,
        at time: Timestamp
    ) {
        check(stream, side)
        if bytes.isEmpty { faults.append("nothing received") }
        self.bytes[stream][side, default: []] += bytes.map { $0 }
        events.append("\(stream) \(side): \(String(decoding: bytes.prefix(40), as: UTF8.self))")
    }

    mutating func lost(_ count: Int, of stream: Int, from side: Side, at time: Timestamp) {
        check(stream, side)
        if count <= 0 { faults.append("\(count) lost") }
        bytes[stream][side, default: []].append(nil)
        events.append("\(stream) \(side): \(count) lost")
    }

    mutating func ended(_ side: Side, of stream: Int, _ end: TCPStreamEnd, at time: Timestamp) {
        check(stream, side)
        endedSides[stream].append(side)
        if case .reset(let sender) = end {
            events.append("\(stream) \(side) reset by \(sender)")
        } else {
            events.append("\(stream) \(side) \(end)")
        }
    }

    mutating func closed(_ stream: Int, at time: Timestamp) {
        check(stream)
        if endedSides[stream].count != 2 { faults.append("\(stream) is closed with an open side") }
        openStreams.remove(stream)
        events.append("\(stream) closed")
    }

    /// All of one direction as a text.
    func text(_ side: Side, of stream: Int = 0) -> String {
        guard stream < bytes.count else { return "" }
        return String(decoding: (bytes[stream][side] ?? []).map { $0 ?? UInt8(ascii: "_") }, as: UTF8.self)
    }

    /// What is told of packets, in a decoder of their own.
    static func of(_ packets: [MadePacket]) -> StreamLog { decoded(packets).sink }

    static func decoded(_ packets: [MadePacket]) -> PacketDecoder<StreamLog> {
        var decoder = PacketDecoder(into: StreamLog())
        for (index, packet) in packets.enumerated() { decoder.give(packet, number: index + 1) }
        decoder.finish()
        return decoder
    }

    static func of(_ builder: PacketBuilder) -> [String] {
        let log = of(builder.packets)
        return log.faults.isEmpty ? log.events : log.faults
    }
}

extension PacketSink {
    mutating func give(_ packet: MadePacket, number: Int) {
        packet.bytes.withUnsafeBytes {
            receive(
                Packet(
                    number: number,
                    time: packet.time,
                    linkType: packet.linkType,
                    bytes: $0,
                    originalLength: packet.originalLength ?? packet.bytes.count
                )
            )
        }
    }
}
