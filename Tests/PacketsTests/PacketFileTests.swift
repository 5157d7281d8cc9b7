import Captures
import CZlib
import Packets
import TestSupport
import Testing
import Wire

struct PacketFileTests {
    private let made: [MadePacket] = {
        var made = PacketBuilder()
        made.time = made.time + .nanoseconds(123_456_000)
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "ask")
        return made.packets
    }()

    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream,
            9,
            Z_DEFLATED,
            31,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1000)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, Z_FINISH)
                return Array(output[..<Int(stream.total_out)])
            }
        }
    }

    private func expectAll(
        of file: [UInt8],
        _ packets: [MadePacket]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (log, losses) = try PacketLog.of(file)
        let packets = packets ?? made
        #expect(losses == [], sourceLocation: sourceLocation)
        #expect(log.numbers == Array(1...packets.count), sourceLocation: sourceLocation)
        // Megabytes are nothing for a failure's text.
        let areEqual = log.packets.map(\.bytes) == packets.map(\.bytes)
        #expect(areEqual, sourceLocation: sourceLocation)
        #expect(log.packets.map(\.time) == packets.map(\.time), sourceLocation: sourceLocation)
        #expect(log.packets.map(\.linkType) == packets.map(\.linkType), sourceLocation: sourceLocation)
        #expect(PacketFile.isPacketFile(file.prefix(512)), sourceLocation: sourceLocation)
    }

    // MARK: - Classic

    @Test(arguments: [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34] as [UInt32], [false, true])
    func everyFormOfTheClassicFormatIsRead(magic: UInt32, isBig: Bool) throws {
        try expectAll(of: CaptureFileBuilder.pcap(made, isBig: isBig, magic: magic))
    }

    /// Of Nokia's machines and of old systems of Red Hat's: the file does not say that there is more in a packet's header.
    @Test(
        arguments: [(0xa1b2_c3d4, 4), (0xa1b2_c3d4, 8), (0xa1b2_cd34, 12)] as [(UInt32, Int)],
        [false, true]
    )
    func headersThatAreLongerThanTheFileSaysAreRead(form: (magic: UInt32, more: Int), isBig: Bool) throws {
        let file = CaptureFileBuilder.pcap(made, isBig: isBig, magic: form.magic, headerBytes: form.more)
        try expectAll(of: file)
    }

    @Test func aPacketThatWasCutKnowsItsLength() throws {
        let (log, _) = try PacketLog.of(CaptureFileBuilder.pcap([made[3].cut(to: 30)]))
        #expect(log.packets[0].bytes.count == 30)
        #expect(log.packets[0].originalLength == 43)
    }

    @Test func aCaptureThatBreaksOffIsReadToItsLastWholePacket() throws {
        let file = CaptureFileBuilder.pcap(made)
        let size = file.count
        let (log, losses) = try PacketLog.of(file.dropLast(10))
        #expect(log.packets.count == 3)
        #expect(
            losses == [
                "byte \(size - 59), packet 4: the capture breaks off 33 bytes into this packet, which has 43"
            ]
        )
        #expect(
            try PacketLog.of(file.dropLast(50)).losses == [
                "byte \(size - 59), packet 4: the capture breaks off 9 bytes into the header of this packet"
            ]
        )
        #expect(try PacketLog.of(file.dropLast(59)).losses == [])
    }

    @Test func packetsBehindADamagedHeaderAreFound() throws {
        let packets = made + made.map { MadePacket(bytes: $0.bytes, time: $0.time + .seconds(5)) }
        var file = CaptureFileBuilder.pcap(packets)
        file[24 + 56 + 11] = 0xf0
        let (log, losses) = try PacketLog.of(file)
        #expect(log.packets.count == 7)
        #expect(
            losses == [
                "byte 80, packet 2: says it has 4026531880 bytes, which no packet has; 56 bytes are passed over"
            ]
        )
    }

    // MARK: - pcapng

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

    // MARK: - Any file

    /// Of any kinds, as `cat` puts them, or a program that writes to the end of its file each time it starts.
    @Test func filesBehindEachOtherAreReadAsOne() throws {
        let micro = CaptureFileBuilder.pcap(made)
        let kinds = [
            micro, CaptureFileBuilder.pcap(made, isBig: true),
            CaptureFileBuilder.pcap(made, magic: 0xa1b2_3c4d),
            CaptureFileBuilder.pcap(made, magic: 0xa1b2_cd34),
        ]
        for first in kinds {
            for second in kinds {
                try expectAll(of: first + second + first, made + made + made)
                try expectAll(of: gzip(first) + gzip(second), made + made)
            }
        }
        // One without packets, and one that is only a beginning.
        try expectAll(of: Array(micro.prefix(24)) + micro, made)
        let (log, losses) = try PacketLog.of(micro + micro.prefix(20))
        #expect(log.packets.map(\.bytes) == made.map(\.bytes) + [[]])
        #expect(losses.count == 1)
    }

    /// Frames of zstd (RFC 8878, section 3.1.1) whose blocks are not compressed.
    private func zstandard(_ bytes: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58]
        for begin in stride(from: 0, to: bytes.count, by: 100) {
            let block = bytes[begin..<min(begin + 100, bytes.count)]
            let header = UInt32(block.count) << 3 | (block.endIndex == bytes.count ? 1 : 0)
            frame += header.littleEndianBytes.prefix(3) + block
        }
        return frame
    }

    @Test(.enabled(if: ZstandardDecoder.isAvailable)) func filesPackedWithZstandardAreRead() throws {
        let file = CaptureFileBuilder.pcap(made)
        try expectAll(of: zstandard(file))
        try expectAll(of: zstandard(CaptureFileBuilder.pcapng(made)))
        try expectAll(of: zstandard(Array(file[..<50])) + zstandard(Array(file[50...])))
        #expect(PacketFile.isPacketFile(zstandard(file)))
        // Half of the last block is not there.
        let (_, losses) = try PacketLog.of(zstandard(file).dropLast(20))
        #expect(losses.last?.hasSuffix("the zstd-packed file breaks off") == true)
        var damaged = zstandard(file + file)
        damaged[6] |= 6
        for (bytes, reason) in [
            (damaged, "nothing can be read: the zstd-packed file is damaged at its byte "),
            (zstandard(Array("{}".utf8)), "packed with zstd, and no packet capture is in it"),
        ] {
            #expect {
                _ = try PacketLog.of(bytes)
            } throws: {
                "\($0)".contains(reason)
            }
        }
        // More than is unpacked at a time.
        let many = Array(repeating: made, count: 5000).flatMap { $0 }
        try expectAll(of: zstandard(CaptureFileBuilder.pcap(many)), many)
    }

    /// Four bytes become 128 KiB.
    @Test(.enabled(if: ZstandardDecoder.isAvailable)) func whatBecomesTooLargeIsNotReadToItsEnd() throws {
        func block(_ count: Int, _ kind: UInt32, _ bytes: [UInt8]) -> [UInt8] {
            (UInt32(count) << 3 | kind).littleEndianBytes.prefix(3) + bytes
        }
        // A block of pcapng's that nobody knows, with zeros in it.
        let capture = CaptureFileBuilder.pcapng(made)
        let length = UInt32(512 << 20).littleEndianBytes
        let head = capture + UInt32(0x0bad).littleEndianBytes + length
        let zeros = (0..<4096).flatMap { _ in block(1 << 17, 2, [0]) }
        let file = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58] + block(head.count, 0, head) + zeros + block(0, 1, [])
        let (log, losses) = try PacketLog.of(file)
        #expect(log.packets.map(\.bytes) == made.map(\.bytes))
        #expect(
            losses.last?.hasSuffix(
                "the zstd-packed file becomes more than 1024 times as large: it is not read any further"
            ) == true
        )
    }

    @Test func gzippedFilesAreRead() throws {
        let file = CaptureFileBuilder.pcap(made)
        try expectAll(of: gzip(file))
        try expectAll(of: gzip(CaptureFileBuilder.pcapng(made)))
        try expectAll(of: gzip(Array(file[..<50])) + gzip(Array(file[50...])))
        let (log, losses) = try PacketLog.of(gzip(file).dropLast(20))
        #expect(log.packets.count < 4)
        #expect(losses.last?.hasSuffix("the gzip'ed file breaks off") == true)
        #expect(!PacketFile.isPacketFile(gzip(Array("{\"log\":{}}".utf8))))
    }

    @Test func filesLargerThanTheWindowAreRead() throws {
        var generator = SeededGenerator(seed: 4)
        var packets: [MadePacket] = []
        for index in 0..<120 as Range<Int64> {
            let count = Int.random(in: 1...60_000, using: &generator)
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(index)) }
            packets.append(MadePacket(bytes: bytes, time: PacketBuilder.start + .seconds(index)))
        }
        try expectAll(of: CaptureFileBuilder.pcap(packets), packets)
        try expectAll(of: CaptureFileBuilder.pcapng(packets), packets)
        try expectAll(of: gzip(CaptureFileBuilder.pcapng(packets)), packets)
        let large = CaptureFileBuilder.block(0x0bad, [UInt8](repeating: 3, count: 20 << 20))
        try expectAll(
            of: CaptureFileBuilder.pcapng(made) + large
                + packets.prefix(3).flatMap { CaptureFileBuilder.packet($0) },
            made + packets.prefix(3)
        )
    }

    @Test func progressGoesToTheSizeOfTheFile() throws {
        let packet = MadePacket(bytes: [UInt8](repeating: 1, count: 100_000), time: PacketBuilder.start)
        let file = CaptureFileBuilder.pcap([MadePacket](repeating: packet, count: 30))
        var seen: [Int] = []
        try PacketLog.withFile(file) { path in
            var log = PacketLog()
            _ = try PacketFile.read(path: path, into: &log) { done, total in
                #expect(total == file.count)
                seen.append(done)
            }
        }
        #expect(seen.count >= 3)
        #expect(seen == seen.sorted())
        #expect(seen.last == file.count)
    }

    @Test func whatIsNoCaptureIsRefusedWithItsReason() throws {
        func refusal(_ bytes: [UInt8]) throws -> String {
            try PacketLog.withFile(bytes) { path in
                var log = PacketLog()
                do throws(PacketError) { _ = try PacketFile.read(path: path, into: &log) } catch {
                    return error.description.replacing(path, with: "FILE")
                }
                return "read"
            }
        }
        #expect(try refusal([]) == "FILE: byte 0: the file is empty")
        #expect(try refusal(Array("snoop\0\0\0".utf8)).contains("editcap -F pcapng OLD NEW"))
        let cut = try refusal([0x28, 0xb5, 0x2f, 0xfd, 1])
        // Without the library for it the user has to unpack it.
        #expect(["the zstd-packed file breaks off", "zstd -d"].contains { cut.contains($0) }, "\(cut)")
        #expect(try refusal(Array("{\"log\": {}}".utf8)).hasPrefix("FILE: byte 0: neither pcap nor pcapng"))
        #expect(
            try refusal(Array(CaptureFileBuilder.pcap(made).prefix(20))).contains(
                "breaks off in its file header"
            )
        )
        var log = PacketLog()
        #expect(throws: PacketError.noSuchFile(path: "/nonexistent/a.pcap")) {
            _ = try PacketFile.read(path: "/nonexistent/a.pcap", into: &log)
        }
        #expect(throws: PacketError.cannotBeRead(path: "/", reason: "is a folder")) {
            _ = try PacketFile.read(path: "/", into: &log)
        }
    }

    @Test func aFileThatIsCutAnywhereGivesABeginningOfItsPackets() throws {
        for file in [
            CaptureFileBuilder.pcap(made), CaptureFileBuilder.pcapng(made),
            gzip(CaptureFileBuilder.pcap(made)),
        ] {
            for count in stride(from: 24, to: file.count, by: 7) {
                guard let (log, losses) = try? PacketLog.of(Array(file.prefix(count))) else { continue }
                #expect(log.packets.map(\.bytes) == made.prefix(log.packets.count).map(\.bytes))
                #expect(losses.count <= 2)
            }
        }
    }
}
