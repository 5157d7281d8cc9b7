@testable import Captures
import JSON
import Testing

/// What the DevTools protocol says of single requests.
struct DevToolsLogTests {
    private func read(_ events: [String]) throws -> Capture {
        try CaptureReader.read(bytes: Array(events.joined(separator: "\n").utf8), name: "log")
    }

    private static func sent(_ request: String, _ members: String = "") -> String {
        #"{"method":"Network.requestWillBeSent","params":{"requestId":"R1","loaderId":"R1","timestamp":1,"wallTime":1772618048,"#
            + "\(members)\"request\":{\(request)}}}"
    }

    private static func event(_ name: String, _ members: String) -> String {
        "{\"method\":\"\(name)\",\"params\":{\"requestId\":\"R1\",\(members)}}"
    }

    private static func ended(_ response: String, size: Int) -> [String] {
        [
            event("Network.responseReceived", "\"response\":{\"headers\":{},\(response)}"),
            event("Network.loadingFinished", "\"timestamp\":2,\"encodedDataLength\":\(size)"),
        ]
    }

    private static let get = sent(#""method":"GET","url":"https://rp.example/","headers":{}"#)

    // MARK: - Bodies of requests

    private static let asked = #"{"id":7,"method":"Network.getRequestPostData","params":{"requestId":"R1"}}"#

    /// Of a redirect it is the first request's, be it asked for with a command of its own or in one, as the protocol monitor has it.
    @Test(arguments: [
        [asked, #"{"id":7,"result":{"postData":"user=1&pw=2"}}"#],
        [asked, #"{"id":7,"result":{"postData":"dXNlcj0xJnB3PTI=","base64Encoded":true}}"#],
        [asked.dropLast() + #","result":{"postData":"user=1&pw=2"}}"#],
    ]) func bodyAskedForLaterIsOfTheRequestThatHadIt(lines: [String]) throws {
        let post = Self.sent(#""method":"POST","url":"https://op.example/a","headers":{},"hasPostData":true"#)
        let next = Self.sent(
            #""method":"GET","url":"https://rp.example/cb","headers":{}"#,
            #""redirectResponse":{"status":302,"headers":{}},"#
        )
        let capture = try read([post] + lines + [next])
        #expect(capture.indices.map { capture[$0].request.method } == ["POST", "GET"])
        #expect(capture[0].request.body?.text == "user=1&pw=2" && capture[1].request.body == nil)
    }

    @Test(arguments: [
        (#""postDataEntries":[{"bytes":"YT0x"},{"bytes":"JmI9Mg=="}],"hasPostData":true"#, "a=1&b=2"),
        (#""postData":"a=1","hasPostData":true"#, "a=1"), (#""hasPostData":true"#, nil),
    ]) func bodyIsWhatWasSent(members: String, text: String?) throws {
        let post = Self.sent(#""method":"POST","url":"https://op.example/a","headers":{},"# + members)
        let body = try #require(read([post])[0].request.body)
        #expect(body.text == text && body.isRecorded == (text != nil))
    }

    // MARK: - Answers

    /// A server that says that the cached answer still holds (304) was asked.
    @Test(arguments: [
        ([event("Network.requestServedFromCache", "\"x\":1")] + ended("\"status\":200", size: 0), "memory"),
        (ended("\"status\":200,\"fromDiskCache\":true", size: 0), "disk"),
        (ended("\"status\":200,\"fromDiskCache\":false", size: 0), nil),
        (ended("\"status\":200,\"fromDiskCache\":true", size: 90), nil),
        (
            [event("Network.responseReceivedExtraInfo", "\"statusCode\":304,\"headers\":{}")]
                + ended("\"status\":200,\"fromDiskCache\":true", size: 0), nil
        ),
    ]) func cacheThatAnsweredIsTold(events: [String], cache: String?) throws {
        #expect(try read([Self.get] + events)[0].foreign["_fromCache"]?.string == cache)
    }

    /// What the browser redirected itself has none, and what comes before an answer (103) is none.
    @Test func whatTheNetworkSawIsOfTheHopThatItSaw() throws {
        let capture = try read(
            [
                Self.sent(#""method":"GET","url":"http://rp.example/","headers":{}"#),
                Self.sent(
                    #""method":"GET","url":"https://rp.example/","headers":{}"#,
                    #""redirectHasExtraInfo":false,"redirectResponse":{"status":307,"headers":{}},"#
                ), Self.event("Network.requestWillBeSentExtraInfo", #""headers":{"Cookie":"sid=1"}"#),
                Self.event("Network.responseReceivedExtraInfo", #""statusCode":103,"headers":{}"#),
                Self.event("Network.responseReceivedExtraInfo", #""statusCode":401,"headers":{"X":"1"}"#),
            ] + Self.ended("\"status\":401", size: 9)
        )
        #expect(capture.indices.map { capture[$0].request.cookie("sid") } == [nil, "1"])
        #expect(capture.indices.map { capture[$0].response?.status } == [307, 401])
        #expect(capture.indices.map { capture[$0].response?.headers.first("x") } == [nil, "1"])
    }

    @Test(arguments: [
        (#""errorText":"net::ERR_FAILED","blockedReason":"csp""#, "net::ERR_FAILED"),
        (#""errorText":"","blockedReason":"csp""#, "blocked: csp"),
        (#""errorText":"","corsErrorStatus":{"corsError":"HeaderMissing"}"#, "blocked: HeaderMissing"),
        (#""errorText":"","blockedReason":"","canceled":true"#, "canceled"), (#""canceled":false"#, "failed"),
    ]) func failureHasTheBestWords(members: String, words: String) throws {
        #expect(try read([Self.get, Self.event("Network.loadingFailed", members)])[0].failure == words)
    }

    /// A frame in a page is no page.
    @Test(arguments: ["", #""parentId":"F0","#]) func pagesAreOfMainFrames(parent: String) throws {
        let capture = try read([
            Self.get,
            #"{"method":"Page.frameNavigated","params":{"frame":{\#(parent)"loaderId":"R1","url":"https://rp.example/"}}}"#,
        ])
        #expect((capture[0].foreign["pageref"] == "R1") == parent.isEmpty)
    }
}
