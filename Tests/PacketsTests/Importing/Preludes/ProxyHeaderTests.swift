import Captures
@testable import Packets
import TestSupport
import Testing
import Wire

/// Headers of the PROXY protocol, read from their first byte.
struct ProxyHeaderTests {
    static let signature = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

    /// A header of version 2.
    static func binary(_ command: UInt8, _ family: UInt8, _ body: [UInt8]) -> [UInt8] {
        signature + [0x20 | command, family] + UInt16(body.count).bigEndianBytes + body
    }

    private static let version4: [UInt8] = [203, 0, 113, 7, 10, 0, 0, 2, 0xc0, 1, 1, 0xbb]
    private static let version6: [UInt8] =
        [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7]
        + [UInt8](repeating: 0, count: 15) + [1] + [0xc0, 1, 1, 0xbb]

    /// With what the source is, and the authority.
    static let headers: [(name: String, bytes: [UInt8], source: String?, authority: String?)] = [
        ("TCP4", Array("PROXY TCP4 203.0.113.7 10.0.0.2 49153 443\r\n".utf8), "203.0.113.7:49153", nil),
        ("TCP6", Array("PROXY TCP6 2001:db8::7 ::1 49153 443\r\n".utf8), "[2001:db8::7]:49153", nil),
        ("UNKNOWN", Array("PROXY UNKNOWN\r\n".utf8), nil, nil),
        (
            "the longest line",
            Array(
                "PROXY UNKNOWN \((0..<3).map { _ in "ffff:ffff:ffff:ffff:ffff:ffff:" }.joined())f\r\n".utf8
            ),
            nil, nil
        ),
        ("version 2", binary(1, 0x11, version4), "203.0.113.7:49153", nil),
        ("version 2, IPv6", binary(1, 0x21, version6), "[2001:db8::7]:49153", nil),
        ("LOCAL", binary(0, 0, []), nil, nil), ("LOCAL with addresses", binary(0, 0x11, version4), nil, nil),
        ("a socket of files", binary(1, 0x31, [UInt8](repeating: 7, count: 216)), nil, nil),
        ("not specified", binary(1, 0, [1, 2, 3]), nil, nil),
        (
            "values",
            binary(
                1,
                0x11,
                version4 + [0xea, 0, 2, 1, 9] + [2, 0, 10] + Array("op.example".utf8) + [4, 0, 0]
            ),
            "203.0.113.7:49153", "op.example"
        ),
        ("values that break off", binary(1, 0x11, version4 + [2, 0, 10, 0x61]), "203.0.113.7:49153", nil),
        ("no name", binary(1, 0x11, version4 + [2, 0, 3] + Array("a/b".utf8)), "203.0.113.7:49153", nil),
        (
            "the largest", binary(1, 0x11, version4 + [UInt8](repeating: 4, count: 65_523)),
            "203.0.113.7:49153",
            nil
        ),
    ]

    @Test(arguments: headers.map(\.name)) func headerIsReadHoweverMuchOfItIsThere(name: String) throws {
        let (_, bytes, source, authority) = try #require(Self.headers.first { $0.name == name })
        for count in 1..<min(bytes.count, 400) {
            #expect(ProxyHeader.read(Array(bytes.prefix(count))) == .more)
        }
        for rest in [[], [0x16, 3, 1]] as [[UInt8]] {
            guard case .header(let header) = ProxyHeader.read(bytes + rest) else {
                Issue.record("\(ProxyHeader.read(bytes))")
                return
            }
            #expect(header.size == bytes.count)
            #expect(header.source?.description == source)
            #expect(header.authority == authority)
        }
    }

    @Test(
        arguments: [
            "PROXY TCP4 203.0.113.7 10.0.0.2 49153\r\n", "PROXY TCP4 ::1 ::1 49153 443\r\n",
            "PROXY TCP4 203.0.113.256 10.0.0.2 49153 443\r\n",
            "PROXY TCP4 203.0.113.7 10.0.0.2 49153 65536\r\n", "PROXY TCP4 10.0.0.2 10.0.0.256 1 443\r\n",
            "PROXY TCP4 203.0.113.7 10.0.0.2 -1 443\r\n", "PROXY TCP4  203.0.113.7 10.0.0.2 1 443\r\n",
            "PROXY UDP4 203.0.113.7 10.0.0.2 1 443\r\n", "PROXY UNKNOWN\n", "PROXY \n", "PROXY \r\n",
            "PROXY UNKNOWN " + String(repeating: "a", count: 92) + "\r\n",
            "PROXY TCP6 2001:db8::7%eth0 ::1 49153 443\r\n",
        ]
    )
    func lineThatIsNoneIsBroken(line: String) {
        guard case .broken = ProxyHeader.read(Array(line.utf8)) else {
            Issue.record("\(ProxyHeader.read(Array(line.utf8)))")
            return
        }
    }

    @Test func binaryHeaderThatIsNoneIsBroken() {
        for bytes in [
            Self.binary(2, 0x11, Self.version4), Self.signature + [0x11, 0x11, 0, 0],
            Self.binary(1, 0x11, Array(Self.version4.dropLast())), Self.binary(1, 0x21, Self.version4),
        ] {
            guard case .broken = ProxyHeader.read(bytes) else {
                Issue.record("\(bytes)")
                continue
            }
        }
    }

    @Test func otherBeginningsAreOther() {
        for text in [
            "POST / HTTP/1.1\r\n", "PROPFIND / HTTP/1.1\r\n", "PROXYING", "\r\nGET / HTTP/1.1\r\n", "",
        ] {
            #expect(ProxyHeader.read(Array(text.utf8)) == .other, "\(text)")
        }
        #expect(ProxyHeader.read([0x16, 3, 1]) == .other)
    }

    /// No bytes are too strange to be read.
    @Test(arguments: 0..<200 as Range<UInt64>) func changedHeadersAreReadWithinTheirBounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bytes = Self.headers[Int(seed) % (Self.headers.count - 1)].bytes
        for _ in 0..<4 {
            let place = Int.random(in: 0..<min(60, bytes.count), using: &generator)
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
        if case .header(let header) = ProxyHeader.read(bytes) {
            #expect((1...bytes.count).contains(header.size))
        }
    }
}
