import Captures
import Packets
import Wire

/// What comes of packets and keys, as with ``PacketImporter``.
struct PacketImport {
    let exchanges: [Exchange]
    let report: PacketImportReport

    init(_ packets: [MadePacket], keyLog: [UInt8] = []) {
        var exchanges = PacketExchanges(maximumBodyBytes: 1 << 20, budget: RecordingBudget(bytes: 1 << 30))
        exchanges.add(keyLog: keyLog)
        exchanges.endKeyLog()
        var decoder = PacketDecoder(into: exchanges)
        for (index, packet) in packets.enumerated() { decoder.give(packet, number: index + 1) }
        decoder.finish()
        self.exchanges = decoder.sink.takeFinished()
        report = decoder.sink.report
    }
}

extension PacketBuilder {
    /// A connection whose ends say this, each after it has what the other has said; then both end it.
    mutating func converse(_ words: [(side: Side, bytes: [UInt8])]) {
        let next = say(words)
        send(.client, "FA", next.client, next.server)
        send(.server, "FA", next.server, next.client + 1)
        send(.client, "A", next.client + 1, next.server + 1)
    }

    /// The same up to its end.
    ///
    /// - Returns: the numbers of the next bytes.
    @discardableResult
    mutating func say(_ words: [(side: Side, bytes: [UInt8])]) -> (client: UInt32, server: UInt32) {
        handshake()
        var next: [Side: UInt32] = [.client: 1001, .server: 5001]
        func number(_ side: Side) -> UInt32 { next[side, default: 0] }
        for (side, bytes) in words {
            let other: Side = side == .client ? .server : .client
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1400)
                rest = rest.dropFirst(1400)
                send(side, "PA", number(side), number(other), piece)
                next[side, default: 0] += UInt32(piece.count)
            }
        }
        return (number(.client), number(.server))
    }
}
