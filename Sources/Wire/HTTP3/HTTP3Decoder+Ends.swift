internal import Captures

/// How streams and connections end.
extension HTTP3Decoder {
    /// What came was all, as far as the stream says so and nothing of it waits.
    mutating func endMessage(
        of id: Int,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let stream = streams[id], stream[side].hasEnded, !stream[side].isTold,
            stream[side].blocked == nil, stream[side].waiting.isEmpty
        else { return }
        streams[id]?[side].isTold = true
        guard let exchange = stream.exchange else { return forget(id, &sink) }
        if stream[side].passedOver > 0 {
            passOver(id, exchange, side, &sink)
        } else {
            var problems: [String] = []
            if !stream[side].reader.isBetweenFrames { problems.append("the stream ends within a frame") }
            if let problem = exchange.problem(of: side.message) { problems.append(problem) }
            sink.report(problems, at: stream[side].reader.offset, side.message, of: exchange.exchange)
        }
        if side == .client {
            sink.receive(.requestEnd(at: time), of: exchange.exchange)
        } else {
            streams[id]?.answeredAt = time
        }
        // An answer may overtake the last bytes of its request.
        if streams[id]?.hasRequestEnded == true { _ = conclude(id, &sink) }
    }

    /// Counts the end of a message for which there was no room while it waited.
    private mutating func passOver(
        _ id: Int,
        _ exchange: ExchangeStream,
        _ side: Side,
        _ sink: inout some ExchangeEventSink
    ) {
        guard let direction = streams[id]?[side] else { return }
        let announced = max(direction.reader.missingData, exchange.missing(of: side.message))
        let missing = announced > 0 ? announced : direction.passedOver
        sink.lostBody(missing, of: side.message, in: exchange.exchange)
        guard side == .server, !exchange.hasResponseHead else { return }
        streams[id]?.exchange?.loss = "more of its answer waited to be read than is held"
    }

    /// Ends an exchange whose answer is whole; false where it is not.
    private mutating func conclude(_ id: Int, _ sink: inout some ExchangeEventSink) -> Bool {
        guard let stream = streams[id], let exchange = stream.exchange, let time = stream.answeredAt else {
            return false
        }
        if !stream.hasRequestEnded {
            // Who answered had all of the request, whoever listens not.
            let missing = max(stream.client.reader.missingData, exchange.missing(of: .request))
            if missing > 0 {
                sink.lostBody(missing, of: .request, in: exchange.exchange)
            } else if exchange.hasBareRequest, exchange.loss == nil {
                sink.receive(.requestEnd(at: time), of: exchange.exchange)
            }
        }
        if let loss = exchange.loss {
            sink.receive(.failed(reason: loss, at: time), of: exchange.exchange)
        } else if exchange.hasResponseHead {
            sink.receive(.responseEnd(at: time), of: exchange.exchange)
        } else {
            let reason = "the provider ended the stream without an answer"
            sink.receive(.failed(reason: reason, at: time), of: exchange.exchange)
        }
        forget(id, &sink)
        return true
    }

    private mutating func fail(
        _ id: Int,
        _ reason: String,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        readWhatWaits(of: id, &sink)
        // Of an answer that is whole by its length the end of the stream is missing, and nothing else.
        if streams[id]?.answeredAt == nil, streams[id]?.exchange?.isWhole(.response) == true {
            streams[id]?.answeredAt = time
        }
        guard !conclude(id, &sink) else { return }
        if let exchange = streams[id]?.exchange {
            sink.receive(.failed(reason: exchange.loss ?? reason, at: time), of: exchange.exchange)
        }
        forget(id, &sink)
    }

    /// Reads what waits of a stream as far as it can be, at the time when it came: nothing more comes that it waits for.
    ///
    /// What is said on a stream is told, be its request known or not.
    private mutating func readWhatWaits(of id: Int, _ sink: inout some ExchangeEventSink) {
        guard let stream = streams[id], !hasLostTheThread else { return }
        readsWhatWaits = true
        defer { readsWhatWaits = false }
        if stream.client.blocked != nil, let time = stream.client.lastAt {
            readWaiting(of: id, .client, time, &sink)
        }
        let isAnswered = stream.server.held > 0
        if streams[id]?.exchange == nil, isAnswered || !stream.client.reader.isBetweenFrames {
            beginNameless(id, loss: isAnswered ? AnswerLoss.requestMissing : nil, &sink)
        }
        if isAnswered || stream.server.hasEnded, let time = stream.server.lastAt {
            readWaiting(of: id, .server, time, &sink)
        }
    }

    /// The answer is given up: by the client, which wants no more of it (STOP_SENDING), or by the server (RESET_STREAM).
    mutating func reset(
        _ id: Int,
        by side: Side,
        code: Int,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !hasLostTheThread else { return }
        let reason =
            side == .client
            ? Self.givenUp(code) : "the provider broke off the answer (\(HTTP3ErrorCode.name(code)))"
        fail(id, reason, time, &sink)
    }

    private static func givenUp(_ code: Int) -> String {
        "the client gave the request up before the answer was complete (\(HTTP3ErrorCode.name(code)))"
    }

    /// The client says no more of its request (RESET_STREAM).
    ///
    /// Its answer may come all the same: a server that needs no more of an upload has the client break it off (RFC 9114,
    /// section 4.1).
    mutating func resetRequest(_ id: Int, code: Int, into sink: inout some ExchangeEventSink) {
        guard !hasLostTheThread, streams[id] != nil else { return }
        streams[id]?.requestReset = code
        _ = conclude(id, &sink)
    }

    /// A part of a direction of a stream will not come any more.
    mutating func lost(
        _ id: Int,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) {
        guard !hasLostTheThread, streams[id]?[side].isTold == false else { return }
        fail(id, AnswerLoss.packetsMissing, time, &sink)
    }

    /// GOAWAY (RFC 9114, section 5.2).
    mutating func closing(
        _ payload: [UInt8],
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        var rest = payload[...]
        guard side == .server, let first = VariableInteger.take(&rest) else { return }
        // What it has not begun it will not do; clients ask again on another connection.
        let reason = "the provider closes the connection and did not take the request (GOAWAY)"
        for id in streams.keys.filter({ $0 >= first }).sorted() { fail(id, reason, time, &sink) }
    }

    /// The connection has ended: what is under way fails.
    mutating func failAll(_ reason: String, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        for id in streams.keys.sorted() {
            // That it wants no answer either may not be in the capture.
            let reset = streams[id]?.exchange?.hasResponseHead == false ? streams[id]?.requestReset : nil
            fail(id, reset.map(Self.givenUp) ?? reason, time, &sink)
        }
        end(&sink)
    }

    /// Nothing more of a stream is taken.
    mutating func forget(_ id: Int, _ sink: inout some ExchangeEventSink) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        finished.insert(id >> 2)
        blocked.client[id] = nil
        blocked.server[id] = nil
        let weight = stream.exchange?.headBytes ?? 0
        headBytes -= weight
        heldBytes -= stream.held
        _ = sink.mayHold(-weight - stream.held)
    }
}
