@testable import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Archives of Fiddler's (`.saz`).
struct FiddlerSessionsTests {
    private static let form = "grant_type=authorization_code&code=abcd"
    private static let token = #"{"access_token":"t"}"#

    private static func metadata(bits: String = "1", start: String = "2026-03-04T10:54:08.3561234+01:00")
        -> String
    {
        #"""
        <?xml version="1.0" encoding="utf-8"?>
        <Session SID="2" BitFlags="\#(bits)">
          <SessionTimers ClientConnected="2026-03-04T10:54:08+01:00" ClientBeginRequest="\#(start)" ClientDoneRequest="2026-03-04T10:54:08.36+01:00" DNSTime="3" TCPConnectTime="0" HTTPSHandshakeTime="9" ServerBeginResponse="0001-01-01T00:00:00" ServerDoneResponse="2026-03-04T10:54:08.4561234+01:00" ClientDoneResponse="0001-01-01T00:00:00" />
          <SessionFlags>
            <SessionFlag N="X-HostIP" V="192.0.2.1" /><SessionFlag N="x-clientport" V="50123" />
            <SessionFlag N="x-clientip" V="127.0.0.1" /><SessionFlag N="x-processinfo" V="chrome:1234" />
            <SessionFlag N="ui-comments" V="the &lt;token&gt; &amp; its answer" />
          </SessionFlags>
        </Session>
        """#
    }

    private static func request(_ target: String = "https://idp.example/token") -> String {
        "POST \(target) HTTP/1.1\r\nHost: idp.example\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n\(form)"
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(token)"

    private func read(_ files: [(String, String)], isDeflated: Bool = false) throws -> Capture {
        let others = [("[Content_Types].xml", "<Types/>"), ("_index.htm", "<html></html>")]
        let zip = Archive.zip((others + files).map { ($0.0, Array($0.1.utf8)) }, isDeflated: isDeflated)
        return try CaptureReader.read(bytes: zip, name: "login.saz")
    }

    private func session(_ request: String, _ answer: String, bits: String = "1") throws -> Exchange {
        let files = [
            ("raw/1_c.txt", request), ("raw/1_s.txt", answer), ("raw/1_m.xml", Self.metadata(bits: bits)),
        ]
        return try read(files)[0]
    }

    @Test(arguments: [true, false]) func requestAnswerAndFactsAreOneExchange(isDeflated: Bool) throws {
        let capture = try read(
            [
                ("raw/1_c.txt", Self.request()), ("raw/1_s.txt", Self.answer),
                ("raw/1_m.xml", Self.metadata()),
            ],
            isDeflated: isDeflated
        )
        let exchange = capture[0]
        #expect(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "Fiddler")
        #expect(
            exchange.request.url.text == "https://idp.example/token"
                && exchange.request.body?.text == Self.form
        )
        #expect(exchange.response?.status == 200 && exchange.response?.body?.text == Self.token)
        #expect(exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.356123Z" && exchange.isZoneKnown)
        #expect(exchange.duration == .milliseconds(100) && exchange.timings.dns == .milliseconds(3))
        #expect(exchange.timings.connect == nil && exchange.timings.tls == .milliseconds(9))
        #expect(
            exchange.connection.serverAddress == "192.0.2.1" && exchange.client.address == "127.0.0.1:50123"
        )
        #expect(exchange.client.process == "chrome" && exchange.client.processID == 1234)
        #expect(exchange.foreign["comment"] == "the <token> & its answer")
        let entry = try JSONParser.parse(#require(capture.text(ofEntry: 0)))
        #expect(entry["response"]?["content"]?["text"] == .string(Self.token))
    }

    @Test func sessionsStandInTheOrderOfTheirNumbers() throws {
        let files = [10, 9, 2].flatMap { number in
            [
                ("raw\\\(number)_c.txt", Self.request("https://idp.example/\(number)")),
                ("raw\\\(number)_s.txt", ""),
            ]
        }
        let capture = try read(files)
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/2", "/9", "/10"])
        #expect(capture[0].response == nil && !capture[0].isZoneKnown)
    }

    /// The scheme of what has only a path: by the session's mark, or by the tunnel that led there.
    @Test func pathAloneIsAskedForAsTheSessionSays() throws {
        #expect(
            try session(Self.request("/token"), Self.answer).request.url.text == "https://idp.example/token"
        )
        #expect(
            try session(Self.request("/token"), Self.answer, bits: "80").request.url.text
                == "http://idp.example/token"
        )
        let capture = try read([
            ("raw/1_c.txt", "CONNECT idp.example:443 HTTP/1.1\r\nHost: idp.example:443\r\n\r\n"),
            ("raw/1_s.txt", "HTTP/1.1 200 Connection Established\r\n\r\n"),
            ("raw/2_c.txt", Self.request("/token")),
        ])
        #expect(
            capture.indices.map { capture[$0].request.url.text } == [
                "https://idp.example:443", "https://idp.example/token",
            ]
        )
    }

    @Test func chunksAndCodingsAreUndone() throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        let packed = Archive.gzip(Array(Self.token.utf8))
        let chunks =
            Array("a;x=1\r\n".utf8) + packed[..<10]
            + Array("\r\n\(String(packed.count - 10, radix: 16))\r\n".utf8)
            + packed[10...] + Array("\r\n0\r\n\r\n".utf8)
        for (body, isWhole) in [
            (chunks, true), (Array(chunks.dropLast(8)), false), (Array(Self.token.utf8), true),
        ] {
            let zip = Archive.zip([
                ("raw/1_c.txt", Array(Self.request().utf8)), ("raw/1_s.txt", Array(head.utf8) + body),
            ])
            let answer = try CaptureReader.read(bytes: zip, name: "a.saz")[0].response
            if isWhole { #expect(answer?.body?.text == Self.token) }
            #expect(answer?.body?.isTruncated == !isWhole && answer?.body?.remainingCoding == nil)
        }
    }

    @Test func bodyOfSomeSizeStaysInTheArchive() throws {
        let page = String(repeating: "<p>hello</p>\n", count: 5000)
        let exchange = try session(Self.request(), "HTTP/1.1 200 OK\nContent-Type: text/html\n\n" + page)
        guard case .deferred? = exchange.response?.body?.content else {
            Issue.record("it is held")
            return
        }
        #expect(exchange.response?.body?.text == page && exchange.response?.body?.size == page.utf8.count)
    }

    /// Fiddler answers its client with a page of its own where there was no other.
    @Test(arguments: ["", "\n<p>more", "\r\n<p>more\r\n"])
    func pageOfFiddlersOwnIsNoAnswer(more: String) throws {
        let page =
            "[Fiddler] The connection to 'idp.example' failed. <br />Error: ConnectionRefused (0x274d)."
        let exchange = try session(
            Self.request(),
            "HTTP/1.1 502 Fiddler - Connection Failed\r\nContent-Type: text/html\r\n\r\n\(page)\(more)"
        )
        #expect(exchange.response == nil && exchange.failure?.hasSuffix("(0x274d).") == true)
    }

    @Test func answersOnTheWayAreNotTheAnswer() throws {
        let exchange = try session(Self.request(), "HTTP/1.1 100 Continue\r\n\r\n" + Self.answer)
        #expect(exchange.response?.status == 200 && exchange.response?.body?.text == Self.token)
    }

    @Test func whatCannotBeReadIsSaid() throws {
        let capture = try read([
            ("raw/1_c.txt", "no HTTP"), ("raw/2_s.txt", Self.answer), ("raw/3_c.txt", Self.request()),
        ])
        #expect(capture.count == 1)
        #expect(capture.losses.map(\.what) == ["session 1 is no HTTP", "session 2 has no request"])
        let error = try #require(throws: CaptureError.self) { try read([("raw/1_c.txt", "no HTTP")]) }
        #expect("\(error)".contains("Fiddler"), "\(error)")
    }

    /// As in other formats.
    @Test func lossesAreToldUpToANumber() throws {
        let strange = (2...301).map { ("raw/\($0)_s.txt", Self.answer) }
        let losses = try read([("raw/1_c.txt", Self.request())] + strange).losses
        #expect(losses.count == 201 && losses.first?.what == "session 2 has no request")
        #expect(losses.last?.what == "and 100 more like these")
    }

    /// An archive with a HAR file in it is read by that.
    @Test func harCountsBeforeSessions() throws {
        let har = #"{"log":{"creator":{"name":"C"},"entries":[{"request":{"url":"https://a.example/"}}]}}"#
        #expect(try read([("raw/1_c.txt", Self.request()), ("a.har", har)]).creator.name == "C")
    }
}
