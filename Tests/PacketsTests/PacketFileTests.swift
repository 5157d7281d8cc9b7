import Captures
import CZlib
import Packets
import TestSupport
import Testing
import Wire

struct PacketFileTests {
    let made: [MadePacket] = {
        var made = PacketBuilder()
        made.time = made.time + .nanoseconds(123_456_000)
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "ask")
        return made.packets
    }()

    func gzip(_ bytes: [UInt8]) -> [UInt8] {
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

    func expectAll(
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
