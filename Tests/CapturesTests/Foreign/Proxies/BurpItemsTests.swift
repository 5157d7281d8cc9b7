@testable import Captures
import JSON
import TestSupport
import Testing

/// Items that Burp saved as XML.
struct BurpItemsTests {
    private static let request =
        "POST /token?x=1 HTTP/2\r\nHost: idp.example\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\ncode=a%26b"
    private static let answer =
        "HTTP/2 400 Bad Request\r\nContent-Type: application/json\r\n\r\n{\"error\":\"<invalid_grant>\"}"

    private static func item(
        isBase64: Bool = true,
        request: String = request,
        answer: String = answer,
        time: String = "Wed Mar 04 10:54:08 CET 2026",
        port: Int = 443
    ) -> String {
        func text(_ message: String) -> String {
            "base64=\"\(isBase64)\"><![CDATA[\(isBase64 ? Base64.encode(Array(message.utf8)) : message)]]>"
        }
        return """
              <item>
                <time>\(time)</time>
                <url><![CDATA[https://idp.example:\(port)/token?x=1]]></url>
                <host ip="192.0.2.1">idp.example</host>
                <port>\(port)</port>
                <protocol>https</protocol>
                <request \(text(request))</request>
                <status>400</status>
                <response \(text(answer))</response>
                <comment>a &lt;b&gt; &amp; c</comment>
              </item>

            """
    }

    private static let head = """
        <?xml version="1.0"?>
        <!DOCTYPE items [
        <!ELEMENT items (item*)>
        <!ATTLIST items burpVersion CDATA "">
        <!ENTITY secret SYSTEM "file:///etc/passwd">
        ]>
        <!-- <item> --><items burpVersion="2026.1" exportTime="Wed Mar 04 11:00:00 CET 2026">

        """

    private func read(_ items: String, end: String = "</items>\n") throws -> Capture {
        try CaptureReader.read(bytes: Array((Self.head + items + end).utf8), name: "items.xml")
    }

    /// As a person wrote it in Burp, or a client that encodes nothing.
    @Test func targetWithBlanksIsRead() throws {
        let request =
            "GET /authorize?scope=openid profile email&state=1 HTTP/1.1\r\nHost: idp.example\r\n\r\n"
        let exchange = try read(Self.item(request: request))[0]
        #expect(
            exchange.request.url.text == "https://idp.example/authorize?scope=openid profile email&state=1"
        )
        #expect(exchange.request.method == "GET" && exchange.request.httpVersion == "HTTP/1.1")
    }

    @Test(arguments: [true, false]) func itemIsAnExchange(isBase64: Bool) throws {
        let capture = try read(Self.item(isBase64: isBase64))
        let exchange = try #require(capture.count == 1 ? capture[0] : nil)
        #expect(
            capture.losses.isEmpty && capture.creator.name == "Burp" && capture.creator.version == "2026.1"
        )
        #expect(exchange.request.method == "POST" && exchange.request.httpVersion == "HTTP/2")
        #expect(exchange.request.url.text == "https://idp.example/token?x=1")
        #expect(FormBody.items(of: exchange.request.body)?.first("code") == "a&b")
        #expect(exchange.response?.status == 400 && exchange.response?.statusText == "Bad Request")
        #expect(exchange.response?.body?.text == #"{"error":"<invalid_grant>"}"#)
        #expect(exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && exchange.isZoneKnown)
        #expect(exchange.connection.serverAddress == "192.0.2.1:443")
        #expect(exchange.foreign["comment"] == "a <b> & c")
    }

    @Test(arguments: [
        ("Wed Mar 04 09:54:08 GMT 2026", true), ("Wed Mar 04 04:54:08 EST 2026", true),
        ("Wed Mar 04 15:24:08 GMT+05:30 2026", true), ("Wed Mar 04 09:54:08 CST 2026", false),
    ]) func timeHasTheZoneThatItsLettersMean(time: String, isZoneKnown: Bool) throws {
        let exchange = try read(Self.item(time: time))[0]
        #expect(
            exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && exchange.isZoneKnown == isZoneKnown
        )
    }

    @Test func hostOfTheRequestCountsBeforeTheItem() throws {
        let named = Self.request.replacing("idp.example", with: "login.example:8443")
        #expect(
            try read(Self.item(request: named, port: 8443))[0].request.url.text
                == "https://login.example:8443/token?x=1"
        )
        let bare = Self.request.replacing("Host: idp.example\r\n", with: "")
        #expect(try read(Self.item(request: bare))[0].request.url.text == "https://idp.example/token?x=1")
        #expect(
            try read(Self.item(request: bare, port: 8443))[0].request.url.text
                == "https://idp.example:8443/token?x=1"
        )
    }

    @Test func itemWithoutAnAnswerHasNone() throws {
        let capture = try read(Self.item(answer: "") + Self.item(answer: "not HTTP"))
        #expect(capture.count == 2 && capture[0].response == nil && capture[1].response == nil)
    }

    @Test func bodyOfSomeSizeStaysInTheFile() throws {
        let page = String(repeating: "<p>&amp;</p>\n", count: 5000)
        for isBase64 in [true, false] {
            let exchange = try read(Self.item(isBase64: isBase64, answer: "HTTP/1.1 200 OK\r\n\r\n" + page))[
                0
            ]
            guard case .deferred? = exchange.response?.body?.content else {
                Issue.record("it is held")
                return
            }
            #expect(exchange.response?.body?.text == page)
        }
    }

    @Test func fileThatBreaksOffIsReadUpToThere() throws {
        let capture = try read(Self.item() + String(Self.item().prefix(300)), end: "")
        #expect(capture.count == 1 && capture.isCutShort)
        #expect(capture.losses.map(\.what) == ["item 1 is cut off; the one before it is whole"])
        let strange = try read(Self.item(request: "what") + Self.item())
        #expect(strange.count == 1 && strange.losses.count == 1 && strange.losses[0].line > 8)
    }

    /// As in other formats the first are told one by one; each has the line on which its item ends.
    @Test func lossesAreToldUpToANumber() throws {
        let strange = String(repeating: "<item>\n</item>\n", count: 300)
        let losses = try read(Self.item() + strange).losses
        #expect(losses.count == 201 && losses.last?.what == "and 100 more like these")
        #expect(zip(losses, losses.dropFirst()).prefix(199).allSatisfy { $1.line == $0.line + 2 })
    }

    /// Lines are counted once, not from the beginning for every loss.
    @Test func timeGrowsWithTheLosses() {
        func seconds(_ count: Int) -> Double {
            let strange = String(
                repeating: "<item></item>\(String(repeating: " ", count: 4_000))\n",
                count: count
            )
            return ProcessorTime.seconds { #expect(throws: CaptureError.self) { try read(strange) } }
        }
        let few = seconds(100)
        // Eight times the items: linear is 8, quadratic 64.
        #expect(seconds(800) < 20 * max(few, 0.002))
    }

    @Test func fileWithoutItemsIsRefused() throws {
        let error = try #require(throws: CaptureError.self) { try read("") }
        #expect("\(error)".contains("Burp"), "\(error)")
    }
}
