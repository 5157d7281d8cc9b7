@testable import Captures
import JSON
import TestSupport
import Testing

/// Sessions of Charles' in JSON (`.chlsj`), in XML (`.chlsx`) and as it saves them (`.chlz`).
struct CharlesSessionTests {
    private static func told(
        request: String = #""body":{"text":"code=abcd","charset":"utf-8"},"#,
        answer: String = #""body":{"encoding":"base64","encoded":"e30="},"#,
        status: String = "COMPLETE",
        port: String = "null"
    ) -> String {
        #"""
        {"status":"\#(status)","method":"POST","protocolVersion":"HTTP/2.0","scheme":"https","host":"idp.example","port":\#(port),
        "actualPort":443,"path":"/token","query":"x=1","tunnel":false,"keptAlive":false,"webSocket":false,
        "remoteAddress":"idp.example/192.0.2.1:443","clientAddress":"/127.0.0.1","clientPort":50123,
        "times":{"start":"2026-03-04T10:54:08.356+01:00","end":"2026-03-04T10:54:08.456+01:00"},
        "durations":{"total":100,"dns":null,"connect":7,"ssl":5,"request":1,"response":2,"latency":90},
        "ssl":{"protocol":"TLSv1.3","cipherSuite":"TLS_AES_128_GCM_SHA256"},"alpn":{"protocol":"h2"},"notes":"look here",
        "request":{\#(request)"sizes":{"headers":10,"body":9},"mimeType":"application/x-www-form-urlencoded",
          "header":{"headers":[{"name":":method","value":"POST"},{"name":"Content-Type","value":"application/x-www-form-urlencoded"}]}},
        "response":{\#(answer)"status":200,"sizes":{"headers":10,"body":2},"mimeType":"application/json",
          "header":{"firstLine":"HTTP/2.0 200 OK","headers":[{"name":"content-type","value":"application/json"}]}}}
        """#
    }

    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.chlsj")
    }

    private func check(_ capture: Capture) {
        let exchange = capture[0]
        #expect(capture.losses.isEmpty && capture.creator.name == "Charles")
        #expect(
            exchange.request.url.text == "https://idp.example/token?x=1" && exchange.request.method == "POST"
        )
        #expect(exchange.request.httpVersion == "HTTP/2" && exchange.response?.statusText == "OK")
        #expect(FormBody.items(of: exchange.request.body)?.first("code") == "abcd")
        #expect(exchange.response?.status == 200 && exchange.response?.body?.text == "{}")
        #expect(exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z" && exchange.isZoneKnown)
        #expect(exchange.duration == .milliseconds(100) && exchange.timings.dns == nil)
        // Charles has them apart.
        #expect(exchange.timings.connect == .milliseconds(12) && exchange.timings.tls == .milliseconds(5))
        #expect(
            exchange.timings.wait == .milliseconds(90) && exchange.connection.serverTLSVersion == "TLSv1.3"
        )
        #expect(
            exchange.connection.serverAddress == "192.0.2.1:443"
                && exchange.client.address == "127.0.0.1:50123"
        )
        #expect(exchange.foreign["comment"] == "look here")
    }

    @Test func exportedSessionIsRead() throws { check(try read("[\(Self.told()),\n\(Self.told())]")) }

    @Test func savedSessionIsRead() throws {
        let meta = Self.told(request: "", answer: "")
        let zip = Archive.zip([
            ("10-meta.json", Array(Self.told(request: "", answer: "", port: "8443").utf8)),
            ("2-meta.json", Array(meta.utf8)), ("2-req.txt", Array("code=abcd".utf8)),
            ("2-res.json", Array("{}".utf8)),
        ])
        let capture = try CaptureReader.read(bytes: zip, name: "login.chlz")
        check(capture)
        // Its bodies are not in the archive.
        #expect(capture.count == 2 && capture[1].request.url.port == 8443)
        #expect(capture[1].response?.body?.isRecorded == false)
    }

    /// As in other formats.
    @Test func lossesAreToldUpToANumber() throws {
        let strange = (1...300).map { ("\($0)-meta.json", Array("[]".utf8)) }
        let zip = Archive.zip([("0-meta.json", Array(Self.told(request: "", answer: "").utf8))] + strange)
        let capture = try CaptureReader.read(bytes: zip, name: "login.chlz")
        #expect(capture.losses.count == 201 && capture.losses.last?.what == "and 100 more like these")
    }

    @Test func tunnelAndFailureAreTold() throws {
        let tunnel =
            #"{"status":"FAILED","method":"CONNECT","protocolVersion":"HTTP/1.1","scheme":"https","host":"idp.example","actualPort":443,"tunnel":true,"errorMessage":"SSL handshake with client failed","request":{},"response":{"status":200}}"#
        let capture = try read("[\(tunnel),\(Self.told(status: "EXCEPTION"))]")
        #expect(capture[0].request.url.text == "https://idp.example:443" && !capture[0].isZoneKnown)
        #expect(capture[0].failure == "SSL handshake with client failed")
        #expect(capture[1].failure == "Charles: exception")
    }

    @Test func bodyOfSomeSizeStaysInTheFile() throws {
        let page = String(repeating: "hello ", count: 5000)
        let exchange = try read("[\(Self.told(answer: #""body":{"text":"\#(page)"},"#))]")[0]
        guard case .deferred? = exchange.response?.body?.content else {
            Issue.record("it is held")
            return
        }
        #expect(exchange.response?.body?.text == page)
    }

    @Test func sessionThatBreaksOffIsReadUpToThere() throws {
        let capture = try read("[\(Self.told()),{\"status\":\"COMPLETE\",\"meth")
        #expect(capture.count == 1 && capture.isCutShort)
    }

    private static let xml = #"""
        <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE charles-session SYSTEM "charles-session-1_0.dtd"><charles-session>
        <transaction method="POST" protocolVersion="HTTP/1.1" protocol="https" host="idp.example" port="8443" actualPort="8443"
          path="/token" query="a=1&amp;b=2" remoteAddress="idp.example/192.0.2.1" startTimeMillis="1772618048356"
          endTimeMillis="1772618048456"><request><headers><first-line><![CDATA[POST /token HTTP/1.1]]></first-line>
          <header><name>Content-Type</name><value>application/x-www-form-urlencoded</value></header>
          <header><name>Empty</name><value/></header></headers><body encoding="plain"><![CDATA[code=a&b]]></body></request>
        <response status="400" mime-type="application/json"><headers><first-line>HTTP/1.1 400 Bad Request</first-line></headers>
          <body encoding="base64">e30=</body></response></transaction>
        <transaction method="CONNECT" protocol="https" host="api.example" actualPort="443" path=""><request/></transaction>
        """#

    @Test func sessionInXMLIsRead() throws {
        let capture = try read(Self.xml + "</charles-session>")
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Charles")
        let token = capture[0]
        #expect(token.request.url.text == "https://idp.example:8443/token?a=1&b=2")
        #expect(token.request.headers.first("empty")?.isEmpty == true)
        #expect(token.request.body?.text == "code=a&b" && token.response?.body?.text == "{}")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z" && token.isZoneKnown)
        #expect(token.duration == .milliseconds(100))
        #expect(token.connection.serverAddress == "192.0.2.1:8443")
        #expect(capture[1].request.url.text == "https://api.example:443" && capture[1].response == nil)
    }

    /// Letters in an encoding that is not known are no body.
    @Test(arguments: [("BASE64", "e30=", "{}"), ("uuencode", "e30=", nil)] as [(String, String, String?)])
    func bodyIsReadInAnEncodingThatIsKnown(_ encoding: String, _ told: String, _ text: String?) throws {
        let xml = Self.xml.replacing(#""base64">e30="#, with: #""\#(encoding)">\#(told)"#)
        let json = Self.told(answer: #""body":{"encoding":"\#(encoding)","encoded":"\#(told)"},"#)
        for session in [xml + "</charles-session>", "[\(json)]"] {
            let body = try #require(read(session)[0].response?.body)
            #expect(body.isRecorded == (text != nil) && body.text == text)
            #expect(body.mediaType == "application/json")
        }
    }

    @Test func sessionInXMLThatBreaksOffIsReadUpToThere() throws {
        let capture = try read(Self.xml + #"<transaction method="GET" host="api.example"><request>"#)
        #expect(capture.count == 2 && capture.isCutShort)
        let error = try #require(throws: CaptureError.self) {
            try read("<charles-session><transaction></transaction></charles-session>")
        }
        guard case .notCapture(_, let looksLike, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(looksLike == "a Charles session without a request")
    }
}
