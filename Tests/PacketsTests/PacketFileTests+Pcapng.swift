import Captures
import Packets
import Testing

/// Files of the pcapng format: sections, interfaces, and blocks of which one is damaged.
extension PacketFileTests {
    @Test(arguments: [false, true])
    func bothByteOrdersArePcapng(isBig: Bool) throws {
        try expectAll(of: CaptureFileBuilder.pcapng(made, isBig: isBig))
    }

    @Test func sectionsHaveTheirOwnByteOrderAndInterfaces() throws {
        let ethernet = made.map {
            MadePacket(bytes: PacketBuilder.ethernet($0.bytes), time: $0.time, linkType: .ethernet)
        }
        let file =
            CaptureFileBuilder.pcapng([made[0]]) + CaptureFileBuilder.section(isBig: true)
            + CaptureFileBuilder.interface(.ethernet, isBig: true) + CaptureFileBuilder.interface(isBig: true)
            + CaptureFileBuilder.packet(ethernet[1], isBig: true)
            + CaptureFileBuilder.packet(made[2], interface: 1, isBig: true)
            + CaptureFileBuilder.block(0x0bad, [1, 2, 3], isBig: true)
            + CaptureFileBuilder.packet(ethernet[3], isBig: true)
        try expectAll(of: file, [made[0], ethernet[1], made[2], ethernet[3]])
    }

    @Test(
        arguments: [
            (6, nil, 1_780_000_000_123_456), (9, nil, 1_780_000_000_123_456_789), (0, nil, 1_780_000_000),
            (3, nil, 1_780_000_000_123), (12, 0, 1_780_000_000_123_456_789),
            (0x80 | 10, nil, 1_822_720_000_512),
            (6, -100, 1_780_000_100_123_456), (0x7f, nil, 7), (0xff, nil, 7),
            (0x80 | 63, nil, 13_835_058_055_282_163_712),
        ] as [(Int, Int?, UInt64)]
    )
    func aTimeIsInTheUnitOfItsInterface(resolution: Int, offset: Int?, ticks: UInt64) throws {
        var options = CaptureFileBuilder.option(2, Array("lo".utf8))
        options += CaptureFileBuilder.option(9, [UInt8(resolution)])
        if let offset { options += CaptureFileBuilder.option(14, Int64(offset).littleEndianBytes) }
        let file =
            CaptureFileBuilder.section() + CaptureFileBuilder.interface(options: options + [0, 0, 0, 0])
            + CaptureFileBuilder.packet(made[0], ticks: ticks)
        let time = try #require(try PacketLog.of(file).log.packets.first).time.nanoseconds
        let expected: [Int: Int64] = [
            6: 1_780_000_000_123_456_000, 9: 1_780_000_000_123_456_789, 0: 1_780_000_000_000_000_000,
            3: 1_780_000_000_123_000_000, 12: 1_780_000_000_123_456, 0x8a: 1_780_000_000_500_000_000,
            0x7f: 0, 0xff: 0, 0xbf: 1_500_000_000,
        ]
        #expect(time == expected[resolution])
    }

    @Test(arguments: [Int64.min, -10_000_000_000, 10_000_000_000, .max])
    func aTimeBeyondWhatCanBeSaidIsTheFirstOrTheLast(offset: Int64) throws {
        let options = CaptureFileBuilder.option(14, offset.littleEndianBytes)
        let file =
            CaptureFileBuilder.section() + CaptureFileBuilder.interface(options: options + [0, 0, 0, 0])
            + CaptureFileBuilder.packet(made[0], ticks: 7)
        let time = try #require(try PacketLog.of(file).log.packets.first).time
        #expect(time.nanoseconds == (offset < 0 ? .min : .max))
        #expect(time.seconds == (offset < 0 ? -9_223_372_037 : 9_223_372_036))
    }

    @Test func oldAndSimplePacketsAreRead() throws {
        let bytes = made[0].bytes
        let old =
            UInt16(0).littleEndianBytes + UInt16(3).littleEndianBytes
            + UInt32(UInt64(made[0].time.nanoseconds / 1000) >> 32).littleEndianBytes
            + UInt32(truncatingIfNeeded: made[0].time.nanoseconds / 1000).littleEndianBytes
            + UInt32(bytes.count).littleEndianBytes + UInt32(bytes.count).littleEndianBytes + bytes
        let file =
            CaptureFileBuilder.section() + CaptureFileBuilder.interface(snapLength: 30)
            + CaptureFileBuilder.block(2, old)
            + CaptureFileBuilder.block(3, UInt32(40).littleEndianBytes + bytes.prefix(30))
        let (log, losses) = try PacketLog.of(file)
        #expect(losses == [])
        #expect(log.packets.map(\.bytes.count) == [40, 30])
        #expect(log.packets.map(\.originalLength) == [40, 40])
        #expect(log.packets.map(\.time) == [made[0].time, made[0].time])
    }

    @Test func keysAreFoundWhereverTheyStand() throws {
        let file =
            CaptureFileBuilder.pcapng(made) + CaptureFileBuilder.secrets("CLIENT_RANDOM 1 2\n")
            + CaptureFileBuilder.secrets("wireguard", type: 0x5747_4b4c)
            + CaptureFileBuilder.section(isBig: true) + CaptureFileBuilder.secrets("second", isBig: true)
        let (log, losses) = try PacketLog.of(file)
        #expect(losses == [])
        #expect(log.keyLogs == ["CLIENT_RANDOM 1 2\n", "second"])
        for file in [file, gzip(file)] {
            let found = try PacketLog.withFile(file) { try PacketFile.keyLogs(in: $0) }
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == log.keyLogs)
        }
        let none = try PacketLog.withFile(CaptureFileBuilder.pcap(made)) { try PacketFile.keyLogs(in: $0) }
        #expect(none == [])
    }

    @Test func blocksBehindADamagedOneAreFound() throws {
        for place in [48 + 4, 48 + 5] {
            var file = CaptureFileBuilder.pcapng(made)
            // Both of its lengths, of which the last begins 68 bytes behind its type.
            file[place] ^= 0x55
            file[48 + 68] ^= 0x0f
            let (log, losses) = try PacketLog.of(file)
            #expect(log.packets.map(\.bytes) == made.dropFirst().map(\.bytes), "byte \(place)")
            #expect(losses.count == 1)
            #expect(losses.first?.hasPrefix("byte 48, packet 1: ") == true)
            #expect(losses.first?.hasSuffix("; 72 bytes are passed over") == true)
        }
    }

    /// What its first length says leads to the next block, or to the end of the file.
    @Test(arguments: [false, true]) func aBlockWhoseSecondLengthIsWrongIsRead(isBig: Bool) throws {
        let file = CaptureFileBuilder.pcapng(made, isBig: isBig)
        var ends: [Int] = []
        var place = 0
        while place < file.count {
            let length = file[(place + 4)..<(place + 8)]
            place += (isBig ? Array(length) : length.reversed()).reduce(0) { $0 << 8 | Int($1) }
            ends.append(place)
        }
        for end in ends {
            var damaged = file
            damaged[end - 4] ^= 0x55
            try expectAll(of: damaged)
        }
        // Of all of them, as who writes them wrong does.
        var damaged = file
        for end in ends { damaged.replaceSubrange((end - 4)..<end, with: [0, 0, 0, 0]) }
        try expectAll(of: damaged)
        // A section in the other byte order may be the next.
        try expectAll(of: damaged + CaptureFileBuilder.pcapng(made, isBig: !isBig), made + made)
    }

    /// Its last length says how long it is: another block begins behind it, or the file ends.
    @Test(arguments: [false, true]) func aBlockWhoseFirstLengthIsWrongIsRead(isBig: Bool) throws {
        let file = CaptureFileBuilder.pcapng(made, isBig: isBig)
        // Too small, no multiple of four, of more than the file has, of more than any block.
        let lengths: [UInt32] = [0, 8, 70, 60, 4096, 0x7fff_fff0]
        // The section, the interface, and the packets of 72 bytes.
        for place in [28] + (0..<made.count).map({ 48 + 72 * $0 }) {
            for length in lengths {
                var damaged = file
                damaged.replaceSubrange(
                    (place + 4)..<(place + 8),
                    with: isBig ? length.bigEndianBytes : length.littleEndianBytes
                )
                try expectAll(of: damaged)
            }
        }
    }

    @Test func largeBlocksThatAreNoneAreSoughtWithFewReads() throws {
        // A packet of almost 1 MiB begins every 8 bytes, and ends nowhere.
        let packet: [UInt8] = [6, 0, 0, 0, 0xfc, 0xff, 0x0f, 0]
        let file =
            CaptureFileBuilder.section(isBig: false)
            + (0..<140_000).flatMap { _ in packet }
        var reads = 0
        try PacketLog.withFile(file) { path in
            var log = PacketLog()
            _ = try PacketFile.read(path: path, into: &log) { _, _ in reads += 1 }
        }
        #expect(reads < 100)
    }

    @Test func aPacketThatSaysWhatCannotBeIsLostAlone() throws {
        var file = CaptureFileBuilder.pcapng(made)
        file[48 + 8] = 9
        file[48 + 72 + 20] = 0xff
        let (log, losses) = try PacketLog.of(file)
        #expect(log.numbers == [3, 4])
        #expect(
            losses == [
                "byte 48, packet 1: this packet is of interface 9, which is not named",
                "byte 120, packet 2: this packet says it has 255 bytes in a block with room for 40",
            ]
        )
        file[120 + 8] = 9
        #expect(
            try PacketLog.of(file).losses == [
                "byte 48, packet 1: this packet is of interface 9, which is not named, and 1 more like it"
            ]
        )
    }

    /// The last count of each interface stands: they go on.
    @Test(arguments: [false, true]) func packetsThatWereDroppedAreTold(isBig: Bool) throws {
        func statistics(_ interface: UInt32, _ dropped: [(code: UInt16, count: UInt64)]) -> [UInt8] {
            let options = dropped.flatMap { code, count in
                CaptureFileBuilder.option(code, CaptureFileBuilder.integer(count, isBig), isBig: isBig)
            }
            let head = CaptureFileBuilder.integer(interface, isBig) + [UInt8](repeating: 0, count: 8)
            return CaptureFileBuilder.block(5, head + options, isBig: isBig)
        }
        let file = CaptureFileBuilder.pcapng(made, isBig: isBig)
        let (log, losses) = try PacketLog.of(
            file + statistics(0, [(4, 9), (5, 1), (7, 2)]) + statistics(0, [(5, 1), (7, 6)])
                + statistics(0, [(4, 12)]) + statistics(3, [(7, 9)]) + file + statistics(0, [(4, 9), (7, 0)])
        )
        #expect(log.numbers.count == 2 * made.count)
        #expect(losses == ["dropped when it was captured, by its own count: 7 packets; a filter helps"])
    }
}
