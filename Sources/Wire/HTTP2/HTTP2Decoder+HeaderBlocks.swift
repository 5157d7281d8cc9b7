internal import Captures
internal import NIOCore

/// Header blocks: the requests, answers and trailers that they say.
extension HTTP2Decoder {
    // MARK: - Frames that carry them

    mutating func headers(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        guard let bytes = frame.unpadded(behind: frame.header.has(.priority) ? 5 : 0) else {
            return lose("a HEADERS frame with more padding than bytes", at: frame, &sink)
        }
        let block = Block(
            stream: frame.header.stream,
            endsStream: frame.header.has(.endStream),
            bytes: ByteBuffer(bytes: bytes),
            offset: frame.offset
        )
        begin(block, with: frame, &sink)
    }

    mutating func pushPromise(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        guard frame.side == .server, let bytes = frame.unpadded(behind: 4) else {
            return lose("a PUSH_PROMISE frame that nobody may send", at: frame, &sink)
        }
        let promised = frame.payload.dropFirst(frame.header.has(.padded) ? 1 : 0)
        let block = Block(
            stream: frame.header.stream,
            endsStream: false,
            promised: HTTP2FrameHeader.number(promised) & 0x7fff_ffff,
            bytes: ByteBuffer(bytes: bytes),
            offset: frame.offset
        )
        begin(block, with: frame, &sink)
    }

    mutating func continuation(_ frame: ControlFrame, _ sink: inout some ExchangeEventSink) {
        let side = frame.side
        guard var block = self[side].takeBlock() else {
            guard self[side].doubt != nil else {
                return lose("a CONTINUATION frame of no header block", at: frame, &sink)
            }
            // The end of a header block that is missing.
            self[side].doubt?.mayHoldHeads = true
            return
        }
        _ = sink.mayHold(-block.bytes.readableBytes)
        guard block.bytes.readableBytes + frame.payload.count <= FrameReader.maximumHeaderBlock else {
            return lose("a header block of more than 256 KiB", at: frame, &sink)
        }
        block.bytes.writeBytes(frame.payload)
        begin(block, with: frame, &sink)
    }

    // MARK: - Blocks

    /// Takes a block, of which the frame is the last one so far.
    private mutating func begin(
        _ block: Block,
        with frame: ControlFrame,
        _ sink: inout some ExchangeEventSink
    ) {
        let (side, time) = (frame.side, frame.time)
        guard frame.header.has(.endHeaders) else {
            guard sink.mayHold(block.bytes.readableBytes) else {
                return lose(LossReason.noRoom, at: block.offset, side, time, &sink)
            }
            self[side].block = block
            return
        }
        resolveDoubt(side, headsOf: block.stream)
        do throws(FieldReader.Malformed) {
            let (known, unknown) = try self[side].fields.decode(block.bytes)
            if unknown > 0 { losses.incompleteHeads += 1 }
            var fields = FieldBlock(known, of: "HTTP/2", unknown: unknown)
            message(&fields, block, side, time, &sink)
        } catch {
            return lose(
                "a header block that cannot be decoded (\(error.reason))",
                at: block.offset,
                side,
                time,
                &sink
            )
        }
        if block.endsStream { endMessage(block.stream, side, at: block.offset, time, &sink) }
    }

    /// What the fields of a whole block begin or end.
    private mutating func message(
        _ fields: inout FieldBlock,
        _ block: Block,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        if side == .client || block.promised != nil, streams[block.promised ?? block.stream] == nil,
            cannotBeTold(fields, isPromised: block.promised != nil)
        {
            if block.promised == nil { clientStreams.open(block.stream) }
        } else if let promised = block.promised {
            request(&fields, on: promised, block, isPushed: true, time, &sink)
        } else if let stream = streams.index(forKey: block.stream) {
            let known = streams.values[stream]
            if side == .client, known.hasRequestEnded {
                nameLateFrame(of: block.stream, at: block.offset, &sink)
            } else if side == .client || known.hasResponseHead {
                trailers(&fields, of: known.exchange, block, side, time, &sink)
            } else {
                response(&fields, on: block.stream, block, time, &sink)
            }
        } else if side == .client, block.stream > clientStreams.last {
            request(&fields, on: block.stream, block, isPushed: false, time, &sink)
        } else if side == .server, clientStreams.answer(block.stream) {
            losses.unseenRequests += 1
        }
    }

    private mutating func trailers(
        _ fields: inout FieldBlock,
        of exchange: Int,
        _ block: Block,
        _ side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let trailers = fields.trailers()
        guard keep(trailers, of: block.stream, &sink) else {
            return lose(LossReason.tooManyHeads, at: block.offset, side, time, &sink)
        }
        sink.receive(side == .client ? .requestTrailers(trailers) : .responseTrailers(trailers), of: exchange)
        sink.report(fields.problems, at: block.offset, side.message, of: exchange)
    }

    private mutating func request(
        _ fields: inout FieldBlock,
        on id: UInt32,
        _ block: Block,
        isPushed: Bool,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let head = fields.request(connectionScheme: scheme)
        let weight = 256 + head.headers.weight
        makeRoom(for: weight, &sink)
        guard streams[id] == nil, streams.count < Self.maximumStreams,
            headBytes + weight <= Self.maximumHeadBytes, sink.mayHold(weight)
        else {
            return lose(
                "more requests without an answer than are followed",
                at: block.offset,
                isPushed ? .server : .client,
                time,
                &sink
            )
        }
        let exchange = nextExchange
        nextExchange += 1
        headBytes += weight
        var stream = ExchangeStream(exchange: exchange, method: head.method, headBytes: weight)
        if isPushed { stream.requestEnded() } else { stream.asked(head) }
        if head.method == "CONNECT" {
            stream.becomes = fields.connectedProtocol ?? "tunnel"
            stream.tunnelTarget = fields.connectedProtocol == nil ? head.target : nil
        }
        streams[id] = stream
        sink.receive(.requestHead(head, at: time), of: exchange)
        sink.report(fields.problems, at: block.offset, .request, of: exchange)
        if isPushed {
            sink.receive(.pushed, of: exchange)
            sink.receive(.requestEnd(at: time), of: exchange)
        } else {
            clientStreams.open(id)
        }
    }

    /// Counts fields that are kept until their stream ends; false where there is no room for them.
    private mutating func keep(
        _ headers: HeaderFields,
        of id: UInt32,
        _ sink: inout some ExchangeEventSink
    ) -> Bool {
        let weight = headers.weight
        guard headBytes + weight <= Self.maximumHeadBytes, sink.mayHold(weight) else { return false }
        headBytes += weight
        streams[id]?.headBytes += weight
        return true
    }

    private mutating func response(
        _ fields: inout FieldBlock,
        on id: UInt32,
        _ block: Block,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        let head = fields.response()
        makeRoom(for: head.headers.weight, &sink)
        guard (100..<200).contains(head.status) || keep(head.headers, of: id, &sink) else {
            return lose(LossReason.tooManyHeads, at: block.offset, .server, time, &sink)
        }
        guard var stream = streams[id] else { return }
        guard !(100..<200).contains(head.status) else {
            sink.receive(.interimResponse(head, at: time), of: stream.exchange)
            return sink.report(fields.problems, at: block.offset, .response, of: stream.exchange)
        }
        // What is missing was the head; these are the trailers.
        if let loss = stream.loss, fields.status == nil, fields.unknown == 0 {
            sink.receive(.failed(reason: loss, at: time), of: stream.exchange)
            forget(id, &sink)
            return
        }
        stream.answered(head)
        // Its head is behind what is missing, and so is all of its body.
        stream.loss = nil
        streams[id] = stream
        sink.receive(.responseHead(head, at: time), of: stream.exchange)
        sink.report(fields.problems, at: block.offset, .response, of: stream.exchange)
        if fields.status == nil, fields.unknown > 0 {
            streams[id]?.loss = AnswerLoss.statusMissing
            sink.receive(.failed(reason: AnswerLoss.statusMissing, at: time), of: stream.exchange)
            forget(id, &sink)
            return
        }
        guard let name = stream.becomes, (200..<300).contains(head.status) else { return }
        // From here on the stream carries another protocol.
        sink.receive(.upgraded(to: name), of: stream.exchange)
        sink.receive(.responseEnd(at: time), of: stream.exchange)
        forget(id, &sink)
        if let target = stream.tunnelTarget { tunnels.begin(id, to: target) }
    }
}
