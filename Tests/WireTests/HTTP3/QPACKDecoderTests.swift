import Captures
import JSON
import TestSupport
import Testing
@testable import Wire

/// The field sections of HTTP/3 and the table that they share (RFC 9204).
struct QPACKDecoderTests {
    private typealias Speaker = HTTP3Speaker

    @Test func specificationsExamplesAreRead() throws {
        let vector = try Vectors.named("rfc9204-b")
        var decoder = QPACKDecoder()
        decoder.table.allowed = vector["table_bytes"]?.int.map { Int($0) }
        for step in vector["steps"]?.array ?? [] {
            if let bytes = step["encoder"]?.string {
                try decoder.take([UInt8](hex: bytes)[...])
                continue
            }
            let fields = step["fields"]?.array?.map { field in
                FieldTable.Field(name: field.array?[0].string ?? "", value: field.array?[1].string ?? "")
            }
            let section = [UInt8](hex: try #require(step["section"]?.string))
            #expect(try decoder.decode(section[...]) == fields.map { .fields($0) } ?? .blocked(until: 2))
        }
        #expect(decoder.table.inserted == vector["inserted"]?.int.map { Int($0) })
        let last = vector["last"]?.array?.compactMap(\.string) ?? []
        #expect(decoder.table.field(4) == FieldTable.Field(name: last[0], value: last[1]))
        #expect(decoder.table.field(Int(try #require(vector["gone"]?.int))) == nil)
    }

    /// The places of fields that differ between the specification's table and one that was put together with a mistake.
    @Test func staticTableIsTheSpecifications() {
        let fields = QPACKStaticTable.fields
        #expect(fields.count == 99)
        let known = [
            0: ":authority: ", 14: "set-cookie: ", 15: ":method: CONNECT", 21: ":method: PUT",
            25: ":status: 200",
            31: "accept-encoding: gzip, deflate, br", 37: "cache-control: max-age=2592000",
            44: "content-type: application/dns-message", 52: "content-type: text/html; charset=utf-8",
            55: "range: bytes=0-", 62: "x-xss-protection: 1; mode=block", 66: ":status: 302",
            72: "accept-language: ", 84: "authorization: ", 90: "origin: ", 98: "x-frame-options: sameorigin",
        ]
        for (index, text) in known {
            #expect("\(fields[index].name): \(fields[index].value)" == text, "\(index)")
        }
    }

    @Test func instructionsMayBeCutAnywhere() throws {
        let bytes = Array(
            Speaker.encoder(220, [("x-long-name", String(repeating: "v", count: 140)), ("b", "2")])
                .dropFirst()
        )
        let section = Speaker.prefix(inserted: 2, tableBytes: 220) + Speaker.indexed(0) + Speaker.indexed(1)
        for cut in 0...bytes.count {
            var decoder = QPACKDecoder()
            decoder.table.allowed = 220
            try decoder.take(bytes[..<cut])
            try decoder.take(bytes[cut...])
            guard case .fields(let fields) = try decoder.decode(section[...]) else {
                Issue.record("blocked when cut at \(cut)")
                continue
            }
            #expect(fields.map(\.name) == ["b", "x-long-name"])
        }
    }

    /// Numbers of insertions are sent modulo twice what the table may have (section 4.5.1.1).
    @Test func requiredInsertsGoRound() throws {
        var decoder = QPACKDecoder()
        decoder.table.allowed = 128
        try decoder.take(Speaker.integer(128, 0x20, bits: 5)[...])
        for number in 1...50 {
            try decoder.take(Speaker.insert("n", "\(number)")[...])
            let section = Speaker.prefix(inserted: number, tableBytes: 128) + Speaker.indexed(0)
            #expect(try decoder.decode(section[...]) == .fields([.init(name: "n", value: "\(number)")]))
        }
    }

    @Test func fieldsBehindTheBaseAreRead() throws {
        var decoder = QPACKDecoder()
        decoder.table.allowed = 220
        try decoder.take(Speaker.encoder(220, [("a", "1"), ("b", "2"), ("c", "3")]).dropFirst())
        // All three are wanted, the base stands behind the first: sign, and 3 - 1 - 1.
        let section: [UInt8] =
            [4, 0x80 | 1] + [0x80, 0x10, 0x11, 0x40, 1] + Array("x".utf8) + [0x01, 1] + Array("y".utf8)
        #expect(
            try decoder.decode(section[...])
                == .fields([
                    .init(name: "a", value: "1"), .init(name: "b", value: "2"), .init(name: "c", value: "3"),
                    .init(name: "a", value: "x"), .init(name: "c", value: "y"),
                ])
        )
    }

    private static func reason(_ table: [UInt8] = [], _ section: [UInt8] = []) -> String? {
        var decoder = QPACKDecoder()
        decoder.table.allowed = 4096
        do throws(FieldReader.Malformed) {
            try decoder.take(table[...])
            if !section.isEmpty { _ = try decoder.decode(section[...]) }
            return nil
        } catch { return error.reason }
    }

    @Test func whatCannotBeIsNamed() {
        #expect(Self.reason([], [0]) == "a field section without its prefix")
        #expect(Self.reason([], [0, 0, 0xff, 0x24]) == "a field that the static table does not have")
        #expect(Self.reason([], [0, 0, 0x80]) == "a field that is not in the table")
        #expect(Self.reason([], [0, 0, 0x27]) == "a field section that ends too early")
        #expect(
            Self.reason([], [0xff, 0xff, 3, 0]) == "a field section that needs more than the table may have"
        )
        #expect(Self.reason([0x3f] + [UInt8](repeating: 0xff, count: 9)) == "an integer that is too large")
        #expect(Self.reason([0x3f, 0xff, 0xff, 0x3f]) == "a table of 1048606 bytes")
        #expect(Self.reason([0x3f, 0xe2, 0x1f]) == "a table of 4097 bytes")
        #expect(Self.reason(Speaker.insert("a", "b")) == "a field that the table has no room for")
        #expect(Self.reason([0]) == "a field that is not in the table")
        // Huffman's code for the end of a string, which must not stand in one.
        #expect(
            Self.reason([], [0, 0, 0x51, 0x84, 0xff, 0xff, 0xff, 0xff])
                == "a string that Huffman's code does not have"
        )
    }

    /// No end has to come of what the table has no room for.
    @Test func whatIsTooLongForTheTableIsNotWaitedFor() {
        let start = Speaker.integer(100, 0x20, bits: 5)
        let room = "a field that the table has no room for"
        #expect(Self.reason(start + Speaker.integer(101, 0x40, bits: 5)) == room)
        // In Huffman's code, of which no character has more than 30 bits.
        #expect(Self.reason(start + Speaker.integer(401, 0x60, bits: 5)) == room)
        #expect(Self.reason(start + Speaker.integer(375, 0x60, bits: 5)) == nil)
        #expect(Self.reason(start + [0xc0] + Speaker.integer(101, 0, bits: 7)) == room)
    }

    /// The time that an instruction takes which comes byte by byte grows as its length does.
    @Test func instructionsInSmallPiecesAreNotReadAgainAndAgain() throws {
        func time(_ size: Int) throws -> Double {
            // In Huffman's code: 0 has five bits, all of them 0.
            let text = [UInt8](repeating: 0, count: size)
            let bytes =
                Speaker.integer(256 << 10, 0x20, bits: 5) + Speaker.integer(size, 0x60, bits: 5) + text
                + Speaker.integer(size, 0x80, bits: 7) + text
            var decoder = QPACKDecoder()
            let time = try ProcessorTime.seconds {
                for index in bytes.indices { try decoder.take(bytes[index...index]) }
            }
            #expect(decoder.table.inserted == 1)
            return time
        }
        let (short, long) = (try time(1000), try time(8000))
        #expect(long < 24 * short, "\(short) s and \(long) s")
    }

    /// A few bytes may stand for many that the table has.
    @Test func largeFieldsAreNotRepeatedWithoutEnd() throws {
        var decoder = QPACKDecoder()
        decoder.table.allowed = 65536
        let value = String(repeating: "v", count: 60_000)
        try decoder.take(Speaker.encoder(65536, [("a", value)]).dropFirst())
        let section = Speaker.prefix(inserted: 1, tableBytes: 65536) + [UInt8](repeating: 0x80, count: 100)
        #expect(throws: FieldReader.Malformed.self) { try decoder.decode(section[...]) }
    }
}

extension QPACKDecoder {
    /// Takes bytes of the encoder stream.
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        var input = bytes
        while try receive(&input) {}
    }
}
