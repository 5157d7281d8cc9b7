@testable import Captures
import Foundation
import Packets
import Wire

/// One TCP connection of a packet capture, from its first bytes to its entries: what stands in front of it (the PROXY
/// protocol, SOCKS, `CONNECT`), TLS with its keys, HTTP.
///
/// ``ConnectionPiece`` tells the form of the input.
enum ConnectionTarget {
    private static let held = 1 << 20

    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let (keyLog, pieces) = ConnectionPiece.parse(input)
        let whole = try exchanges(of: pieces, keyLog, cut: 0)
        try RoundTrip.check(whole)
        let bodies = whole.reduce(0) {
            $0 + ($1.request.body?.bytes?.count ?? 0) + ($1.response?.body?.bytes?.count ?? 0)
        }
        // What is packed comes out larger, up to the limit of a body.
        try require(bodies <= input.count * 1100, "\(bodies) bytes of bodies are read of \(input.count)")
        let text = RoundTrip.file(whole)
        for cut in [1, 7] {
            let other = RoundTrip.file(try exchanges(of: pieces, keyLog, cut: cut))
            try require(other == text, "in pieces of \(cut): \(RoundTrip.difference(other, text))")
        }
    }

    private static func exchanges(of pieces: [ConnectionPiece], _ keyLog: [UInt8], cut: Int)
        throws(FuzzFinding)
        -> [Exchange]
    {
        let budget = RecordingBudget(bytes: held)
        var connections = PacketExchanges(maximumBodyBytes: 64 << 10, budget: budget)
        connections.add(keyLog: keyLog)
        connections.endKeyLog()
        let facts = TCPStreamFacts(
            client: Endpoint(address: [127, 0, 0, 1], port: 50_000),
            server: Endpoint(address: [127, 0, 0, 1], port: 443),
            startedAt: HTTP1Target.now,
            beganMidStream: false
        )
        connections.opened(0, facts)
        connections.established(0, at: HTTP1Target.now)
        var ended: Set<Side> = []
        // Where a beginning is missing, what it may have been is told by how the next segment begins.
        var isCut = false
        var hasGap = false
        for piece in pieces {
            switch piece {
            case .bytes(let side, let bytes) where !ended.contains(side):
                isCut = isCut || side == .client
                for part in ConnectionPiece.cut(bytes, every: isCut && !hasGap ? cut : 0) {
                    part.withUnsafeBytes { connections.received($0, of: 0, from: side, at: HTTP1Target.now) }
                }
            case .lost(let side, let count) where !ended.contains(side):
                hasGap = true
                connections.lost(count, of: 0, from: side, at: HTTP1Target.now)
            case .ended(let side) where ended.insert(side).inserted:
                connections.ended(side, of: 0, .finished, at: HTTP1Target.now)
            case .bytes, .lost, .ended: break
            }
        }
        for side in [Side.client, .server] where !ended.contains(side) {
            connections.ended(side, of: 0, .captureEnded, at: HTTP1Target.now)
        }
        connections.closed(0, at: HTTP1Target.now)
        let found = connections.takeFinished()
        try require(budget.available == held, "\(budget.available) bytes of \(held) were given back")
        return found
    }
}
