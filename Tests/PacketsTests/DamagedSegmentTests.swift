import Captures
import Testing
import Wire

@testable import Packets

/// Segments that are damaged by their checksums: in the capture alone, or on the wire, where they come again.
struct DamagedSegmentTests {
    /// A question and its answer, twice; packets 3 to 6 have data.
    private static let conversation: [MadePacket] = {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "PA", 5001, 1005, "one!")
        made.send(.client, "PA", 1005, 5005, "two?")
        made.send(.server, "PA", 5005, 1009, "two!")
        made.send(.client, "FA", 1009, 5009)
        made.send(.server, "FA", 5009, 1010)
        return made.packets.map(checksummed)
    }()

    private static let told = [
        "0 client: one?", "0 server: one!", "0 client: two?", "0 server: two!", "0 client finished",
        "0 server finished", "0 closed",
    ]

    /// RFC 9293, section 3.1, for IPv4 without options.
    private static func checksummed(_ packet: MadePacket) -> MadePacket {
        var packet = packet
        let segment = packet.bytes.dropFirst(20)
        let covered = packet.bytes[12..<20] + [0, 6] + UInt16(segment.count).bigEndianBytes + segment
        var sum = 0
        for (index, byte) in covered.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
        packet.bytes.replaceSubrange(36..<38, with: (~UInt16(sum)).bigEndianBytes)
        return packet
    }

    /// One bit is another, `place` being that of its byte in the segment.
    private static func damaged(_ packet: MadePacket, at place: Int, _ bit: UInt8 = 0x40) -> MadePacket {
        var packet = packet
        packet.bytes[20 + place] ^= bit
        return packet
    }

    private static func log(_ packets: [MadePacket]) -> [String] {
        var made = PacketBuilder()
        made.packets = packets
        return Array(StreamLog.of(made).dropFirst(2))
    }

    @Test func wholeSegmentsAreToldAtOnce() {
        #expect(Self.log(Self.conversation) == Self.told)
    }

    /// Behind a gap, it is what a segment acknowledges that keeps an answer behind its question.
    @Test(arguments: [8, 9, 10, 11]) func whatADamagedSegmentAcknowledgesIsNotBelieved(place: Int) {
        var packets = Self.conversation
        packets[6] = Self.damaged(packets[6], at: place, 0x90)
        #expect(Self.log(packets) == Self.told)
        // The first question is not in the capture.
        packets.remove(at: 3)
        #expect(Self.log(packets).prefix(4) == ["0 client: 4 lost"] + Self.told[1..<4])
    }

    /// Where the capture began later, of the first ones nothing says yet that they are damaged.
    @Test(
        arguments: [
            (index: 0, place: 8, bit: 0x40), (0, 9, 1), (0, 10, 0x40), (1, 8, 0x80), (1, 10, 2),
            (1, 11, 0x80),
        ] as [(index: Int, place: Int, bit: UInt8)]
    )
    func norIsItBeforeAnyOtherOfItsSender(index: Int, place: Int, bit: UInt8) {
        var packets = Array(Self.conversation.dropFirst(3))
        let whole = packets[index]
        packets[index] = Self.damaged(whole, at: place, bit)
        packets.insert(whole, at: index + 1)
        var made = PacketBuilder()
        made.packets = packets
        #expect(Array(StreamLog.of(made).dropFirst()) == Self.told)
    }

    @Test(arguments: [4, 7, 12, 13, 20, 23], [3, 4, 5, 6])
    func theSegmentThatCameAgainCounts(place: Int, index: Int) {
        var packets = Self.conversation
        let whole = packets[index]
        packets[index] = Self.damaged(whole, at: place, 1)
        packets.insert(whole, at: index + 1)
        #expect(Self.log(packets) == Self.told)
    }

    /// Whatever of it is damaged, and be it the first of its connection that is captured.
    @Test(arguments: [(place: 4, bit: 1), (6, 0x20), (7, 0x40), (22, 1)] as [(place: Int, bit: UInt8)])
    func theFirstSegmentThatCameAgainCountsAsWell(place: Int, bit: UInt8) {
        var made = PacketBuilder(client: Endpoint(address: [10, 0, 0, 1], port: 50_001))
        made.handshake()
        let first = Self.conversation[3]
        made.packets =
            made.packets.map(Self.checksummed) + [Self.damaged(first, at: place, bit)]
            + Self.conversation.dropFirst(3)
        let told = StreamLog.of(made).filter { $0.hasPrefix("1 ") }
        #expect(told.dropFirst().map { $0.dropFirst(2) } == Self.told.map { $0.dropFirst(2) })
    }

    /// As where both are joined of several by the system that captures them: the client says first that it has the answer.
    @Test func anAnswerIsGivenBehindItsQuestionWhereBothAreDamaged() {
        var packets = Self.conversation
        for index in [3, 4] { packets[index] = Self.damaged(packets[index], at: 16) }
        #expect(Self.log(packets) == Self.told)
    }

    @Test func whatIsDamagedInTheCaptureAloneIsTakenAsItIs() {
        for (index, text) in [(3, "0 client: ono?"), (4, "0 server: ono!"), (6, "0 server: two!")] {
            var packets = Self.conversation
            packets[index] = Self.damaged(packets[index], at: index == 6 ? 9 : 22, 0x0a)
            var told = Self.told
            told[index - 3] = text
            #expect(Self.log(packets) == told)
        }
        // Nobody says any more that it came.
        let cut = Array(Self.conversation.prefix(3)) + [Self.damaged(Self.conversation[3], at: 22, 0x0a)]
        #expect(Self.log(cut).first == "0 client: ono?")
    }

    /// As where the system that receives them joins what an answer comes in, and the capture begins before it.
    @Test func firstBytesOfASideAreKeptAsWell() {
        var made = PacketBuilder()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "A", 5001, 1005)
        made.send(.server, "PA", 5001, 1005, "one!")
        made.send(.client, "A", 1005, 5005)
        made.packets = made.packets.map(Self.checksummed)
        made.packets[2] = Self.damaged(made.packets[2], at: 16)
        let log = StreamLog.of(made)
        #expect(log.contains("0 server: one!") && !log.contains { $0.hasSuffix("lost") }, "\(log)")
    }

    @Test func allConnectionsTogetherKeepNoMoreThanTheyMay() {
        var reassembler = TCPStreamReassembler(into: StreamLog(), maximumConnections: 100, maximumHeld: 1000)
        for port in 1...10 as ClosedRange<UInt16> {
            var made = PacketBuilder()
            made.client.port = port
            made.handshake()
            made.send(.client, "A", 1001, 5001, [UInt8](repeating: 7, count: 300))
            let packets = made.packets.map(Self.checksummed)
            reassembler.give(packets.dropLast() + [Self.damaged(packets[3], at: 22)])
        }
        let given = reassembler.sink.events.count { $0.contains(" client: ") }
        #expect(given > 3 && given < 10)
    }

    /// As where a connection of the same client goes before it.
    private static func after(_ packets: [MadePacket]) -> StreamLog {
        StreamLog.of(conversation + packets)
    }

    private static let next: [MadePacket] = {
        var made = PacketBuilder()
        made.client.port = 50_001
        made.time = PacketBuilder.start + .seconds(1)
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "three?")
        made.send(.server, "PA", 5001, 1007, "three!")
        return made.packets.map(checksummed)
    }()

    /// Of who sent it, and of who was to get it; it comes again then.
    @Test(arguments: [0, 1, 2, 3], [3, 4, 6]) func aDamagedPortOpensNoConnection(place: Int, index: Int) {
        var packets = Self.conversation
        packets.insert(Self.damaged(packets[index], at: place), at: index)
        #expect(Self.log(packets) == Self.told)
    }

    /// Its ports, its number, its flags: no SYN any more, or one that answers.
    @Test(arguments: [(0, 0x40), (3, 0x40), (4, 0x40), (7, 0x40), (13, 2), (13, 0x10)] as [(Int, UInt8)])
    func aDamagedSYNOpensNoConnection(place: Int, bit: UInt8) {
        let log = Self.after([Self.damaged(Self.next[0], at: place, bit)] + Self.next)
        #expect(log.events == Self.after(Self.next).events)
        #expect(log.facts.count == 2 && log.text(.server, of: 1) == "three!")
    }

    @Test(arguments: [0, 1]) func aHandshakeThatIsDamagedInTheCaptureAloneBegins(index: Int) {
        var packets = Self.next
        packets[index] = Self.damaged(packets[index], at: 16)
        #expect(Self.after(packets).events == Self.after(Self.next).events)
        // The first one that there is.
        #expect(Self.after(Array(packets.dropFirst(index))).text(.server, of: 1) == "three!")
    }

    /// They are kept until another one comes, and there is no end of them.
    @Test func damagedSegmentsOfNoConnectionAreForgotten() {
        var packets = Self.conversation
        for port in 0..<200 as Range<UInt16> {
            var made = PacketBuilder()
            made.client.port = 40_000 + port
            made.send(.client, "PA", 1001, 5001, "stray")
            packets += Self.conversation.prefix(3) + [Self.damaged(Self.checksummed(made.packets[0]), at: 20)]
        }
        #expect(StreamLog.of(packets).facts.count == 1)
    }

    @Test func aDamagedResetEndsNothing() {
        var packets = Self.conversation
        packets.insert(Self.damaged(packets[3], at: 13, 4), at: 3)
        #expect(Self.log(packets) == Self.told)
    }

    /// As where a system leaves numbers of its own there, or addresses were exchanged in the capture.
    @Test func checksumsThatNeverFitSayNothing() {
        #expect(Self.log(Self.conversation.map { Self.damaged($0, at: 16) }) == Self.told)
        // One side's.
        let mixed = Self.conversation.map { $0.bytes[15] == 1 ? Self.damaged($0, at: 16) : $0 }
        #expect(Self.log(mixed) == Self.told)
    }

    /// Those that an interface fills in behind the capture.
    @Test func aSumOfThePseudoHeaderFits() {
        let source: [UInt8] = [10, 0, 0, 1]
        let destination: [UInt8] = [10, 0, 0, 2]
        for (text, written) in [("ask", 0x1400 + 3 + 6 + 23 as UInt16), ("ask", 0x1400 + 3 + 6)] {
            var bytes = PacketBuilder.segment(from: 1, to: 2, "A", 3, 4, Array(text.utf8))
            bytes.replaceSubrange(16..<18, with: written.bigEndianBytes)
            PacketBuilder.version4(source, destination, 6, bytes).withUnsafeBytes { packet in
                guard case .packet(let header) = InternetHeader.read(packet, original: packet.count) else {
                    Issue.record("no packet")
                    return
                }
                #expect(TCPSegment(header)?.checksum == .fits)
            }
        }
    }

    @Test func sumsOfWordsAreThoseOfAnyLength() {
        for count in [0, 1, 2, 3, 31, 32, 33, 64, 95, 1460, 65_535] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 250) }
            var sum = 0
            for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
            while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
            #expect(bytes.withUnsafeBytes { Int(OnesComplement.sum(of: $0)) } == sum)
        }
    }
}
