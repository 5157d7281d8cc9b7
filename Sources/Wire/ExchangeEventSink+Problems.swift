internal import Captures

extension ExchangeEventSink {
    /// Tells what is wrong with a message, and where.
    mutating func report(_ problems: [String], at offset: Int, _ side: MessageSide, of exchange: Int) {
        for reason in problems {
            receive(.malformed(Malformation(side: side, offset: offset, reason: reason)), of: exchange)
        }
    }

    /// Begins an exchange without a request: the connection itself is what there is to tell of.
    mutating func beginNameless(_ exchange: Int, _ version: String, at time: Timestamp) {
        let head = RequestHead(method: "", target: "", httpVersion: version, headers: HeaderFields())
        receive(.requestHead(head, at: time), of: exchange)
    }
}
