@testable import Captures
import TestSupport
import Testing

/// What Ruby's `Net::HTTP` prints with `set_debug_output`.
struct RubyLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.txt")
    }

    private static let opened = """
        opening connection to op.example:443...
        opened
        starting SSL for op.example:443...
        SSL established, protocol: TLSv1.3, cipher: TLS_AES_256_GCM_SHA384

        """

    private static func exchange(_ body: String) -> String {
        #"""
        <- "POST /token HTTP/1.1\r\nAccept: */*\r\nHost: op.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 39\r\n\r\n"
        <- "grant_type=authorization_code&code=abcd"
        -> "HTTP/1.1 400 Bad Request\r\n"
        -> "Content-Type: application/json\r\n"
        -> "WWW-Authenticate: Basic realm=\"op\"\r\n"
        \#(body)
        Conn keep-alive

        """#
    }

    private static let told = ##"""
        -> "Content-Length: 30\r\n"
        -> "\r\n"
        reading 30 bytes...
        -> ""
        -> "{\"error\":\"invalid_grant \#{\u00E4\"}"
        read 30 bytes
        """##

    /// Where an app has other lines before, or somebody copied no more.
    @Test func logThatBeginsWithARequestIsNoMarkup() throws {
        let capture = try read(Self.exchange(Self.told))
        #expect(capture.count == 1)
        #expect(capture[0].request.url.text == "https://op.example/token")
    }

    private static let chunked = #"""
        -> "Transfer-Encoding: chunked\r\n"
        -> "\r\n"
        -> "19\r\n"
        reading 25 bytes...
        -> ""
        -> "{\"error\":\"invalid_grant\"}"
        read 25 bytes
        reading 2 bytes...
        -> "\r\n"
        read 2 bytes
        -> "0\r\n"
        -> "\r\n"
        """#

    @Test(arguments: ["\n", "\r\n"]) func whatWentOverTheConnectionIsRead(end: String) throws {
        let text = Self.opened + Self.exchange(Self.told) + "words\n" + Self.exchange(Self.chunked)
        let capture = try read(text.replacing("\n", with: end))
        try #require(
            capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Ruby's Net::HTTP"
        )
        for index in capture.indices {
            let token = capture[index]
            #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
            #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
            #expect(token.response?.status == 400)
            #expect(token.response?.headers.first("www-authenticate") == #"Basic realm="op""#)
            #expect(!token.startedAt.isKnown)
        }
        #expect(capture[0].response?.body?.text == #"{"error":"invalid_grant #{ä"}"#)
        #expect(capture[1].response?.body?.text == #"{"error":"invalid_grant"}"#)
    }

    @Test func connectionWithoutTLSIsOne() throws {
        let text = "opening connection to op.example:80...\nopened\n" + Self.exchange(Self.told)
        #expect(try read(text)[0].request.url.text == "http://op.example/token")
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\n<- \"a\"\n-> \"b\"\n") }
    }

    @Test(arguments: [
        (##""a\x41\u00e4\U0001F600\e\#{""##, "aAä😀\u{1b}#{"), (#""""#, ""), (#""a"b""#, nil), (#""\q""#, nil),
        (#""\x4""#, nil), (#""\ud800""#, nil), (#""a\""#, nil), ("\"", nil), ("a", nil),
    ]) func escapesOfGoAndRuby(text: String, expected: String?) {
        #expect(
            QuotedBytes.decode(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } == expected
        )
    }
}
