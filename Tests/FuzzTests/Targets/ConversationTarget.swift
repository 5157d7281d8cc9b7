@testable import Captures
import NIOCore
@testable import Wire

/// One connection in clear: which protocol it speaks, how requests and answers go together, changes of protocol.
enum ConversationTarget {
    /// Between what the client says and what the server says.
    static let turn = Array("|~|".utf8)

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let turns = turns(of: input)
        let whole = exchanges(turns.map { [$0[...]] })
        try RoundTrip.check(whole)
        let text = RoundTrip.file(whole)
        let cuts = turns.map { Pieces.cuts(of: $0) }
        for number in 0..<2 {
            let pieces = zip(turns, cuts).map { turn, cuts in
                number < cuts.count ? cuts[number] : [turn[...]]
            }
            let other = RoundTrip.file(exchanges(pieces))
            try require(other == text, "in pieces: \(RoundTrip.difference(other, text))")
        }
        let budget = RecordingBudget(bytes: 100)
        try RoundTrip.check(
            HTTP1Target.exchanges(
                turns.enumerated().map { ($0.offset % 2 == 0 ? .client : .server, $0.element) },
                alpn: nil,
                budget: budget
            )
        )
        try require(budget.available == 100, "\(budget.available) bytes of 100 were given back")
    }

    private static func turns(of input: [UInt8]) -> [[UInt8]] {
        var turns: [[UInt8]] = []
        var start = 0
        while let place = ByteSearch.index(of: turn, in: input, from: start), turns.count < 64 {
            turns.append(Array(input[start..<place]))
            start = place + turn.count
        }
        return turns + [Array(input[start...])]
    }

    private static func exchanges(_ turns: [[ArraySlice<UInt8>]]) -> [Exchange] {
        let conversation = Conversation(Conversation.Configuration(scheme: "http", authority: "rp.example"))
        var found: [Exchange] = []
        for (number, pieces) in turns.enumerated() {
            for piece in pieces {
                found += conversation.received(
                    ByteBuffer(bytes: piece),
                    from: number % 2 == 0 ? .client : .server,
                    at: HTTP1Target.now
                )
            }
        }
        found += conversation.ended(.server, reason: nil, at: HTTP1Target.now)
        return found + conversation.abandon(at: HTTP1Target.now, reason: "the recording ended")
    }
}
