@testable import Captures
import Foundation
import TestSupport
import Testing

/// What curl prints of its transfers.
struct CurlLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "curl.txt")
    }

    private static let verbose = """
        *   Trying 192.0.2.1:443...
        * Connected to op.example (192.0.2.1) port 443 (#0)
        } [5 bytes data]
        * SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384
        > GET /authorize?client_id=app&state=af0ifjsldkj HTTP/1.1
        > Host: op.example
        > Cookie: sid=1
        >\u{20}
        < HTTP/1.1 302 Found
        < Location: https://op.example/cb?code=SplxlOBe&state=af0ifjsldkj
        < Set-Cookie: a=1; Path=/
        < Set-Cookie: b=2
        < Content-Length: 5
        <\u{20}
        * Ignoring the response-body
        { [5 bytes data]
        * Connection #0 to host op.example left intact
        * Re-using existing connection #0 with host op.example
        > POST /token HTTP/1.1
        > Host: op.example
        > Content-Type: application/x-www-form-urlencoded
        > Content-Length: 29
        >\u{20}
        < HTTP/1.1 100 Continue
        <\u{20}
        < HTTP/1.1 400 Bad Request
        < Content-Type: application/json
        < Transfer-Encoding: chunked
        <\u{20}
        {
          "error": "invalid_grant"
        }* Connection #0 to host op.example left intact
        """

    @Test(arguments: ["\n", "\r\n"]) func transfersAreExchanges(lineEnd: String) throws {
        let capture = try read(Self.verbose.split(separator: "\n").joined(separator: lineEnd))
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "curl")
        let (first, second) = (capture[0], capture[1])
        #expect(first.request.url.text == "https://op.example/authorize?client_id=app&state=af0ifjsldkj")
        #expect(first.request.cookie("sid") == "1" && first.request.body == nil && !first.isZoneKnown)
        #expect(first.connection.serverAddress == "192.0.2.1:443")
        #expect(first.response?.location == "https://op.example/cb?code=SplxlOBe&state=af0ifjsldkj")
        #expect(first.response?.setCookies.map(\.name) == ["a", "b"])
        // The page of a redirect is not shown, the body of a request neither: they are not known.
        #expect(first.response?.body?.isRecorded == false && first.response?.body?.size == 5)
        #expect(second.request.body?.isRecorded == false && second.request.body?.size == 29)
        #expect(second.response?.status == 400 && second.response?.statusText == "Bad Request")
        let body = second.response?.body?.text?.filter { !$0.isWhitespace }
        #expect(body == #"{"error":"invalid_grant"}"#)
    }

    /// Into a pipe the body goes behind what curl says; a meter is written over itself.
    @Test func bodyBehindWordsAndAMeterAreToldApart() throws {
        let meter = "\r100    22    0    22    0     0  15189      0 --:--:-- --:--:-- --:--:-- 21000"
        let capture = try read(
            """
              % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                             Dload  Upload   Total   Spent    Left  Speed
            \(meter.dropLast(5))    0*   Trying 127.0.0.1:8080...
            * Connected to localhost (127.0.0.1) port 8080 (#0)
            > GET /userinfo HTTP/1.1
            > Host: localhost:8080
            >\u{20}
            < HTTP/1.1 200 OK
            < Content-Type: application/json
            <\u{20}
            { [22 bytes data]
            \(meter)
            * Connection #0 to host localhost left intact
            {"sub":
            "248289761001"}* Found bundle for host: 0x562bdae66cb0 [serially]
            > GET /nothing HTTP/1.1
            > Host: localhost:8080
            >\u{20}
            curl: (52) Empty reply from server
            """
        )
        try #require(capture.count == 2)
        #expect(capture[0].request.url.text == "http://localhost:8080/userinfo")
        #expect(capture[0].response?.body?.text == "{\"sub\":\n\"248289761001\"}")
        #expect(capture[1].failure == "curl: (52) Empty reply from server" && capture[1].response == nil)
    }

    /// With a whole answer curl may be at odds as well.
    @Test(arguments: [
        ("(18) transfer closed with 90 bytes remaining to read", true),
        ("(28) Operation timed out after 5000 milliseconds with 10 out of 100 bytes received", true),
        ("(92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", true),
        ("(22) The requested URL returned error: 401", false), ("(23) Failure writing output", false),
    ]) func answerThatBreaksOffIsNoWholeOne(words: String, isBrokenOff: Bool) throws {
        let transfer = "> GET /me HTTP/1.1\n> Host: a.example\n>\n< HTTP/1.1 401 Unauthorized\n<\n{\"sub\":\n"
        let capture = try read("\(transfer)* Closing connection\ncurl: \(words)\n\(transfer)")
        try #require(capture.count == 2)
        #expect(capture[0].failure == (isBrokenOff ? "curl: \(words)" : nil))
        #expect(capture[0].isBrokenOff == isBrokenOff && capture[0].response?.status == 401)
        #expect(capture[1].failure == nil && capture[1].response?.body?.isTruncated == false)
    }

    /// Of what has no body by its nature none is missing.
    @Test(arguments: ["GET", "HEAD"]) func answerToHEADHasNoBody(method: String) throws {
        let capture = try read(
            "> \(method) / HTTP/1.1\n> Host: a.example\n>\n< HTTP/1.1 200 OK\n< Content-Length: 9\n<\n"
        )
        #expect(capture[0].response?.body?.isRecorded == (method == "HEAD"))
    }

    /// Since its version 8.16 in other words.
    @Test(arguments: [
        (
            "Established connection to op.example (192.0.2.1 port 8080) from 192.0.2.7 port 53000",
            "192.0.2.1:8080"
        ),
        (
            "Established 2nd connection to op.example (192.0.2.1 port 8080) from 192.0.2.7 port 53000 ",
            "192.0.2.1:8080"
        ),
        ("Connected to op.example (192.0.2.1) port 8080 (#0)", "192.0.2.1:8080"),
        ("Connected to op.example (2001:db8::1) port 8080", "[2001:db8::1]:8080"),
    ]) func serverIsTold(words: String, address: String) throws {
        let capture = try read(
            "* \(words)\n> GET / HTTP/1.1\n> Host: op.example:8080\n>\n< HTTP/1.1 204 No Content\n<\n"
        )
        #expect(capture[0].connection.serverAddress == address)
        #expect(capture[0].request.url.text == "http://op.example:8080/")
    }

    /// What stands in a text is not curl's.
    @Test func wordsInABodyAreItsOwn() throws {
        let body = " * Host names are read here\n * 2 * 3\nend"
        let capture = try read("> GET / HTTP/1.1\n> Host: a.example\n>\n< HTTP/1.1 200 OK\n<\n\(body)")
        #expect(capture[0].response?.body?.text == body)
    }

    private static func dump(_ mark: String, _ text: String, isHexadecimal: Bool) -> String {
        var bytes = Array(text.utf8)
        var lines = ["\(mark), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))"]
        var offset = 0
        while !bytes.isEmpty {
            let line: String
            let used: Int
            if isHexadecimal {
                let part = bytes.prefix(16)
                let columns = part.map { Hexadecimal.encode([$0]) + " " }.joined()
                line = columns.padding(toLength: 48, withPad: " ", startingAt: 0) + dotted(part)
                used = part.count
            } else {
                let end = (0..<min(64, bytes.count)).first { bytes[$0...].starts(with: [13, 10]) }
                line = dotted(bytes.prefix(end ?? 64))
                used = end.map { $0 + 2 } ?? min(64, bytes.count)
            }
            let place = String(offset, radix: 16)
            lines.append(String(repeating: "0", count: 4 - place.count) + place + ": " + line)
            offset += used
            bytes.removeFirst(used)
        }
        return lines.joined(separator: "\n")
    }

    private static func dotted(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map { (0x20..<0x7f).contains($0) ? $0 : 0x2e }, as: UTF8.self)
    }

    /// A dot in a text or between digits is one.
    @Test func endsOfLinesAreNoOtherDots() {
        let dotted = #"{."a":"x\"y.z",."b":1.5,."c":[2.]}"#
        let lines = "{\n\"a\":\"x\\\"y.z\",\n\"b\":1.5,\n\"c\":[2\n]}"
        #expect(CurlDump.withoutDots(Array(dotted.utf8)) == Array(lines.utf8))
        #expect(CurlDump.withoutDots(Array("{.a.}".utf8)) == Array("{.a.}".utf8))
    }

    /// `--trace` shows every byte; `--trace-ascii` the ends of lines in JSON as dots.
    @Test(arguments: [true, false], ["", "17:51:23.747487 [0-0] "])
    func dumpsHaveAllBodies(isHexadecimal: Bool, time: String) throws {
        let json = "{\n  \"error\": \"invalid_grant\",\n  \"error_description\": \"No. It is 1.5 h old.\"\n}"
        let chunks = "\(String(json.utf8.count, radix: 16))\r\n\(json)\r\n0\r\n\r\n"
        let form = "grant_type=authorization_code&code=SplxlOBeZQQYbYS6WxSbIA&client_id=app"
        let blocks = [
            ("=> Send SSL data", "\u{1}\u{2}"),
            (
                "=> Send header",
                "POST /token?with=a-query-that-is-longer-than-one-line-of-sixty-four-characters HTTP/1.1\r\n"
                    + "Host: op.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 71\r\n\r\n"
            ), ("=> Send data", form), ("<= Recv header", "HTTP/1.1 400 Bad Request\r\n"),
            ("<= Recv header", "Content-Type: application/json\r\n"),
            ("<= Recv header", "Transfer-Encoding: chunked\r\n"), ("<= Recv header", "\r\n"),
            ("<= Recv data", chunks),
        ]
        let info = "\(time)== Info: Connected to op.example (192.0.2.1) port 443"
        let dumps = blocks.map { time + Self.dump($0.0, $0.1, isHexadecimal: isHexadecimal) }
        let capture = try read(
            ([info] + dumps + ["\(time)== Info: Connection #0 left intact"]).joined(separator: "\n")
        )
        try #require(capture.count == 1)
        let exchange = capture[0]
        #expect(
            exchange.request.url.text
                == "https://op.example/token?with=a-query-that-is-longer-than-one-line-of-sixty-four-characters"
        )
        #expect(exchange.request.body?.text == form && exchange.response?.status == 400)
        #expect(exchange.response?.body?.text == json && exchange.response?.body?.isTruncated == false)
    }

    /// Whoever quotes a request has recorded nothing.
    @Test(arguments: [
        "> GET /a HTTP/1.1\n> Host: a.example\n>\n", "* Trying 192.0.2.1:443...\ncurl: (28) Timeout\n",
        "=> Send header, 9 bytes (0x9)\n", "< HTTP/1.1 200 OK\n<\n{}\n",
    ]) func nothingIsMadeOfLess(text: String) {
        #expect(throws: CaptureError.self) { try read(text) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileLogsTakeNoQuadraticTime() throws {
        let head = "> GET / HTTP/1.1\n> Host: a.example\n>\n< HTTP/1.1 200 OK\n<\n"
        for line in ["x\n", "< a: b\n", "* Connected to a (b) port 1\n", "0000: 0\n", "\r\r\r\r\n", head] {
            let capture = try read(head + String(repeating: line, count: 20_000))
            #expect(capture.count > 0)
        }
        let name = String(repeating: "A", count: 100_000)
        let interim = "< HTTP/\(name) 100\n<\n" + String(repeating: "< HTTP/1 100\n<\n", count: 20_000)
        #expect(try read("> GET / HTTP/1.1\n>\n\(interim)< HTTP/1.1 200 OK\n<\n").count == 1)
        let dump = "=> Send header, 99999999999999999999 bytes\nffffffff: GET / HTTP/1.1\n"
        #expect(throws: CaptureError.self) { try read(dump) }
    }
}
