import JSON
import TestSupport
import Testing

@testable import Captures

/// What Logbook logs of messages.
struct LogbookLogTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "service.log")
    }

    private static let request =
        #"{"origin":"local","type":"request","correlation":"a1","protocol":"HTTP/1.1","remote":"localhost","method":"POST","uri":"https://op.example/token","host":"op.example","path":"/token","scheme":"https","port":null,"headers":{"Authorization":["XXX"],"Content-Type":["application/x-www-form-urlencoded"]},"body":"grant_type=authorization_code&code=abcd"}"#
    private static let answer =
        #"{"origin":"remote","type":"response","correlation":"a1","duration":50,"protocol":"HTTP/1.1","status":400,"headers":{"Content-Type":["application/json"]},"body":{"error":"invalid_grant","n":1.50}}"#
    private static let requestText = """
        Outgoing Request: a1
        Remote: localhost
        POST https://op.example/token HTTP/1.1
        Authorization: XXX
        Content-Type: application/x-www-form-urlencoded

        grant_type=authorization_code&code=abcd
        """
    private static let answerText = """
        Incoming Response: a1
        Duration: 50 ms
        HTTP/1.1 400 Bad Request
        Content-Type: application/json

        {"error":"invalid_grant","n":1.50}
        """

    private static func expectToken(_ capture: Capture) throws {
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "Logbook")
        let token = capture[0]
        #expect(token.request.url.text == "https://op.example/token" && token.request.method == "POST")
        #expect(token.request.httpVersion == "HTTP/1.1")
        #expect(token.request.headers.fields.map(\.name) == ["Authorization", "Content-Type"])
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400 && token.duration == .milliseconds(50))
        #expect(token.response?.body?.text == #"{"error":"invalid_grant","n":1.50}"#)
        #expect(token.client.address == nil)
    }

    private static let marks = [
        "", "10:54:08.356 [main] TRACE org.zalando.logbook.Logbook -- ",
        "2026-03-04 10:54:08.356 TRACE [svc,,] 1 --- [nio-8080-exec-1] org.zalando.logbook.Logbook     : ",
        "2026-03-04T10:54:08.356+01:00 TRACE 1 --- [nio-8080-exec-1] org.zalando.logbook.Logbook : ",
        "[main] TRACE org.zalando.logbook.Logbook - ", "TRACE: ",
    ]

    /// Between the messages stand other lines of the log.
    @Test(arguments: marks, [false, true]) func messagesAreExchanges(mark: String, isCRLF: Bool) throws {
        let other =
            mark.isEmpty ? "" : mark.replacing("TRACE", with: "INFO") + "Something else\n\tat a.B(B.java:1)\n"
        for (request, answer) in [(Self.request, Self.answer), (Self.requestText, Self.answerText)] {
            let text = "\(other)\(mark)\(request)\n\(other)\(mark)\(answer)\n\(other)"
            let capture = try Self.read(isCRLF ? text.replacing("\n", with: "\r\n") : text)
            try Self.expectToken(capture)
            #expect((capture[0].startedAt.nanoseconds != 0) == mark.hasPrefix("2026"))
            #expect(capture[0].isZoneKnown == mark.contains("+01:00"))
        }
    }

    /// As a log in JSON has them: the message as an object, as its text, or as a text of JSON, also as Docker keeps its lines.
    @Test func messagesStandInTheJSONOfALog() throws {
        let quoted = { (text: String) in JSONWriter.text(of: .string(text)) }
        let wrappings: [(String) -> String] = [
            { #"{"@timestamp":"2026-03-04T10:54:08.5+01:00","message":"POST","http":\#($0)}"# },
            { #"{"@timestamp":"2026-03-04T10:54:08.5+01:00","level":"TRACE","message":\#(quoted($0))}"# },
            { #"{"timestamp":1772618048500,"jsonPayload":{"message":\#(quoted($0))}}"# },
        ]
        for wrap in wrappings {
            let lines = [Self.request, Self.answer].map(wrap).joined(separator: "\n")
            let docker = [Self.request, Self.answer].map {
                #"{"log":\#(quoted(wrap($0) + "\n")),"stream":"stdout"}"#
            }
            for text in [lines, docker.joined(separator: "\n"), "[\(lines.replacing("\n", with: ",\n"))]"] {
                let capture = try Self.read(text)
                try Self.expectToken(capture)
                #expect(capture[0].startedAt.rfc3339.hasPrefix("2026-03-04T09:54:08.5"))
                #expect(capture[0].isZoneKnown)
            }
        }
        let texts = [Self.requestText, Self.answerText].map { #"{"message":\#(quoted($0))}"# }
        try Self.expectToken(Self.read(texts.joined(separator: "\n")))
    }

    /// A service that is asked, and asks meanwhile: traces may give both one name.
    @Test func whoWasAskedTellsMessagesOfOneNameApart() throws {
        let capture = try Self.read(
            """
            Incoming Request: t
            Remote: /10.0.0.7:50990
            GET https://app.example/cb?code=abcd HTTP/1.1
            Outgoing Request: t
            Remote: op.example
            POST https://op.example/token HTTP/1.1
            Incoming Response: t
            Duration: 5 ms
            HTTP/1.1 401 Unauthorized
            Outgoing Response: t
            Duration: 9 ms
            HTTP/1.1 302 Found
            Location: /
            Set-Cookie: a=1; Expires=Wed, 04 Mar 2026 10:00:00 GMT; Path=/, b=2; Path=/
            Attributes: {sub=ada}
            """
        )
        try #require(capture.count == 2)
        #expect(capture[0].response?.status == 302 && capture[1].response?.status == 401)
        #expect(capture[0].client.address == "10.0.0.7:50990" && capture[1].client.address == nil)
        #expect(capture[0].response?.headers.fields.map(\.name) == ["Location", "Set-Cookie", "Set-Cookie"])
        #expect(capture[0].response?.headers.all("set-cookie").last == "b=2; Path=/")
    }

    /// Whose answer it is nobody knows where two wait under one name; the next one is alone again.
    @Test func answerThatMayBeOfTwoRequestsIsNobodys() throws {
        let texts = [Self.request, Self.request, Self.answer, Self.answer, Self.request, Self.answer]
        let capture = try Self.read(texts.joined(separator: "\n"))
        #expect(capture.indices.map { capture[$0].response?.status } == [nil, nil, 400])
    }

    @Test(
        arguments: [
            (#""headers":{"Content-Length":["9"]}"#, nil, nil),
            (#""headers":{"Transfer-Encoding":["chunked"]}"#, nil, nil),
            (#""headers":{"Content-Length":["0"]}"#, "", false), (#""headers":{}"#, "", false),
            (#""headers":{},"body":"<binary>""#, nil, nil),
            (#""headers":{"Content-Length":["99"]},"body":"abc...""#, "abc", true),
            (#""headers":{"Content-Length":["6"]},"body":"abc...""#, "abc...", false),
            // Where values were taken out the length is another.
            (#""headers":{"Content-Length":["99"]},"body":"a=XXX""#, "a=XXX", false),
        ] as [(String, String?, Bool?)]
    )
    func bodyIsKnownAsFarAsItIsLogged(members: String, text: String?, isCut: Bool?) throws {
        let answer =
            #"{"origin":"remote","type":"response","correlation":"a1","duration":1,"protocol":"HTTP/1.1","status":200,\#(members)}"#
        let body = try Self.read("\(Self.request)\n\(answer)\n")[0].response?.body
        #expect(body?.text == text && (body?.isRecorded ?? false) == (text != nil))
        if let isCut { #expect(body?.isTruncated == isCut) }
    }

    /// A log that was cut, or whose lines are too long for it.
    @Test func messageThatBreaksOffIsToldOf() throws {
        let capture = try Self.read("\(Self.request.prefix(200))\n\(Self.request)\n\(Self.answer)\n")
        #expect(capture.count == 1 && capture[0].response?.status == 400)
        #expect(capture.losses.map(\.line) == [1])
        #expect(capture.losses[0].what == "a message of Logbook's breaks off")
    }

    @Test(arguments: [
        #"{"origin":"remote","type":"response","correlation":"a1","status":200}"#,
        "Incoming Request: a1\nRemote: a\nno request\n", "Incoming Request: of a user\nGET /a HTTP/1.1\n",
        String(repeating: "{\"correlation\":", count: 500),
        String(repeating: "Incoming Request: a\n", count: 500),
    ]) func otherTextIsNoLog(text: String) {
        #expect(throws: CaptureError.self) { try Self.read(text) }
    }
}
