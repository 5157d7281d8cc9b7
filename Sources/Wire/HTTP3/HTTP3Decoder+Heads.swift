internal import Captures

/// The requests, answers and trailers that field sections say.
extension HTTP3Decoder {
    mutating func take(
        _ fields: FieldBlock,
        of id: Int,
        _ side: Side,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var fields = fields
        guard let exchange = streams[id]?.exchange else {
            return request(&fields, of: id, at: offset, time, &sink)
        }
        guard side == .client || exchange.hasResponseHead else {
            return response(&fields, of: id, exchange, at: offset, time, &sink)
        }
        if fields.unknown > 0 { losses.incompleteHeads += 1 }
        let trailers = fields.trailers()
        guard keep(trailers, of: id, &sink) else {
            return lose(LossReason.tooManyHeads, at: offset, side, time, &sink)
        }
        sink.receive(
            side == .client ? .requestTrailers(trailers) : .responseTrailers(trailers),
            of: exchange.exchange
        )
        sink.report(fields.problems, at: offset, side.message, of: exchange.exchange)
    }

    private mutating func request(
        _ fields: inout FieldBlock,
        of id: Int,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let head = fields.request(connectionScheme: scheme)
        let weight = 256 + head.headers.weight
        guard headBytes + weight <= Self.maximumHeadBytes, sink.mayHold(weight) else {
            return lose(LossReason.tooManyHeads, at: offset, .client, time, &sink)
        }
        let exchange = nextExchange
        nextExchange += 1
        headBytes += weight
        var stream = ExchangeStream(exchange: exchange, method: head.method, headBytes: weight)
        stream.asked(head)
        if fields.unknown > 0 {
            if fields.isTargetUnknown {
                losses.unnamedRequests += 1
                // How long its answer is to be is not known either.
                if fields.method == nil { stream.loss = AnswerLoss.targetMissing }
            } else {
                losses.incompleteHeads += 1
            }
        }
        if head.method == "CONNECT" { stream.becomes = fields.connectedProtocol ?? "tunnel" }
        streams[id]?.exchange = stream
        sink.receive(.requestHead(head, at: time), of: exchange)
        sink.report(fields.problems, at: offset, .request, of: exchange)
        readAnswer(of: id, time, &sink)
    }

    /// Goes on without a head that cannot be read.
    mutating func lackHead(
        _ reason: String,
        of id: Int,
        _ side: Side,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let exchange = streams[id]?.exchange else { return beginNameless(id, loss: reason, &sink) }
        losses.incompleteHeads += 1
        if side == .server, !exchange.hasResponseHead { streams[id]?.exchange?.loss = reason }
    }

    /// Begins the exchange of a stream whose request is not known.
    mutating func beginNameless(_ id: Int, loss: String?, _ sink: inout some ExchangeEventSink) {
        guard let stream = streams[id] else { return }
        sink.beginNameless(nextExchange, "HTTP/3", at: stream.begunAt)
        var exchange = ExchangeStream(exchange: nextExchange, method: "")
        exchange.loss = loss
        streams[id]?.exchange = exchange
        nextExchange += 1
        losses.unnamedRequests += 1
    }

    /// Counts fields that are kept until their stream ends; false where there is no room for them.
    private mutating func keep(_ headers: HeaderFields, of id: Int, _ sink: inout some ExchangeEventSink)
        -> Bool
    {
        let weight = headers.weight
        guard headBytes + weight <= Self.maximumHeadBytes, sink.mayHold(weight) else { return false }
        headBytes += weight
        streams[id]?.exchange?.headBytes += weight
        return true
    }

    private mutating func response(
        _ fields: inout FieldBlock,
        of id: Int,
        _ exchange: ExchangeStream,
        at offset: Int,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let head = fields.response()
        guard !(100..<200).contains(head.status) else {
            sink.receive(.interimResponse(head, at: time), of: exchange.exchange)
            return sink.report(fields.problems, at: offset, .response, of: exchange.exchange)
        }
        guard keep(head.headers, of: id, &sink) else {
            return lose(LossReason.tooManyHeads, at: offset, .server, time, &sink)
        }
        if fields.unknown > 0 {
            losses.incompleteHeads += 1
            if fields.status == nil { streams[id]?.exchange?.loss = AnswerLoss.statusMissing }
        }
        streams[id]?.exchange?.answered(head)
        sink.receive(.responseHead(head, at: time), of: exchange.exchange)
        sink.report(fields.problems, at: offset, .response, of: exchange.exchange)
        guard let name = exchange.becomes, (200..<300).contains(head.status) else { return }
        // From here on the stream carries another protocol.
        sink.receive(.upgraded(to: name), of: exchange.exchange)
        sink.receive(.responseEnd(at: time), of: exchange.exchange)
        forget(id, &sink)
    }
}
