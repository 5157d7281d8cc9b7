import JSON
import Replay
import Testing

/// What goes over a browser's pipe.
struct DevToolsDecoderTests {
    private static let stream: [UInt8] =
        Array(#"{"id":1,"result":{"frameId":"F"}}"#.utf8) + [0]
        + Array(#"{"id":2,"error":{"code":-32000,"message":"Cannot find context"}}"#.utf8) + [0]
        + Array(#"{"method":"Page.loadEventFired","params":{"timestamp":1.5},"sessionId":"S"}"#.utf8) + [0]

    private static let messages: [DevToolsMessage] = [
        .reply(id: 1, ["frameId": "F"]),
        .refusal(id: 2, reason: "Cannot find context"),
        .event(
            "Page.loadEventFired",
            ["timestamp": .number(JSONNumber(text: "1.5"))],
            session: "S"
        ),
    ]

    @Test func messagesAreTheSameHoweverTheBytesComeIn() {
        for split in 0...Self.stream.count {
            var decoder = DevToolsDecoder()
            let seen = decoder.received(Self.stream[..<split]) + decoder.received(Self.stream[split...])
            #expect(seen == Self.messages, "split at \(split)")
        }
        var decoder = DevToolsDecoder()
        #expect(Self.stream.flatMap { decoder.received([$0]) } == Self.messages)
    }

    @Test func messageWithoutItsEndIsWaitedFor() {
        var decoder = DevToolsDecoder()
        #expect(decoder.received(Self.stream.dropLast()).count == 2)
        #expect(decoder.received([0]).count == 1)
    }

    @Test(arguments: ["", "nonsense", "[]", "{}", #"{"id":"1"}"#, #"{"method":7}"#, #"{"id":1"#])
    func whatIsNoMessageIsPassedOver(text: String) {
        var decoder = DevToolsDecoder()
        #expect(decoder.received(Array(text.utf8) + [0] + Self.stream) == Self.messages)
    }

    @Test func messageThatIsTooLargeIsPassedOverAndNotKept() {
        var decoder = DevToolsDecoder(maximumBytes: 100)
        let large = Array(#"{"method":"\#(String(repeating: "a", count: 200))"}"#.utf8)
        #expect(decoder.received(large).isEmpty)
        #expect(decoder.received([0]).isEmpty)
        #expect(decoder.received(Self.stream) == Self.messages)
    }

    @Test func commandIsJSONWithANULBehindIt() {
        let command = DevToolsCommand(
            id: 7,
            "Page.navigate",
            ["url": "https://idp.example/\u{0}\"'"],
            session: "S"
        )
        let text =
            #"{"id":7,"method":"Page.navigate","params":{"url":"https://idp.example/\u0000\"'"},"sessionId":"S"}"#
        #expect(command.bytes == Array(text.utf8) + [0])
        #expect(
            DevToolsCommand(id: 1, "Browser.getVersion").bytes == Array(
                #"{"id":1,"method":"Browser.getVersion"}"#.utf8
            ) + [0]
        )
    }
}
