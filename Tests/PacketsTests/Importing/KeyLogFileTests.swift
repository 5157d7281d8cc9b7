import Captures
import Packets
import Testing

/// What is given for a key log.
struct KeyLogFileTests {
    private static let line =
        "CLIENT_RANDOM \(String(repeating: "0a", count: 32)) \(String(repeating: "5d", count: 48))"

    private func report(_ bytes: [UInt8], pieces: Int = 1 << 20) -> PacketImportReport {
        var exchanges = PacketExchanges(maximumBodyBytes: 1, budget: RecordingBudget(bytes: 1))
        var rest = bytes[...]
        exchanges.add(keyLogFile: "keys.log") {
            defer { rest = rest.dropFirst(pieces) }
            return Array(rest.prefix(pieces))
        }
        return exchanges.report
    }

    private static let others: [(String, [UInt8])] = [
        (
            "is a private key, which opens no connection of today's key exchanges",
            Array(
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
                    .utf8
            )
        ),
        (
            "is a private key, which opens no connection of today's key exchanges",
            Array("Bag Attributes\r\n-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBg\r\n".utf8)
        ), ("is a certificate", Array("-----BEGIN CERTIFICATE-----\nMIIDFzCC\n".utf8)),
        (
            "is a PNG picture",
            [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x41, 0x42, 0x43, 0x20, 0x41, 0x0a]
        ),
        ("is a packet capture", [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]), ("is empty", []),
        ("has no line of a key log", Array("nothing\nto see\n".utf8)),
        (
            "has no whole line of a key log (line 2: its secret is not 96 hexadecimal digits)",
            Array("nothing\nCLIENT_RANDOM \(String(repeating: "0a", count: 32)) 5d5d\n".utf8)
        ), ("is JSON", Array(" {}".utf8)),
    ]

    @Test(arguments: others)
    func whatIsNoKeyLogIsCalledWhatItIs(_ what: String, _ bytes: [UInt8]) {
        #expect(
            report(bytes).losses.map(\.what) == [
                "keys.log \(what): a key log is what SSLKEYLOGFILE makes a program write while it connects"
            ]
        )
    }

    /// With a byte order mark or without one.
    @Test(arguments: [true, false], ["\u{feff}", ""])
    func aKeyLogInUTF16IsRead(isBigEndian: Bool, mark: String) {
        let text = "\(mark)# made by a shell\r\n\(Self.line)\r\n"
        let bytes = text.utf16.flatMap { isBigEndian ? $0.bigEndianBytes : $0.littleEndianBytes }
        for pieces in [1, 7, 1 << 20] {
            // The mark is seen in the first piece.
            let read = report(bytes, pieces: max(2, pieces))
            #expect(read.counts.keys == 1)
            #expect(read.losses.isEmpty)
        }
    }

    @Test func linesThatAreNoneAreNamedWithTheirFile() {
        let read = report(Array("\(Self.line)\nCLIENT_RAND".utf8))
        #expect(read.counts.keys == 1)
        #expect(read.losses.map(\.what) == ["the key log: keys.log: line 2: does not begin with a label"])
    }
}
