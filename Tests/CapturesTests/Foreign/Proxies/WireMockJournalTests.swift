@testable import Captures
import TestSupport
import Testing

/// What WireMock tells of the requests that it got.
struct WireMockJournalTests {
    private static let journal = #"""
        {
          "requests": [ {
            "id": "45760a03-eebb-4387-ad0d-bb89b5d3d662",
            "request": {
              "url": "/token", "absoluteUrl": "http://localhost:8080/token", "method": "POST",
              "clientIp": "127.0.0.1",
              "headers": {"Content-Type": "application/x-www-form-urlencoded", "Accept": ["a/b", "c/d"]},
              "cookies": {}, "browserProxyRequest": false, "loggedDate": 1772618049250,
              "bodyAsBase64": "Y29kZT1hYmNkJmdyYW50X3R5cGU9YXV0aG9yaXphdGlvbl9jb2Rl",
              "body": "code=abcd&grant_type=authorization_code", "protocol": "HTTP/1.1", "loggedDateString": "2026-03-04T09:54:09Z"
            },
            "responseDefinition": {"status": 200, "jsonBody": {"access_token": "x"}},
            "response": {
              "status": 200, "headers": {"Content-Type": "application/json"},
              "bodyAsBase64": "eyJhY2Nlc3NfdG9rZW4iOiJ4In0=", "body": "{\"access_token\":\"x\"}"
            },
            "wasMatched": true,
            "timing": {"addedDelay": 0, "processTime": 3, "responseSendTime": 1, "serveTime": 4, "totalTime": 5}
          }, {
            "id": "12fb14bb-600e-4bfa-bd8d-be7f12562c99",
            "request": {
              "url": "/jwks", "absoluteUrl": "http://localhost:8080/jwks", "method": "GET", "headers": {},
              "loggedDate": 1772618048250, "bodyAsBase64": "", "body": ""
            },
            "responseDefinition": {"status": 200, "fault": "CONNECTION_RESET_BY_PEER"},
            "wasMatched": true
          } ],
          "meta": {"total": 2}, "requestJournalDisabled": false
        }
        """#

    @Test func requestsAreExchangesTheOldestFirst() throws {
        let capture = try CaptureReader.read(bytes: Array(Self.journal.utf8), name: "journal.json")
        #expect(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "WireMock")
        let (keys, token) = (capture[0], capture[1])
        #expect(keys.request.url.text == "http://localhost:8080/jwks" && keys.request.body == nil)
        #expect(keys.response == nil && keys.failure == "CONNECTION_RESET_BY_PEER")
        #expect(token.startedAt.rfc3339.hasPrefix("2026-03-04T09:54:09.25"))
        #expect(token.duration == .milliseconds(5) && token.client.address == "127.0.0.1")
        #expect(token.request.headers.fields.map(\.value).suffix(2) == ["a/b", "c/d"])
        #expect(FormBody.items(of: token.request.body)?.first("code") == "abcd")
        #expect(token.response?.status == 200 && token.response?.body?.text == #"{"access_token":"x"}"#)
    }

    /// A journal that somebody is still writing down, or that was cut.
    @Test func whatIsWholeOfOneThatBreaksOffIsRead() throws {
        let cut = try #require(Self.journal.firstRange(of: "12fb14bb"))
        let text = Self.journal[..<cut.lowerBound]
        let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "journal.json")
        #expect(capture.count == 1 && capture.losses.count == 1)
        #expect(capture[0].request.url.path == "/token")
    }
}
