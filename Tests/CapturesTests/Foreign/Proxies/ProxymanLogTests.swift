@testable import Captures
import JSON
import TestSupport
import Testing

/// Logs that Proxyman exports (`.proxymanlogv2`).
struct ProxymanLogTests {
    private static func told(
        request: String = "Y29kZT1hYmNk",
        answer: String = "e30=",
        members: String = ""
    ) -> String {
        #"""
        {"response":{"error":null,"bodyData":"\#(answer)","status":{"phrase":"OK","code":200,"strict":false},"compressedBodyDataCount":2,
          "version":{"major":2,"minor":0},"header":{"entries":[{"key":{"name":"Content-Type","nameInLowercase":"content-type"},"isEnabled":true,
          "value":"application/json"},{"key":{"name":"Set-Cookie"},"isEnabled":true,"value":"a=1"},{"key":{"name":"Set-Cookie"},"value":"b=2"}]}},
         "timing":{"requestStartedAt":1772618048.356,"requestEndedAt":1772618048.357,"responseStartedAt":1772618048.447,"responseEndedAt":1772618048.456},
         "client":{"name":"Example App","pid":4711,"path":"/Applications/Example.app","iconWrapper":{"image":""}},
         "summary":{"clientIpAddress":"127.0.0.1","clientPort":50123,"serverIpAddress":"192.0.2.1","serverPort":443},
         "extraInfo":{"tlsVersion":"TLSv1.3","aplnProtocol":"h2"},"style":{"comment":"look here"},"id":"6894","isRelayed":true,\#(members)
         "request":{"host":"idp.example","port":443,"scheme":"https","isSSL":true,"uri":"/token?x=1","fullPath":"https://idp.example/token?x=1",
          "method":{"name":"POST"},"version":{"major":2,"minor":0},"bodyData":"\#(request)","header":{"entries":[
          {"key":{"name":"Content-Type"},"isEnabled":true,"value":"application/x-www-form-urlencoded"},
          {"key":{"name":"X-Off"},"isEnabled":false,"value":"1"}]}}}
        """#
    }

    private func read(_ files: [(String, String)]) throws -> Capture {
        let zip = Archive.zip(files.map { ($0.0, Array($0.1.utf8)) }, isDeflated: true)
        return try CaptureReader.read(bytes: zip, name: "login.proxymanlogv2")
    }

    @Test func exportedLogIsRead() throws {
        let capture = try read([("request_10_6899", Self.told()), ("request_2_6894", Self.told())])
        let exchange = capture[0]
        let response = try #require(exchange.response)
        #expect(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Proxyman")
        #expect(exchange.request.method == "POST")
        #expect(exchange.request.url.text == "https://idp.example/token?x=1")
        #expect(exchange.request.httpVersion == "HTTP/2" && response.httpVersion == "HTTP/2")
        #expect(exchange.request.headers.fields.map(\.name) == ["Content-Type"])
        #expect(FormBody.items(of: exchange.request.body)?.first("code") == "abcd")
        #expect(response.status == 200 && response.statusText == "OK" && response.body?.text == "{}")
        #expect(response.setCookies.map(\.name) == ["a", "b"])
        #expect(exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z" && exchange.isZoneKnown)
        #expect(exchange.duration == .milliseconds(100))
        #expect(exchange.timings.wait == .milliseconds(90))
        #expect(exchange.connection.serverAddress == "192.0.2.1:443")
        #expect(exchange.connection.clientTLSVersion == "TLSv1.3")
        #expect(exchange.client.process == "Example App" && exchange.client.processID == 4711)
        #expect(exchange.client.address == "127.0.0.1:50123" && exchange.failure == nil)
        #expect(exchange.foreign["comment"] == "look here")
    }

    @Test func whatIsMissingIsUnknown() throws {
        let request = #""request":{"method":{"name":"GET"},"fullPath":"https://idp.example/"}"#
        let tunnel = #""request":{"method":{"name":"CONNECT"},"host":"idp.example","port":8443}"#
        let capture = try read([
            ("request_0_1", "{\(request)}"),
            ("request_1_2", #"{\#(tunnel),"response":{"error":{"message":"no trust"}}}"#),
            ("folder/request_2_3", #"{\#(request),"response":{"status":{"code":204}}}"#),
            ("request_3_4", "[]"),
        ])
        #expect(capture.count == 3)
        #expect(capture.losses.map(\.what) == ["request_3_4 is no exchange of Proxyman's"])
        #expect(capture[0].response == nil && capture[0].request.body == nil && !capture[0].isZoneKnown)
        #expect(capture[1].request.url.text == "https://idp.example:8443")
        #expect(capture[1].failure == "no trust")
        #expect(capture[2].response?.status == 204 && capture[2].response?.body?.isRecorded == false)
    }

    @Test func bodyOfSomeSizeStaysInTheArchive() throws {
        let page = String(repeating: "hello ", count: 5000)
        let exchange = try read([("request_0_1", Self.told(answer: Base64.encode(Array(page.utf8))))])[0]
        guard case .deferred? = exchange.response?.body?.content else {
            Issue.record("it is held")
            return
        }
        #expect(exchange.response?.body?.text == page)
    }

    /// Which has all in one file, in another form.
    @Test(arguments: [1, 2]) func sessionIsNamed(files: Int) throws {
        let error = #expect(throws: CaptureError.self) {
            try read(Array([("SharedFlowStorage", #"{"1":{}}"#), ("settings", "{}")].prefix(files)))
        }
        #expect(error?.description.contains("a session of Proxyman's") == true)
    }
}
