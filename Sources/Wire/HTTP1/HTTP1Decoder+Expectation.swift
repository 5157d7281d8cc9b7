import Captures

/// Requests whose client waited for `100 (Continue)` and got a final answer instead (RFC 9110, section 10.1.1).
///
/// Some send the body all the same, others go on with the next request: the bytes say which of them.
extension HTTP1Decoder {
    /// Whether the client may leave out the body that it has not begun.
    func mayLackBody(_ direction: Direction) -> Bool {
        direction.isBodyHeldBack && answered == awaited.count
    }

    /// The same of the request at hand.
    var mayLackBody: Bool { reads(.client) && mayLackBody(client) }

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
            return lose(LossReason.noRoom, at: direction.offset + start, .client, of: nil, time, &sink)
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
