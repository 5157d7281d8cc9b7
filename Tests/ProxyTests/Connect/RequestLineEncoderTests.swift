import NIOCore
import Testing

@testable import Proxy

/// What a strict parser is shown of requests' lines.
struct RequestLineEncoderTests {
    private static let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let requests = [
        ("GET /\u{fc} HTTP/1.1\r\nX: \u{fc}\r\n\r\n", "GET /%C3%BC HTTP/1.1\r\nX: \u{fc}\r\n\r\n"),
        ("\r\nGET /?a=\u{20ac} HTTP/1.1\r\n\r\n\u{fc}", "GET /?a=%E2%82%AC HTTP/1.1\r\n\r\n\u{fc}"),
        ("GET / HTTP/1.1\r\nX: \u{fc}\r\n\r\n", "GET / HTTP/1.1\r\nX: \u{fc}\r\n\r\n"),
        // More requests than one, however many come at once.
        (
            "POST /\u{fc} HTTP/1.1\r\nContent-Length: 4\r\n\r\n/\u{fc}\nGET /\u{fc} HTTP/1.1\r\n\r\n",
            "POST /%C3%BC HTTP/1.1\r\nContent-Length: 4\r\n\r\n/\u{fc}\nGET /%C3%BC HTTP/1.1\r\n\r\n"
        ),
        (
            chunked + "2\r\n\u{fc}\r\n0\r\n\r\nGET /\u{fc} HTTP/1.1\r\n\r\n",
            chunked + "2\r\n\u{fc}\r\n0\r\n\r\nGET /%C3%BC HTTP/1.1\r\n\r\n"
        ),
        // What cannot be cut is left to the parser.
        (
            "GET /\u{fc}\r\n\r\nGET /\u{fc} HTTP/1.1\r\n\r\n",
            "GET /\u{fc}\r\n\r\nGET /\u{fc} HTTP/1.1\r\n\r\n"
        ),
    ]

    @Test(arguments: requests)
    func onlyLinesAreEncodedHoweverTheyCome(requests: String, expected: String) {
        let bytes = Array(requests.utf8)
        for split in 0...bytes.count {
            var encoder = RequestLineEncoder()
            let parts = [bytes[..<split], bytes[split...]].map { encoder.encoding(ByteBuffer(bytes: $0)) }
            #expect(parts.map(\.readableBytesView).joined().elementsEqual(expected.utf8), "\(split)")
        }
    }

    /// A line that is none is refused at once, and not when its client ends the head (RFC 9112, section 3).
    @Test(arguments: [
        (["hel", "lo\r", "\n"], ["", "", "hello\r\n"]),
        (
            ["\r\nGET /\u{fc}", " HTTP/1.1\r\nX", ": 1\r\n", "\r\n\u{fc}"],
            ["", "GET /%C3%BC HTTP/1.1\r\nX", ": 1\r\n", "\r\n\u{fc}"]
        ),
        // Refused for a field, when it is whole.
        (
            ["GET / HTTP/1.1\r\n", "Content-Length: x\r\n\r\n", "GET /\u{fc}"],
            ["GET / HTTP/1.1\r\n", "Content-Length: x\r\n\r\n", "GET /\u{fc}"]
        ),
    ])
    func lineGoesOnOnceItIsWhole(parts: [String], expected: [String]) {
        var encoder = RequestLineEncoder()
        #expect(parts.map { String(buffer: encoder.encoding(ByteBuffer(string: $0))) } == expected)
    }
}
