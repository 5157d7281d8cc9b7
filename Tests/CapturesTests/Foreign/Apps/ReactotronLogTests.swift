import TestSupport
import Testing

@testable import Captures

/// Timelines that Reactotron exports.
struct ReactotronLogTests {
    private static func read(_ call: String) throws -> Capture {
        let others = (1...60).map {
            #"{"type":"log","payload":{"message":"\#($0)"},"date":"2026-03-04T10:54:00.000Z","deltaTime":1}"#
        }
        let command =
            #"{"type":"api.response","important":"~~~ false ~~~","date":"2026-03-04T10:54:08.245Z","deltaTime":1,"payload":{\#(call)}}"#
        return try CaptureReader.read(
            bytes: Array("[\((others + [command]).joined(separator: ","))]".utf8),
            name: "timeline-log-1.txt"
        )
    }

    @Test func callIsAnExchange() throws {
        let capture = try Self.read(
            #""duration":245,"request":{"url":"https://op.example/token","method":"post","data":"code=abcd","headers":{"content-type":"application/x-www-form-urlencoded","x-app":"~~~ empty string ~~~"},"params":"~~~ null ~~~"},"response":{"status":400,"body":{"error":"invalid_grant","n":"~~~ zero ~~~"},"headers":{"content-type":"application/json","set-cookie":"a=1; Path=/, b=2; Path=/"}}"#
        )
        try #require(capture.count == 1 && capture.creator.name == "Reactotron")
        let token = capture[0]
        #expect(token.startedAt.rfc3339 == "2026-03-04T10:54:08.000000Z" && token.isZoneKnown)
        #expect(token.duration == .milliseconds(245))
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("x-app")?.isEmpty == true)
        #expect(token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400 && token.response?.headers.all("set-cookie").count == 2)
        #expect(token.response?.body?.text == #"{"error":"invalid_grant","n":0}"#)
    }

    @Test(
        arguments: [
            (#"{"grant_type":"refresh_token","n":1}"#, FormBody.mediaType, "grant_type=refresh_token&n=1"),
            (#"{"a":[1]}"#, "application/json", #"{"a":[1]}"#), ("{}", FormBody.mediaType, nil),
            (#"{"_parts":[["a","b"]]}"#, "multipart/form-data", nil),
            (#""~~~ skipped ~~~""#, "image/png", nil),
        ] as [(String, String, String?)]
    )
    func bodyIsWhatTheAppHad(body: String, type: String, text: String?) throws {
        let headers = #""headers":{"Content-Type":"\#(type)"}"#
        let exchange = try Self.read(
            #""duration":1,"request":{"url":"https://api.example/","method":"POST","params":{"a":"b&c"},"data":\#(body),\#(headers)},"response":{"status":200,"body":\#(body),\#(headers)}"#
        )[0]
        #expect(exchange.request.url.text == "https://api.example/?a=b%26c")
        #expect(exchange.request.body?.text == text && exchange.response?.body?.text == text)
        #expect(text != nil || exchange.response?.body?.isRecorded == false)
    }

    /// Without an answer, and of a URL that names no server.
    @Test func callsWithLess() throws {
        let failed = try Self.read(
            #""request":{"url":"https://api.example/","method":"GET"},"response":{"status":null,"body":null}"#
        )
        #expect(failed.count == 1 && failed[0].response == nil)
        #expect(throws: CaptureError.self) {
            try Self.read(#""request":{"url":"/token","method":"GET"},"response":{"status":200}"#)
        }
    }
}
