/// Writes gzip and zip, with deflate that does not compress.
enum Archive {
    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
    }

    private static func checksum(_ bytes: [UInt8]) -> Int {
        var sum: UInt32 = 0xffff_ffff
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return Int(sum ^ 0xffff_ffff)
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        for start in stride(from: 0, to: max(1, bytes.count), by: 0xffff) {
            let piece = bytes[start..<min(bytes.count, start + 0xffff)]
            out +=
                [start + 0xffff >= bytes.count ? 1 : 0] + little(piece.count, 2) + little(~piece.count, 2)
                + piece
        }
        return out
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + deflated(bytes) + little(checksum(bytes), 4)
            + little(bytes.count, 4)
    }

    /// `isLarge`: with the fields of zip64, and sizes behind the data.
    static func zip(
        _ files: [(name: String, bytes: [UInt8])],
        isDeflated: Bool = false,
        isLarge: Bool = false
    ) -> [UInt8] {
        var out: [UInt8] = []
        var central: [UInt8] = []
        for (name, bytes) in files {
            let packed = isDeflated ? deflated(bytes) : bytes
            let start = out.count
            let method = little(isDeflated ? 8 : 0, 2)
            let sum = little(checksum(bytes), 4)
            let sizes = isLarge ? little(-1, 8) : little(packed.count, 4) + little(bytes.count, 4)
            let extra =
                isLarge
                ? little(1, 2) + little(24, 2) + little(bytes.count, 8) + little(packed.count, 8)
                    + little(start, 8) : []
            let local = isLarge ? little(0, 12) : sum + sizes
            out +=
                [0x50, 0x4b, 3, 4, 20, 0, isLarge ? 8 : 0, 0] + method + little(0, 4) + local
                + little(name.utf8.count, 2) + [0, 0]
            out += Array(name.utf8) + packed
            if isLarge { out += [0x50, 0x4b, 7, 8] + sum + little(packed.count, 8) + little(bytes.count, 8) }
            central += [0x50, 0x4b, 1, 2, 45, 3, 45, 0, 0, 0] + method + little(0, 4) + sum + sizes
            central +=
                little(name.utf8.count, 2) + little(extra.count, 2) + little(0, 10)
                + (isLarge ? little(-1, 4) : little(start, 4))
            central += Array(name.utf8) + extra
        }
        let place = out.count
        out += central
        if isLarge {
            let record = out.count
            out += [0x50, 0x4b, 6, 6] + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
            out +=
                little(files.count, 8) + little(files.count, 8) + little(central.count, 8) + little(place, 8)
            out += [0x50, 0x4b, 6, 7] + little(0, 4) + little(record, 8) + little(1, 4)
        }
        out +=
            [0x50, 0x4b, 5, 6] + little(0, 4)
            + (isLarge ? little(-1, 4) : little(files.count, 2) + little(files.count, 2))
        return out + (isLarge ? little(-1, 8) : little(central.count, 4) + little(place, 4)) + little(0, 2)
    }
}
