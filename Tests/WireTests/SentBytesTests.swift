import Captures
import NIOCore
import NIOHPACK
import TestSupport
import Testing
@testable import Wire

/// Bytes that are no UTF-8 are kept, in whatever version of HTTP they come.
struct SentBytesTests {
    private static func bytes(_ text: String) -> [UInt8] { Latin1.bytes(of: text) ?? [] }

    @Test func targetAndFieldsOfHTTP1() throws {
        let request = Self.bytes(
            "GET /caf\u{e9}?q=\u{fc} HTTP/1.1\r\nHost: idp.example\r\nX-A: \u{e9}\r\nX-Folded: a\r\n \u{fc}\r\n b\r\n"
        )
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-C: "
        let exchanges = Dialogue([
            .clientBytes(request + Array("X-B: é\r\n\r\n".utf8)),
            .serverBytes(Array(answer.utf8) + [0xc3, 0x28] + Array("\r\n\r\n".utf8)),
        ]).exchanges()
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.url.text == "https://idp.example/café?q=ü")
        #expect(exchange.request.isURLLatin1)
        let fields = exchange.request.headers.fields
        #expect(fields.map(\.value) == ["idp.example", "é", "a ü b", "é"])
        #expect(fields.map(\.isLatin1) == [false, true, true, false])
        #expect(
            fields.map(\.sentValue.bytes).suffix(3) == [
                [0xe9], [0x61, 0x20, 0xfc, 0x20, 0x62], [0xc3, 0xa9],
            ]
        )
        #expect(exchange.response?.headers.fields.last?.sentValue.bytes == [0xc3, 0x28])
    }

    /// No page of it is meant: its URL has no path (RFC 9112, section 3.3).
    @Test func theServerItselfIsAskedForWhatItCan() {
        let requests =
            "OPTIONS * HTTP/1.1\r\nHost: idp.example\r\n\r\nOPTIONS /* HTTP/1.1\r\nHost: idp.example\r\n\r\n"
        let answer = "HTTP/1.1 204 No Content\r\n\r\n"
        let exchanges = Dialogue([.client(requests), .server(answer + answer)]).exchanges()
        #expect(exchanges.map(\.request.url.text) == ["https://idp.example", "https://idp.example/*"])
        #expect(exchanges.map(\.request.targetPath) == ["*", "/*"])
    }

    /// What it is followed by in the same field is read as it was sent, too.
    @Test func aFoldBehindBytesThatAreNoUTF8() throws {
        let head =
            Array("GET / HTTP/1.1\r\nHost: x\r\nX: é\r\n ".utf8) + [0xff] + Array("\r\n é\r\n\r\n".utf8)
        let exchanges = Dialogue([.clientBytes(head), .server("HTTP/1.1 204 No\r\n\r\n")]).exchanges()
        let field = try #require(exchanges.first?.request.headers.fields.last)
        #expect(field.sentValue.bytes == [0xc3, 0xa9, 0x20, 0xff, 0x20, 0xc3, 0xa9])
    }

    @Test func fieldsOfHTTP2() throws {
        var client = HTTP2Speaker.client()
        // `:path` and `x`, the latter in Huffman's code and put into the table; a cookie in two pieces.
        let path: [UInt8] = [0x04, 5] + Self.bytes("/caf\u{e9}").prefix(5)
        let field: [UInt8] = [0x40, 1, 0x78, 0x85, 0x20, 0xe5, 0xff, 0xff, 0xaf]
        let cookies: [UInt8] =
            [0x0f, 0x11, 3] + Array("a=1".utf8) + [0x0f, 0x11, 3] + Self.bytes("b=\u{fc}")
        client.frame(1, 5, 1, [0x82, 0x87, 0x41, 1, 0x61] + path + field + cookies)
        // What was put into the table counts with its own bytes: `:authority`, `x`.
        client.frame(1, 5, 3, [0x82, 0x87, 0x84, 0xbe, 0xbf])
        var server = HTTP2Speaker.server()
        server.headers(1, [(":status", "204")], ends: true)
        server.headers(3, [(":status", "204")], ends: true)
        let exchanges = HTTP2ConversationTests.exchanges([
            .clientBytes(client.bytes), .serverBytes(server.bytes),
        ])
        let first = try #require(exchanges.first?.request)
        #expect(first.isURLLatin1 && first.url.path.hasPrefix("/caf"))
        let values = first.headers.fields.map(\.sentValue.bytes)
        #expect(values == [[0x61], Self.bytes("caf\u{e9}"), Self.bytes("a=1; b=\u{fc}")])
        let second = try #require(exchanges.last?.request)
        #expect(second.headers.fields.last?.sentValue.bytes == Self.bytes("caf\u{e9}"))
        #expect(!second.isURLLatin1)
    }

    /// Entries leave the table when the bytes that were sent have no room in it, not those of a text made of them.
    @Test func theTableOfHTTP2HoldsAsMuchAsItsSenderThinks() throws {
        var decoder = HeaderBlockDecoder(tableBytes: 132)
        func field(_ name: UInt8) -> [UInt8] { [0x40, 1, name, 33] + [UInt8](repeating: 0xff, count: 33) }
        let block = field(0x61) + field(0x62) + [0xbf, 0xbe]
        let fields = try decoder.decode(ByteBuffer(bytes: block)).fields
        #expect(fields.map(\.name) == ["a", "b", "a", "b"])
        #expect(fields.allSatisfy { $0.sentValue.bytes == [UInt8](repeating: 0xff, count: 33) })
        // A field without room in it empties the table (RFC 7541, section 4.4).
        let large: [UInt8] = [0x40, 1, 0x63, 100] + [UInt8](repeating: 0x64, count: 100)
        #expect(try decoder.decode(ByteBuffer(bytes: large)).fields.map(\.name) == ["c"])
        #expect(throws: FieldReader.Malformed.self) { try decoder.decode(ByteBuffer(bytes: [0xbe])) }
    }

    @Test func aTableChangesItsSizeAtTheBeginningOnly() throws {
        var decoder = HeaderBlockDecoder()
        #expect(try decoder.decode(ByteBuffer(bytes: [0x20, 0x3f, 0xe1, 0x1f, 0x82])).fields.count == 1)
        #expect(throws: FieldReader.Malformed.self) { try decoder.decode(ByteBuffer(bytes: [0x82, 0x20])) }
        // Python's hpack writes as many as it was asked for.
        let changes: [UInt8] = [0x20, 0x3f, 0xe1, 0x1f, 0x30]
        #expect(try decoder.decode(ByteBuffer(bytes: changes + [0x82])).fields.count == 1)
        // 4097 bytes.
        #expect(throws: FieldReader.Malformed.self) {
            try decoder.decode(ByteBuffer(bytes: [0x3f, 0xe2, 0x1f]))
        }
    }

    /// Of what another encoder makes, any character.
    @Test func huffmansCodeIsReadAsItIsWritten() throws {
        var random = SystemRandomNumberGenerator()
        for length in 1...300 {
            let scalars = (0..<length).map { _ in
                Unicode.Scalar(UInt32.random(in: 0x20...0xd7ff, using: &random)) ?? "x"
            }
            let text = String(String.UnicodeScalarView(scalars))
            var encoder = HPACKEncoder(allocator: ByteBufferAllocator(), useHuffmanEncoding: true)
            var block = ByteBuffer()
            try encoder.encode(headers: HPACKHeaders([("a", text)]), to: &block)
            var decoder = HeaderBlockDecoder()
            #expect(try decoder.decode(block).fields.map { Array($0.value.utf8) } == [Array(text.utf8)])
        }
    }

    @Test(
        arguments: [
            // The end of a string within one, a whole byte of filling, filling that is none.
            [0xff, 0xff, 0xff, 0xff], [0x1f, 0xff], [0x18],
        ] as [[UInt8]]
    )
    func whatIsNotOfHuffmansCodeIsRefused(coded: [UInt8]) {
        #expect(HuffmanCode.bytes(of: coded[...]) == nil)
    }
}
