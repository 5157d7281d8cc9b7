@testable import Captures
import JSON
import TestSupport
import Testing

/// What the browser extension SAML-tracer exports.
struct SAMLTracerExportTests {
    @Test(arguments: [
        #"[{"name":"Content-Type","value":"application/x-www-form-urlencoded"},{"name":"Cookie","value":"sid=1"}]"#,
        #"[["Content-Type","application/x-www-form-urlencoded"],["Cookie","sid=1"]]"#,
    ]) func requestsAreExchanges(headers: String) throws {
        let text = #"""
            {
              "requests": [
                {"method": "POST", "url": "https://idp.example/login", "requestId": "7", "requestHeaders": \#(headers),
                 "get": [], "post": [["user", "a b"], ["password", "***"]], "responseStatus": 302,
                 "responseStatusText": "HTTP/1.1 302 Found", "responseHeaders": [{"name": "Location", "value": "https://rp.example/cb?code=1"}]},
                {"method": "GET", "url": "https://rp.example/cb?code=1", "requestId": "8", "requestHeaders": [], "post": null}
              ],
              "timestamp": "2026-03-04T09:54:08.356Z"
            }
            """#
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "trace.json")
        let (first, second) = (capture[0], capture[1])
        #expect(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "SAML-tracer")
        #expect(
            first.request.cookie("sid") == "1"
                && FormBody.items(of: first.request.body)?.first("user") == "a b"
        )
        #expect(
            first.response?.statusText == "Found"
                && first.response?.location == "https://rp.example/cb?code=1"
        )
        #expect(first.response?.body?.isRecorded == false && !first.isZoneKnown)
        #expect(second.response == nil && second.request.body == nil)
    }

    /// It says itself what the browser calls, and an entry of a HAR file without a scheme is read so.
    @Test(arguments: [
        ("rp.example/cb?code=1", "https://rp.example/cb?code=1"),
        ("localhost:3000/cb", "https://localhost:3000/cb"),
        ("http://rp.example/cb", "http://rp.example/cb"), ("data:text/html,a", "data:text/html,a"),
    ]) func addressWithoutSchemeIsReadAsInHAR(written: String, read: String) throws {
        let text = #"""
            {"requests":[{"method":"GET","url":"\#(written)","requestHeaders":[]},
              {"method":"GET","url":"https://localhost:3000/app","requestHeaders":[]}]}
            """#
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "trace.json")
        #expect(capture[0].request.url.text == read)
        let once = try OriginalEntryTests.imported([.init(name: "a.har", capture: capture)])
        let again = try OriginalEntryTests.imported([JSONWriter.text(of: once)])
        #expect(once["log"]?["entries"]?.array?[0]["request"]?["url"]?.string == read)
        #expect(again["log"]?["entries"] == once["log"]?["entries"])
    }

    @Test func requestsOfOthersAreNone() {
        let text = #"{"requests":[{"name":"a"}],"timestamp":1}"#
        #expect(throws: CaptureError.self) { try CaptureReader.read(bytes: Array(text.utf8), name: "a.json") }
    }
}
