internal import Captures
internal import NIOCore

/// Bytes that are missing, as happens in captures of packets.
///
/// Within a frame of a body they are counted off. Else the next frame is looked for behind them. The streams go on from there; what
/// cannot be known any more is not guessed: header fields that refer to missing ones, and the ends of streams.
extension HTTP2Decoder {
    /// So many bytes of one side are not there.
    ///
    /// `isExact`: false where it may be fewer.
    ///
    /// - Returns: whether it can go on.
    mutating func lost(
        _ count: Int,
        isExact: Bool,
        from side: Side,
        at time: Timestamp,
        into sink: inout some ExchangeEventSink
    ) -> Bool {
        guard !hasLostTheThread else { return false }
        // A client without its first bytes has said that it speaks HTTP/2 by ALPN.
        if side == .client { prefaceBytes = Self.preface.count }
        // More may be asked between two gaps that nothing was read between.
        let search = self[side].search
        if let search { _ = sink.mayHold(-search.count) }
        if search == nil, isExact, skip(count, of: side, &sink) { return true }
        // In the middle of a header block, or of a frame that is none of a body, anything may be missing.
        let open = search == nil ? self[side].reader.openData : nil
        if let block = self[side].takeBlock() { _ = sink.mayHold(-block.bytes.readableBytes) }
        endWholeMessages(of: side, time, &sink)
        let words = AnswerLoss.bytesMissing(count, isExact: isExact, of: side.rawValue)
        self[side].doubt = doubt(of: side, in: open, words, &sink)
        tunnels.closeAll(from: side)
        self[side].reader.startOver()
        self[side].search = FrameSearch()
        self[side].offset += count
        return true
    }

    /// Passes over missing bytes of a frame whose end is known all the same; false, and nothing has changed, where it is not.
    private mutating func skip(_ count: Int, of side: Side, _ sink: inout some ExchangeEventSink) -> Bool {
        var inBody: (count: Int, stream: UInt32)?
        guard self[side].reader.skip(count, body: { inBody = ($0, $1.stream) }) else { return false }
        self[side].offset += count
        if let inBody, let stream = streams.index(forKey: inBody.stream) {
            streams.values[stream].received(inBody.count, of: side.message)
            sink.lostBody(inBody.count, of: side.message, in: streams.values[stream].exchange)
        } else if let inBody {
            tunnels.lost(inBody.count, of: inBody.stream, from: side)
        }
        return true
    }

    /// What may have been said in missing bytes; the streams under way take note that they lack something.
    ///
    /// - Parameters:
    ///   - side: whose bytes are missing.
    ///   - open: the stream of whose body they may be, with how much of it was still to come in its frame.
    ///   - words: why the streams are not whole.
    ///   - sink: is told of the bodies.
    /// - Returns: what counts from the next frame on.
    private mutating func doubt(
        of side: Side,
        in open: (stream: UInt32, remaining: Int)?,
        _ words: String,
        _ sink: inout some ExchangeEventSink
    ) -> HTTP2Direction.Doubt {
        var doubt = HTTP2Direction.Doubt(
            mayHoldHeads: self[side].doubt?.mayHoldHeads ?? false,
            mayHaveEnded: self[side].doubt?.mayHaveEnded ?? []
        )
        // An answer that waits for its request lacks nothing of the server's.
        for (id, stream) in streams where side == .client || stream.answeredAt == nil {
            let isUnderWay = side == .client ? !stream.hasRequestEnded : stream.hasResponseHead
            if isUnderWay {
                if !stream.hasContent(of: side.message) {
                    sink.lostBody(
                        id == open?.stream ? open?.remaining ?? 0 : 0,
                        of: side.message,
                        in: stream.exchange
                    )
                }
                let announces =
                    side == .client ? stream.announcesTrailers.request : stream.announcesTrailers.response
                if announces { doubt.mayHaveEnded.insert(id) }
            } else if side == .server {
                doubt.mayHoldHeads = true
            }
            if isUnderWay || side == .server { streams[id]?.loss = words }
        }
        if side == .server, client.allowsPush { doubt.mayHoldHeads = true }
        return doubt
    }

    /// Ends what is whole by its length: the end of its stream may be among the missing bytes.
    private mutating func endWholeMessages(
        of side: Side,
        _ time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) where stream.isWhole(side.message) {
            guard side == .client else {
                guard stream.answeredAt == nil else { continue }
                sink.receive(.responseEnd(at: time), of: stream.exchange)
                forget(id, &sink)
                continue
            }
            guard !stream.hasRequestEnded else { continue }
            streams[id]?.requestEnded()
            sink.receive(.requestEnd(at: time), of: stream.exchange)
            endEarlyAnswer(id, &sink)
        }
    }

    /// Goes on with the next frame, once it is there.
    mutating func search(
        _ input: UnsafeBufferPointer<UInt8>,
        _ side: Side,
        at time: Timestamp,
        _ sink: inout some ExchangeEventSink
    ) {
        guard var search = self[side].search else { return }
        self[side].search = nil
        let last = clientStreams.last
        let (passed, held) = (search.passed, search.count)
        let found = search.add(input, longest: self[side].reader.longest) { [streams] id in
            // Of a client's streams those are known that were opened; the next ones may be.
            streams[id] != nil || id % 2 == 1 && id <= last &+ 2000 || id % 2 == 0 && id < 2000
        }
        self[side].offset += search.passed - passed
        if !sink.mayHold(search.count - held) {
            // Where there is no room to wait for a frame's end it is looked for behind that.
            _ = sink.mayHold(-held)
            self[side].offset += search.count
            search = FrameSearch()
        }
        guard let found else {
            guard search.passed < FrameSearch.most else {
                _ = sink.mayHold(-search.count)
                return lose(
                    "no frame behind bytes that are missing",
                    at: self[side].offset,
                    side,
                    time,
                    &sink
                )
            }
            self[side].search = search
            return
        }
        found.withUnsafeBufferPointer { read($0, from: side, at: time, into: &sink) }
    }

    /// Whether header blocks may be missing shows with the first one behind the missing bytes.
    mutating func resolveDoubt(_ side: Side, headsOf stream: UInt32) {
        guard let doubt = self[side].doubt else { return }
        self[side].doubt = nil
        var isWhole = !doubt.mayHoldHeads && doubt.mayHaveEnded.isEmpty
        // Streams are opened in their order (RFC 9113, section 5.1.1): who leaves no number out has opened none in between.
        if side == .client, streams[stream] == nil {
            isWhole = isWhole && (stream == clientStreams.last + 2 || stream == 1)
        }
        if !isWhole { self[side].fields = .withoutThePast }
    }

    /// Whether so little of a request is known that it is none to tell of: not even its method, or what a server promises.
    mutating func cannotBeTold(_ fields: FieldBlock, isPromised: Bool) -> Bool {
        guard fields.isTargetUnknown else { return false }
        losses.unnamedRequests += 1
        return fields.method == nil || isPromised
    }

    /// A body without the head of its answer.
    mutating func lackHead(_ id: UInt32, _ time: Timestamp, _ sink: inout some ExchangeEventSink) {
        guard let loss = streams[id]?.loss, let stream = forget(id, &sink) else { return }
        sink.receive(.failed(reason: loss, at: time), of: stream.exchange)
    }
}
