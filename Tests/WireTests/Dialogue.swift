import Captures
import NIOCore
import Wire

/// What two ends of a connection say, one after the other.
struct Dialogue {
    enum Turn {
        case client(String)
        case server(String)
        case clientBytes([UInt8])
        case serverBytes([UInt8])
        /// The server's end of the connection.
        case serverEnds
        case serverBreaks(String)
        case clientBreaks(String)
    }

    var turns: [Turn]
    var scheme = "https"
    var authority = "idp.example"
    var isAuthorityFixed = false
    var maximumBodyBytes = 4 << 20
    var budget: RecordingBudget?
    /// What was agreed in TLS.
    var alpn: String?

    init(_ turns: [Turn]) { self.turns = turns }

    /// Of a connection whose ends have agreed on HTTP/2.
    static func overHTTP2(_ turns: [Turn]) -> Dialogue {
        var dialogue = Dialogue(turns)
        dialogue.alpn = "h2"
        return dialogue
    }

    private func conversation() -> Conversation {
        var configuration = Conversation.Configuration(scheme: scheme, authority: authority)
        configuration.isAuthorityFixed = isAuthorityFixed
        configuration.maximumBodyBytes = maximumBodyBytes
        configuration.budget = budget
        configuration.connection.alpn = alpn
        return Conversation(configuration)
    }

    /// The exchanges, each turn's bytes handed over in pieces that `cut` makes of them.
    func exchanges(cut: ([UInt8]) -> [[UInt8]] = { [$0] }) -> [Exchange] {
        let conversation = conversation()
        var found: [Exchange] = []
        var clock = Timestamp(seconds: 1_780_000_000)
        func feed(_ bytes: [UInt8], _ side: Side) {
            for piece in cut(bytes) where !piece.isEmpty {
                found += conversation.received(ByteBuffer(bytes: piece), from: side, at: clock)
            }
        }
        for turn in turns {
            clock = clock + .milliseconds(10)
            switch turn {
            case .client(let text): feed(Array(text.utf8), .client)
            case .server(let text): feed(Array(text.utf8), .server)
            case .clientBytes(let bytes): feed(bytes, .client)
            case .serverBytes(let bytes): feed(bytes, .server)
            case .serverEnds: found += conversation.ended(.server, reason: nil, at: clock)
            case .serverBreaks(let reason): found += conversation.ended(.server, reason: reason, at: clock)
            case .clientBreaks(let reason): found += conversation.ended(.client, reason: reason, at: clock)
            }
        }
        return found + conversation.abandon(at: clock, reason: "the recording ended")
    }

    /// Everything that two readings of the same bytes must agree on.
    static func summary(_ exchanges: [Exchange]) -> [String] {
        exchanges.map { exchange in
            let request = exchange.request
            let response = exchange.response
            return [
                "\(request.method) \(request.url.text) \(request.httpVersion)",
                request.headers.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ","),
                "\(request.body?.text ?? "-") \(request.trailers.fields.map(\.name))",
                response.map {
                    "\($0.status) \($0.statusText) \($0.body?.text ?? "-") \($0.body?.wireSize ?? -1) \($0.trailers.fields.map(\.name))"
                } ?? "no answer",
                exchange.failure ?? "",
                exchange.malformations.map { "\($0.side) \($0.offset) \($0.reason)" }.joined(separator: ";"),
                exchange.upgradedTo ?? "",
                "\(exchange.startedAt.nanoseconds) \(exchange.duration.map { "\($0)" } ?? "")",
            ].joined(separator: " | ")
        }
    }
}
