import Captures
import JSON

/// What was said over the WebSocket that an exchange opened, as browsers and mitmproxy keep it (`_webSocketMessages`).
enum ViewerSocket {
    /// More messages of one connection nobody reads.
    private static let most = 500
    /// Of one message, in bytes.
    private static let mostOfOne = 1 << 14
    /// Of all that are shown, in bytes: behind so many no further one is begun.
    private static let mostOfAll = 1 << 20

    /// `{"messages": [{"from", "after", "kind", "size", "text", "cut", "open"}], "more": number}`; null where nothing was kept.
    ///
    /// Who wrote the capture may have written anything.
    static func document(of exchange: Exchange, _ secrets: ViewerSecrets) -> JSONValue {
        guard let all = exchange.foreign["_webSocketMessages"]?.array, !all.isEmpty else { return .null }
        var room = mostOfAll
        var messages: [JSONValue] = []
        for recorded in all.prefix(most) where room > 0 {
            let (message, size) = message(recorded, of: exchange, secrets)
            messages.append(.object(message))
            room -= size
        }
        return ["messages": .array(messages), "more": JSONValue(all.count - messages.count)]
    }

    /// With the bytes of it that are shown.
    private static func message(
        _ recorded: JSONValue,
        of exchange: Exchange,
        _ secrets: ViewerSecrets
    ) -> (JSONObject, Int) {
        let opcode = recorded["opcode"]?.double
        var message: JSONObject = [
            "from": sender(recorded["type"]?.string), "after": after(recorded["time"]?.double, exchange),
            "kind": .string(kind(opcode)),
        ]
        let data = recorded["data"].map { $0.string ?? JSONWriter.text(of: $0) } ?? ""
        // Everything but text stands there in base64.
        if let opcode, [2, 8, 9, 10].contains(opcode) {
            message["size"] = JSONValue(max(0, data.utf8.count / 4 * 3 - data.suffix(2).count { $0 == "=" }))
            return (message, 0)
        }
        let size = data.utf8.count
        message["size"] = JSONValue(size)
        let isCut = size > mostOfOne
        let text = isCut ? String(data.unicodeScalars.prefix(mostOfOne / 4)) : data
        message["text"] = .string(text)
        if isCut { message["cut"] = true }
        message["open"] = .bool(!isCut && secrets.isOpen(said: text))
        return (message, text.utf8.count)
    }

    private static func sender(_ type: String?) -> JSONValue {
        switch type {
        case "send": "client"
        case "receive": "server"
        default: .null
        }
    }

    /// Milliseconds behind the request; null where one of the two times is not known.
    private static func after(_ seconds: Double?, _ exchange: Exchange) -> JSONValue {
        guard let time = seconds.flatMap(ForeignTime.seconds), exchange.startedAt.isKnown else {
            return .null
        }
        return ViewerTime.milliseconds(time, since: exchange.startedAt)
    }

    /// RFC 6455, section 5.2.
    private static func kind(_ opcode: Double?) -> String {
        switch opcode {
        case 2: "binary"
        case 8: "close"
        case 9: "ping"
        case 10: "pong"
        default: "text"
        }
    }
}
