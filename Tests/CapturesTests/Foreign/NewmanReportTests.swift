import TestSupport
import Testing

@testable import Captures

/// What Newman reports of a run.
struct NewmanReportTests {
    private static let report = #"""
        {
          "collection": {"item": [{"name": "Token", "request": {"method": "POST"}, "executions": [1]}], "info": {"name": "login"}},
          "environment": {"executions": [{"request": {"url": "https://none.example/"}}]},
          "run": {
            "stats": {"requests": {"total": 2, "failed": 1}},
            "timings": {"started": 1774430120000},
            "executions": [ {
              "item": {"name": "Token"},
              "request": {
                "url": {
                  "protocol": "https", "host": ["id", "example"], "port": "8443", "path": ["realms", ":realm", "token"],
                  "query": [{"key": "a", "value": "b c"}, {"key": "off", "value": "1", "disabled": true}, {"key": "d", "value": null},
                    {"key": "e", "value": ""}],
                  "variable": [{"key": "realm", "value": "acme"}]
                },
                "header": [
                  {"key": "Content-Type", "value": "application/x-www-form-urlencoded", "system": true},
                  {"key": "X-Off", "value": "1", "disabled": true}
                ],
                "method": "POST",
                "body": {"mode": "urlencoded", "urlencoded": [
                  {"key": "grant_type", "value": "authorization_code"}, {"key": "code", "value": "a+b&c"},
                  {"key": "scope", "value": "openid", "disabled": true}
                ]}
              },
              "response": {
                "status": "Bad Request", "code": 400, "header": [{"key": "Content-Type", "value": "application/json"}],
                "stream": {"type": "Buffer", "data": [123, 34, 101, 34, 58, 49, 125]}, "responseTime": 41
              }
            }, {
              "item": {"name": "User"},
              "request": {"url": "http://127.0.0.1:1/userinfo", "method": "GET", "header": []},
              "requestError": {"errno": -111, "code": "ECONNREFUSED", "address": "127.0.0.1"}
            } ],
            "failures": []
          }
        }
        """#

    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "report.json")
    }

    @Test func executionsAreExchanges() throws {
        let capture = try Self.read(Self.report)
        #expect(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Newman")
        let (token, user) = (capture[0], capture[1])
        #expect(token.request.url.text == "https://id.example:8443/realms/acme/token?a=b%20c&d&e=")
        #expect(token.request.method == "POST" && token.request.headers.fields.count == 1)
        #expect(token.request.body?.text == "grant_type=authorization_code&code=a%2Bb%26c")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.response?.body?.text == #"{"e":1}"# && token.duration == .milliseconds(41))
        #expect(user.request.url.text == "http://127.0.0.1:1/userinfo" && user.request.body == nil)
        #expect(user.response == nil && user.failure == "ECONNREFUSED")
    }

    @Test(arguments: [
        (#"{"mode":"raw","raw":"{\"a\":1}"}"#, #"{"a":1}"#),
        (#"{"mode":"graphql","graphql":{"query":"{a}"}}"#, #"{"query":"{a}"}"#),
        (#"{"mode":"raw","raw":""}"#, nil), (#"{"mode":"urlencoded","urlencoded":[]}"#, nil),
        (#"{"mode":"raw","raw":"a","disabled":true}"#, nil), (#"{"mode":"file","file":{"src":"a"}}"#, nil),
    ])
    func bodyIsReadByItsMode(body: String, text: String?) throws {
        let execution = #"{"request":{"url":"https://a.example/","method":"PUT","body":\#(body)}}"#
        let capture = try Self.read(#"{"collection":{},"run":{"executions":[\#(execution)]}}"#)
        #expect(capture[0].request.body?.text == text)
        #expect((capture[0].request.body != nil) == (text != nil || body.contains("file")))
    }

    /// A form of several parts is told from one that token endpoints read.
    @Test func formOfPartsSaysSo() throws {
        let body =
            #"{"mode":"formdata","formdata":[{"key":"grant_type","value":"a b&c","type":"text"},{"key":"off","value":"1","disabled":true},{"key":"f","src":"a.txt","type":"file"}]}"#
        let execution = #"{"request":{"url":"https://a.example/","method":"POST","body":\#(body)}}"#
        let capture = try Self.read(#"{"collection":{},"run":{"executions":[\#(execution)]}}"#)
        #expect(capture[0].request.body?.mediaType == "multipart/form-data")
        let items = try #require(FormBody.items(of: capture[0].request.body)?.items)
        #expect(items.map(\.name) == ["grant_type"] && items.map(\.value) == ["a b&c"])
    }

    /// Of files alone nobody knows what was sent.
    @Test func filesAloneAreMissing() throws {
        let body = #"{"mode":"formdata","formdata":[{"key":"f","src":"a.txt","type":"file"}]}"#
        let execution = #"{"request":{"url":"https://a.example/","method":"POST","body":\#(body)}}"#
        let capture = try Self.read(#"{"collection":{},"run":{"executions":[\#(execution)]}}"#)
        #expect(capture[0].request.body?.isRecorded == false)
    }

    @Test(arguments: [
        (#"{"type":"Base64","data":"aGk="}"#, "hi"), (#""hi""#, "hi"), (#"{"type":"Buffer","data":[]}"#, ""),
        ("null", nil),
    ])
    func bytesAreReadAsTheyAreWritten(stream: String, text: String?) throws {
        let execution =
            #"{"request":{"url":"https://a.example/","method":"GET"},"response":{"code":200,"stream":\#(stream)}}"#
        let capture = try Self.read(#"{"run":{"executions":[\#(execution)]},"collection":{}}"#)
        #expect(capture[0].response?.body?.text == text)
    }

    /// A body of some size is read again when it is asked for.
    @Test func largeBodyIsRead() throws {
        let data = [String](repeating: "97", count: HAREntry.eagerBodyLimit + 1).joined(separator: ",")
        let response = #"{"code":200,"stream":{"type":"Buffer","data":[\#(data)]}}"#
        let execution = #"{"request":{"url":"https://a.example/","method":"GET"},"response":\#(response)}"#
        let capture = try Self.read(#"{"collection":{},"run":{"executions":[\#(execution)]}}"#)
        #expect(capture[0].response?.body?.bytes?.count == HAREntry.eagerBodyLimit + 1)
    }

    @Test func whatIsWholeOfOneThatBreaksOffIsRead() throws {
        let cut = try #require(Self.report.firstRange(of: "userinfo"))
        let capture = try Self.read(String(Self.report[..<cut.lowerBound]))
        #expect(capture.count == 1 && capture.losses.count == 1)
    }
}
