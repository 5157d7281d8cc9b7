import Testing

@testable import Proxy

/// What a strict parser is shown of a request's line.
struct RequestLineEncoderTests {
    private static let requests = [
        ("GET /\u{fc} HTTP/1.1\r\nX: \u{fc}\r\n\r\n", "GET /%C3%BC HTTP/1.1\r\nX: \u{fc}\r\n\r\n"),
        ("\r\nGET /?a=\u{20ac} HTTP/1.1\r\n\r\n\u{fc}", "\r\nGET /?a=%E2%82%AC HTTP/1.1\r\n\r\n\u{fc}"),
        ("GET / HTTP/1.1\r\nX: \u{fc}\r\n\r\n", "GET / HTTP/1.1\r\nX: \u{fc}\r\n\r\n"),
    ]

    @Test(arguments: requests)
    func onlyTheLineIsEncodedHoweverItComes(request: String, expected: String) {
        let bytes = Array(request.utf8)
        for split in 0...bytes.count {
            var encoder = RequestLineEncoder()
            let parts = [bytes[..<split], bytes[split...]].map { encoder.encoding($0) ?? Array($0) }
            #expect(parts.joined().elementsEqual(expected.utf8))
        }
    }

    @Test func theNextRequestHasALineAgain() {
        var encoder = RequestLineEncoder()
        _ = encoder.encoding(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        let next = Array("GET /\u{fc} HTTP/1.1\r\n".utf8)
        #expect(encoder.encoding(next) == nil)
        encoder.expectLine()
        #expect(encoder.encoding(next) == Array("GET /%C3%BC HTTP/1.1\r\n".utf8))
    }
}
