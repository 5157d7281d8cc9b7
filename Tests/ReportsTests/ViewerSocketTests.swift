import Captures
import JSON
import TestSupport
import Testing

@testable import Reports

/// What was said over a WebSocket, as the viewer gets it.
struct ViewerSocketTests {
    private static let token = "q7Zr2LkX9vTb4WmNc1Ys"

    /// `[{"type", "time", "opcode", "data"}]` of the second exchange, behind one with a token.
    private static func viewed(_ messages: JSONValue) -> ViewerCapture {
        var builder = CaptureBuilder()
        builder.post("https://idp.example/token", [("grant_type", "authorization_code"), ("code", token)])
        builder.get("https://app.example/live", 101)
        var exchanges = builder.exchanges
        exchanges[1].foreign["_webSocketMessages"] = messages
        return ViewerCapture(ReportBuilder.report(on: Capture(exchanges), named: "socket"))
    }

    private static func socket(_ messages: JSONValue) -> JSONValue? {
        viewed(messages).message(1)?["socket"]
    }

    @Test func eachMessageTellsWhoSaidItWhenAndWhat() throws {
        let start = Self.viewed([]).report.capture[1].startedAt
        let time = Double((start - Timestamp(nanoseconds: 0)) / .milliseconds(1)) / 1000 + 1.5
        let socket = Self.socket([
            ["type": "send", "time": .number(JSONNumber(time)), "opcode": 1, "data": "hello <b>"],
            ["type": "receive", "opcode": 2, "data": "AAECAw=="], ["type": [1], "time": "x", "data": 7], 8,
        ])
        #expect(socket?["more"] == 0)
        let messages = try #require(socket?["messages"]?.array)
        try #require(messages.count == 4)
        #expect(messages.map { $0["from"] } == ["client", "server", .null, .null])
        #expect(messages.map { $0["kind"]?.string } == ["text", "binary", "text", "text"])
        #expect(messages.map { $0["size"]?.int } == [9, 4, 1, 0])
        #expect(messages.map { $0["text"]?.string } == ["hello <b>", nil, "7", ""])
        #expect(messages[0]["after"]?.double == 1500 && messages[1]["after"] == .null)
        #expect(messages[0]["open"] == true)
    }

    @Test(arguments: [.null, [], "x", ["a": 1]] as [JSONValue]) func nothingOfWhatIsNoList(value: JSONValue) {
        #expect(Self.socket(value) == .null)
    }

    @Test(
        arguments: [
            ("pong", true), (#"{"type":"tick","count":1}"#, true), (#"["\#(token)"]"#, false),
            (#"{"type":"auth","password":"x"}"#, false), (#"{"type":"auth","access_token":"ab1"}"#, false),
            (#"{"a":[{"client_secret":"ab1"}]}"#, false), (#"{"data":"{\"access_token\":\"ab1\"}"}"#, false),
            ("CONNECT\npasscode:guest", false), (#"42["auth",{"token":"ab1"}]"#, false), ("pin=1234", false),
            ("mail to ann@idp.example", false), (#"["CONNECT\npasscode:guest"]"#, false),
            (#"{"event":"join","data":"pin=1234"}"#, false),
            (#"{"at":"9:54","of":"https://idp.example/x"}"#, true),
        ]
    )
    func whatMayBeASecretIsNotOpen(text: String, isOpen: Bool) {
        let socket = Self.socket([["type": "send", "opcode": 1, "data": .string(text)]])
        #expect(socket?["messages"]?.array?.first?["open"]?.bool == isOpen, "\(text)")
    }

    @Test func ofManyAndOfLongOnesTheBeginningIsTold() throws {
        let many = Self.socket(.array(Array(repeating: ["opcode": 1, "data": "x"], count: 700)))
        #expect(many?["messages"]?.array?.count == 500 && many?["more"] == 200)
        let long = String(repeating: "é", count: 20_000)
        let socket = Self.socket(.array(Array(repeating: ["opcode": 1, "data": .string(long)], count: 300)))
        let messages = try #require(socket?["messages"]?.array)
        #expect(messages[0]["cut"] == true && messages[0]["open"] == false)
        #expect(messages[0]["size"] == 40_000 && messages[0]["text"]?.string?.count == 4096)
        #expect(messages.compactMap { $0["text"]?.string?.utf8.count }.reduce(0, +) <= 1 << 20)
        #expect((socket?["more"]?.int).map(Int.init) == 300 - messages.count && messages.count < 300)
    }

    @Test func searchFindsWhatWasSaid() throws {
        let viewed = Self.viewed([
            ["opcode": 1, "data": "first"], ["opcode": 1, "data": "the needle of it"],
            ["opcode": 1, "data": "pin=1234 hay"],
        ])
        let hits = ["needle", "hay"].map { ViewerSearch.hits(of: $0, in: [viewed])["hits"]?.array?.first }
        #expect(hits.map { $0?["where"] } == ["websocket", "websocket"])
        #expect(hits.map { $0?["name"] } == ["2", "3"])
        #expect(hits.map { $0?["open"] } == [true, nil] && hits[0]?["exchange"] == 1)
    }
}
