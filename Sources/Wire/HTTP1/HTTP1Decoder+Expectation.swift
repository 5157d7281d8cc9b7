import Captures

/// Requests whose client waited for `100 (Continue)` and got a final answer instead (RFC 9110, section 10.1.1).
///
/// Some send the body all the same, others go on with the next request: the bytes say which of them.
extension HTTP1Decoder {
    /// Tells a request line from a body, byte by byte.
    struct RequestLineProbe {
        private enum Part {
            case method, target
            case version(matched: Int)
        }

        private var part = Part.method
        private var count = 0

        private static let version = Array("HTTP/1.".utf8)
        private static let longestMethod = 24
        private static let longestTarget = 8 << 10

        /// Whether this is a request line; nil as long as it may be one.
        mutating func next(_ byte: UInt8) -> Bool? {
            count += 1
            switch part {
            case .method where byte == 0x20 && count > 1:
                part = .target
                count = 0
            case .method:
                guard (0x41...0x5a).contains(byte), count <= Self.longestMethod else { return false }
            case .target where byte == 0x20 && count > 1: part = .version(matched: 0)
            case .target:
                guard byte > 0x20, count <= Self.longestTarget else { return false }
            case .version(let matched):
                guard byte == Self.version[matched] else { return false }
                guard matched + 1 < Self.version.count else { return true }
                part = .version(matched: matched + 1)
            }
            return nil
        }
    }

    /// Whether the client may leave out the body that it has not begun.
    func mayLackBody(_ direction: Direction) -> Bool {
        direction.isBodyHeldBack && answered == awaited.count
    }

    /// Holds bytes back until they tell what they are; `body` is how the body would be read.
    mutating func probe(
        _ probe: RequestLineProbe,
        _ body: State,
        _ direction: inout Direction,
        _ input: UnsafeBufferPointer<UInt8>,
        _ index: inout Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var probe = probe
        let start = index
        var isRequest: Bool?
        while index < input.count, isRequest == nil {
            isRequest = probe.next(input[index])
            index += 1
        }
        guard sink.mayHold(index - start) else {
            direction.state = .head
            return lose(Self.noRoom, at: direction.offset + start, .client, of: nil, time, &sink)
        }
        direction.pending.append(contentsOf: input[start..<index])
        switch isRequest {
        case nil: direction.state = .probing(probe, body)
        case true?:
            direction.searched = 0
            direction.state = .head
        case false?:
            let held = direction.pending
            _ = sink.mayHold(-held.count)
            direction.pending = []
            direction.state = body
            // As if they came only now: places are counted from where they begin.
            let offset = direction.offset
            direction.offset += index - held.count
            held.withUnsafeBufferPointer { held in
                var place = 0
                while place < held.count, reads(.client) {
                    advance(&direction, .client, held, &place, time, &sink)
                }
            }
            direction.offset = offset
        }
    }
}
