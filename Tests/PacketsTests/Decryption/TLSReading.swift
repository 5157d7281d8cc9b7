import Captures
import LibCrypto
import Packets
import TestSupport
import Testing
import Wire

/// What was told of one connection.
struct TLSReading: TLSStreamSink, Equatable {
    struct Reason: Equatable {
        var text: String
        var side: Side?
    }

    var time = Timestamp(nanoseconds: 0)
    var plaintext: [Side: [UInt8]] = [.client: [], .server: []]
    /// Who spoke in turn.
    var turns: [Side] = []
    var lost: [Side: [Int]] = [:]
    var facts: [TLSStreamFacts] = []
    var alerts: [Side: [String]] = [:]
    var reasons: [Reason] = []

    mutating func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side) {
        plaintext[side, default: []].append(contentsOf: bytes)
        if turns.last != side { turns.append(side) }
    }

    mutating func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side) {
        lost[side, default: []].append(count)
    }

    mutating func handshakeEnded(_ facts: TLSStreamFacts) { self.facts.append(facts) }

    mutating func alert(_ alert: TLSStreamAlert, from side: Side, _ facts: TLSStreamFacts) {
        alerts[side, default: []].append(alert.alert.name)
    }

    mutating func unreadable(_ reason: String, from side: Side?) {
        reasons.append(Reason(text: reason, side: side))
    }

    enum Cut {
        case asSent
        case bytes
        case random(UInt64)
    }

    /// Everything that `wire` shows with these keys; both sides end at its end.
    init(
        _ wire: [(side: Side, bytes: [UInt8])],
        keys: TLSKeyLog,
        cut: Cut = .asSent,
        sessions: TLSSessions = TLSSessions(),
        peer: String = ""
    ) {
        var stream = TLSStream(sessions: sessions, peer: peer)
        var random = SeededGenerator(seed: 0)
        if case .random(let seed) = cut { random = SeededGenerator(seed: seed) }
        for (side, bytes) in wire {
            var place = 0
            while place < bytes.count {
                let count =
                    switch cut {
                    case .asSent: bytes.count
                    case .bytes: 1
                    case .random: Int.random(in: 1...Int.random(in: 1...3000, using: &random), using: &random)
                    }
                let end = min(bytes.count, place + count)
                bytes.withUnsafeBytes {
                    stream.receive(.init(rebasing: $0[place..<end]), from: side, keys: keys, into: &self)
                }
                place = end
            }
        }
        stream.ended(.client, keys: keys, into: &self)
        stream.ended(.server, keys: keys, into: &self)
    }

    init() {}
}

extension TLSKeyLog {
    init(_ text: [UInt8]) {
        self.init()
        add(text)
        finish()
    }

    init(_ text: String) { self.init(Array(text.utf8)) }
}

extension TLSPair {
    var keys: TLSKeyLog { TLSKeyLog(keyLog) }

    /// Those lines of it that begin with a label.
    func keys(of label: String) -> TLSKeyLog {
        let lines = keyLog.split(separator: 0x0a).filter { $0.starts(with: Array("\(label) ".utf8)) }
        return TLSKeyLog(Array(lines.joined(separator: [0x0a])))
    }

    /// What both ends said is what is read, however it is cut.
    @discardableResult
    func isReadWhole(
        cuts: [TLSReading.Cut] = [.bytes, .random(1), .random(2)],
        _ location: SourceLocation = #_sourceLocation
    ) -> TLSReading {
        let reading = TLSReading(wire, keys: keys)
        for cut in cuts {
            #expect(TLSReading(wire, keys: keys, cut: cut) == reading, "cut \(cut)", sourceLocation: location)
        }
        #expect(reading.reasons.isEmpty && reading.lost.isEmpty, "\(suite)", sourceLocation: location)
        for side in [Side.client, .server] {
            #expect(reading.plaintext[side] == sent[side], "\(suite) \(side)", sourceLocation: location)
        }
        #expect(reading.facts.count == 1, sourceLocation: location)
        #expect(reading.facts.first?.version == version, sourceLocation: location)
        #expect(reading.facts.first?.cipherSuite == suite, sourceLocation: location)
        return reading
    }
}
